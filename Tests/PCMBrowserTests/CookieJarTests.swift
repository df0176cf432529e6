import BrowserSupport
import PCMCore
import PCMNetwork
import Testing

@testable import PCMBrowser

/// The cookies between loads. libcurl selects the cookies of a request.
@Suite struct CookieJarTests {
  /// - Parameters:
  ///   - domain: A dot before it includes its subdomains.
  ///   - expires: Seconds of the machine's clock.
  private static func cookie(
    _ domain: String, _ name: String, _ value: String = "1", path: String = "/", expires: Int64? = nil
  ) -> Cookie {
    Cookie(
      domain: domain.hasPrefix(".") ? String(domain.dropFirst()) : domain, includesSubdomains: domain.hasPrefix("."),
      path: path,
      name: name, value: value, expires: expires.map { Instant(milliseconds: $0 * 1_000) })
  }

  private func load(_ browser: Browser, _ path: String = "page") async throws {
    _ = try await browser.load(LoadInput(firstPartyURL: "https://shop.example/", url: "https://news.example/\(path)"))
  }

  /// The cookies of the last load.
  private func lent(_ scene: Scene) async -> [Cookie]? { await scene.transport.requests.last?.cookies }

  private static let setting = Web([
    "https://news.example/set": .init(cookies: [cookie("news.example", "a"), cookie(".shop.example", "b")])
  ])

  @Test("the next hop and later loads have the cookies of a hop, but no report and no other browser")
  func kept() async throws {
    let cookie = Self.cookie("news.example", "a")
    let scene = try await Scene(
      transport: Web(["https://news.example/page": .redirect("\(TriggerURL.pathPrefix)12", cookies: [cookie])]).transport)
    try await scene.click(4)
    try await load(scene.browser)
    #expect(await scene.transport.requests.map(\.cookies) == [[], [cookie]])
    _ = try await scene.browser.advance(.untilIdle())
    try await load(scene.browser, "other")
    #expect(await scene.transport.requests.map(\.cookies) == [[], [cookie], nil, nil, [cookie]])
    let (other, _) = try await scene.browsers.put("other", BrowserSpecification(clockMode: .manual, start: Scene.start))
    try await load(other)
    #expect(await scene.transport.requests.suffix(2).map(\.cookies) == [[], [cookie]])
  }

  @Test(
    "the case of a domain or a name does not distinguish cookies",
    arguments: [[".News.example", "a"], [".news.example", "A"]])
  func ignoredCase(_ cookie: [String]) {
    let clocks = CookieClocks(now: Scene.start, wall: Scene.start)
    var jar = CookieJar()
    let lent = jar.lend(at: clocks)
    let cookies = [cookie, [".news.example", "a"]].map { Self.cookie($0[0], $0[1]) }
    jar.takeBack(cookies, lent: lent, at: clocks) { _ in Site("news.example") }
    #expect(jar.lend(at: clocks).sent == [cookies[1]])
  }

  @Test(
    "paths that are the same for libcurl do not distinguish cookies",
    arguments: [("/", "/\""), ("/a", "/a/"), ("/a", "/A"), ("\"/a\"", "/a"), ("a", "b")])
  func samePath(_ first: String, _ second: String) {
    let clocks = CookieClocks(now: Scene.start, wall: Scene.start)
    var jar = CookieJar()
    let cookies = [first, second].map { Self.cookie(".news.example", "a", path: $0) }
    jar.takeBack(cookies, lent: jar.lend(at: clocks), at: clocks) { _ in Site("news.example") }
    #expect(jar.lend(at: clocks).sent == [cookies[1]])
  }

  @Test("an expiry is counted on the browser's clock, whatever the machine's says")
  func expiry() async throws {
    // The scene's machine stands at the start; the browser has moved on by a day before the cookie is set.
    let hour = Scene.start.milliseconds / 1_000 + 3_600
    let scene = try await Scene(
      transport: Web([
        "https://news.example/set": .init(cookies: [
          Self.cookie("news.example", "a", expires: hour), Self.cookie("news.example", "b"),
        ])
      ]).transport)
    try await scene.advance(.days(1))
    try await load(scene.browser, "set")
    try await load(scene.browser)
    #expect(await lent(scene) == [Self.cookie("news.example", "a", expires: hour), Self.cookie("news.example", "b")])
    try await scene.advance(Interval(milliseconds: 3_599_500))
    try await load(scene.browser)
    #expect(await lent(scene)?.first == Self.cookie("news.example", "a", expires: hour - 3_599))
    try await scene.advance(Interval(milliseconds: 500))
    try await load(scene.browser)
    #expect(await lent(scene) == [Self.cookie("news.example", "b")])
  }

  @Test("an expiry that no clock reaches is no trouble", arguments: [253_402_300_799, 1, 0] as [Int64])
  func oddExpiries(_ expires: Int64) async throws {
    let scene = try await Scene(
      transport: Web(["https://news.example/set": .init(cookies: [Self.cookie("news.example", "a", expires: expires)])])
        .transport
    )
    try await scene.advance(.days(1))
    try await load(scene.browser, "set")
    try await load(scene.browser)
    #expect(await lent(scene)?.count == (expires > 1 ? 1 : 0))
  }

  @Test("Clearing everything removes all cookies, clearing a site removes the site's")
  func clearing() async throws {
    let scene = try await Scene(transport: Self.setting.transport)
    try await load(scene.browser, "set")
    try await scene.browser.clear(Site("shop.example"))
    try await load(scene.browser)
    #expect(await lent(scene) == [Self.cookie("news.example", "a")])
    try await load(scene.browser, "set")
    try await scene.browser.clear(nil)
    try await load(scene.browser)
    #expect(await lent(scene) == [])
  }

  @Test("a private session has a separate jar, which ends with it")
  func privateSession() async throws {
    let scene = try await Scene(transport: Self.setting.transport)
    try await load(scene.browser, "set")
    try await scene.browser.change(SettingsChange(privateBrowsing: true))
    try await load(scene.browser, "set")
    #expect(await lent(scene) == [])
    try await load(scene.browser)
    #expect(await lent(scene)?.count == 2)
    try await scene.browser.change(SettingsChange(privateBrowsing: false))
    try await load(scene.browser)
    #expect(await lent(scene)?.count == 2)
    try await scene.browser.change(SettingsChange(privateBrowsing: true))
    try await load(scene.browser)
    #expect(await lent(scene) == [])
  }

  // MARK: The jar itself

  private static let clocks = CookieClocks(now: Scene.start, wall: Scene.start)

  private static func site(_ host: String) -> Site {
    Site(host.split(separator: ".").suffix(2).joined(separator: "."))
  }

  /// A load whose answer sets a cookie or takes some back.
  private func load(_ jar: inout CookieJar, setting new: [Cookie] = [], removing old: [Cookie] = []) {
    let lent = jar.lend(at: Self.clocks)
    jar.takeBack(lent.sent.filter { !old.contains($0) } + new, lent: lent, at: Self.clocks, site: Self.site)
  }

  @Test("a jar is bounded: the oldest of a crowded site goes, then the oldest of all")
  func bounds() {
    var jar = CookieJar()
    load(&jar, setting: [Self.cookie("first.example", "n")])
    for number in 1...150 { load(&jar, setting: [Self.cookie("h\(number).crowd.example", "n")]) }
    #expect(jar.cookies.map(\.host).prefix(3) == ["first.example", "h51.crowd.example", "h52.crowd.example"])
    #expect(jar.cookies.count == 101)
    for number in 1...199 { load(&jar, setting: [Self.cookie("host\(number).example", "n")]) }
    #expect(jar.cookies.count == 300)
    #expect(jar.cookies.first?.host == "first.example")
    load(&jar, setting: [Self.cookie("last.example", "n")])
    #expect(jar.cookies.count == 300)
    #expect(jar.cookies.first?.host == "h51.crowd.example")
  }

  @Test("a cookie that is set anew keeps its place")
  func setAnew() {
    var jar = CookieJar()
    load(&jar, setting: [Self.cookie("a.example", "n"), Self.cookie("b.example", "n")])
    load(&jar, setting: [Self.cookie("a.example", "n", "2")], removing: [Self.cookie("a.example", "n")])
    // Taken back and set in one answer is a change, not a new cookie.
    #expect(jar.lend(at: Self.clocks).sent == [Self.cookie("a.example", "n", "2"), Self.cookie("b.example", "n")])
  }

  @Test("a cookie that a response removes goes, whether it is expired or absent", arguments: [true, false])
  func takenBack(_ isTold: Bool) {
    var jar = CookieJar()
    load(&jar, setting: [Self.cookie("a.example", "x"), Self.cookie("a.example", "y")])
    load(
      &jar, setting: isTold ? [Self.cookie("a.example", "x", "", expires: 1)] : [], removing: [Self.cookie("a.example", "x")])
    #expect(jar.cookies.map(\.name) == ["y"])
  }

  @Test("two loads at once lose nothing of each other's")
  func concurrentLoads() {
    var jar = CookieJar()
    let (kept, changed, removed) = (
      Self.cookie("a.example", "kept"), Self.cookie("a.example", "x"), Self.cookie("a.example", "y")
    )
    load(&jar, setting: [kept, changed, removed])
    let (first, second) = (jar.lend(at: Self.clocks), jar.lend(at: Self.clocks))
    let (newX, newY) = (Self.cookie("a.example", "x", "2"), Self.cookie("a.example", "new"))
    jar.takeBack([kept, newX], lent: first, at: Self.clocks, site: Self.site)
    // The second saw neither change; it removes the first's x, and not the x that it knew.
    jar.takeBack([kept, removed, newY], lent: second, at: Self.clocks, site: Self.site)
    #expect(jar.lend(at: Self.clocks).sent == [kept, newX, newY])
  }

  @Test("The host of a cookie is its domain as a URL has it")
  func hosts() {
    let hosts = [".Shop.example", "shop.example", "::1", "127.0.0.1"].map { Self.cookie($0, "n").host }
    #expect(hosts == ["shop.example", "shop.example", "[::1]", "127.0.0.1"])
  }
}
