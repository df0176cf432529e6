import BrowserSupport
import PCMBrowser
import PCMCore
import PCMNetwork
import Testing

/// Real requests, hop by hop (reference, section 4.1), on a network that a table describes.
@Suite struct LoadTests {
  private static let trigger = "https://news.example\(TriggerURL.pathPrefix)"
  private static let page = "https://shop.example/thanks"

  private func load(
    _ scene: Scene, _ url: String = "https://news.example/pixel", firstParty: String = page, method: String = "GET"
  ) async throws -> LoadOutcome {
    try await scene.browser.load(LoadInput(firstPartyURL: firstParty, url: url, method: method))
  }

  private func load(
    _ pages: [String: Web.Page], _ url: String = "https://news.example/pixel", method: String = "GET"
  ) async throws -> (LoadOutcome, [OutgoingRequest]) {
    let scene = try await Scene(transport: Web(pages).transport)
    let outcome = try await load(scene, url, method: method)
    return (outcome, await scene.transport.requests)
  }

  @Test("two triggers in one chain are two events, each judged by the hop before it")
  func twoTriggers() async throws {
    let scene = try await Scene(
      transport: Web([
        "https://tracker.example/p": .redirect("\(Self.trigger)01"),
        "\(Self.trigger)01": .redirect("12/03"),
      ]).transport)
    try await scene.click(4)
    let outcome = try await load(scene, "https://tracker.example/p")
    #expect(outcome.triggeringEvents.map(\.kind) == [.rejected, .attributed])
    #expect(outcome.triggeringEvents[0].reasons.map(\.code) == ["redirect-not-same-site"])
    #expect(outcome.triggeringEvents[1].trigger?.trigger == Trigger(data: 12, priority: 3))
    #expect(outcome.hops.count == 3)
  }

  @Test("an earlier hop may be on any site, and on a page of http on http")
  func earlierHops() async throws {
    let scene = try await Scene(
      transport: Web([
        "http://tracker.example/p": .redirect("http://news.example/pixel"),
        "http://news.example/pixel": .redirect("\(Self.trigger)12"),
      ]).transport)
    try await scene.click(4)
    #expect(
      try await load(scene, "http://tracker.example/p", firstParty: "http://shop.example/").triggeringEvents.map(\.kind) == [
        .attributed
      ])
  }

  @Test(
    "a redirect repeats or replaces the method", arguments: [301, 302, 303, 307, 308], ["GET", "POST"])
  func methods(_ status: Int, _ method: String) async throws {
    let (_, requests) = try await load(["https://news.example/pixel": .redirect("/next", status: status)], method: method)
    #expect(requests.map(\.method.rawValue) == [method, status >= 307 ? method : "GET"])
    #expect(requests.map { $0.body != nil } == requests.map { $0.method == .post })
  }

  @Test("another status is an answer, with a Location or without", arguments: [200, 201, 204, 300, 304, 305, 306, 404, 500])
  func answers(_ status: Int) async throws {
    let (outcome, requests) = try await load(["https://news.example/pixel": .redirect("/next", status: status)])
    #expect(requests.count == 1)
    #expect(outcome.error == nil)
    #expect(outcome.hops.map(\.location) == ["/next"])
  }

  @Test("a redirect that names no target ends the load with its answer", arguments: [nil, ""])
  func noLocation(_ location: String?) async throws {
    let (outcome, requests) = try await load(["https://news.example/pixel": .init(status: 302, location: location)])
    #expect(requests.count == 1)
    #expect(outcome.error == nil)
    #expect(outcome.hops.map(\.status) == [302])
  }

  @Test(
    "a target that no browser goes to ends the load with an error",
    arguments: [
      ("https://", "location-invalid"), ("https://[::1", "location-invalid"), (" ", "location-invalid"),
      ("ftp://news.example/", "location-not-http"), ("file:///etc/passwd", "location-not-http"),
      ("javascript:alert(1)", "location-not-http"), ("data:,x", "location-not-http"),
      ("ftp://news.example\(TriggerURL.pathPrefix)12", "location-not-http"),
    ])
  func badLocation(_ location: String, _ code: String) async throws {
    let (outcome, requests) = try await load(["https://news.example/pixel": .redirect(location)])
    #expect(requests.count == 1)
    #expect(outcome.error?.code == code)
    #expect(outcome.hops.map { $0.error?.code } == [code])
    #expect(outcome.triggeringEvents.isEmpty)
  }

  @Test("twenty redirects are followed, and the next is one too many")
  func limit() async throws {
    var pages: [String: Web.Page] = [:]
    for number in 0...20 { pages["https://news.example/\(number)"] = .redirect("\(number + 1)") }
    pages["https://news.example/20"] = .redirect("\(Self.trigger)12")
    let (outcome, requests) = try await load(pages, "https://news.example/0")
    #expect(requests.count == 21)
    #expect(outcome.hops.count == 21)
    #expect(outcome.error?.code == "too-many-redirects")
    #expect(outcome.hops.allSatisfy { $0.error == nil })
    #expect(outcome.triggeringEvents.isEmpty)
    pages["https://news.example/20"] = Web.Page()
    #expect(try await load(pages, "https://news.example/0").0.error == nil)
  }

  @Test("a fragment goes along with redirects, and a trigger URL with one is refused")
  func fragments() async throws {
    let scene = try await Scene(
      transport: Web([
        "https://news.example/a#part": .redirect("/b"), "https://news.example/b#part": .redirect("\(Self.trigger)12"),
      ]).transport)
    try await scene.click(4)
    let outcome = try await load(scene, "https://news.example/a#part")
    #expect(outcome.hops.map(\.url).last == "\(Self.trigger)12#part")
    #expect(outcome.triggeringEvents.map { $0.reasons.map(\.code) } == [["has-fragment"]])
  }

  @Test("credentials in a target are seen by the rules, and not sent")
  func credentials() async throws {
    let (outcome, requests) = try await load(
      ["https://news.example/pixel": .redirect("https://user:secret@news.example\(TriggerURL.pathPrefix)12")])
    #expect(outcome.triggeringEvents.map { $0.reasons.map(\.code) } == [["has-credentials"]])
    #expect(requests.map(\.url).last == "\(Self.trigger)12")
    #expect(outcome.hops.first?.location == "https://removed@news.example\(TriggerURL.pathPrefix)12")
  }

  @Test("credentials in the attributionSource of a target are sent, and not shown")
  func credentialsOfASource() async throws {
    let target = "\(Self.trigger)12?attributionSource=https://user:secret@news.example"
    let (outcome, requests) = try await load(["https://news.example/pixel": .redirect(target)])
    #expect(outcome.triggeringEvents.map { $0.reasons.map(\.code) } == [["source-parameter-invalid"]])
    #expect(requests.map(\.url).last == target)
    let shown =
      outcome.hops.flatMap { [$0.url, $0.location ?? ""] } + outcome.triggeringEvents.flatMap { $0.reasons.map(\.detail) }
    #expect(!shown.contains { $0.contains("secret") }, "\(shown)")
  }

  @Test("a redirect is followed although its body broke off")
  func brokenBody() async throws {
    let transport = ScriptedTransport { request, number in
      number == 1
        ? Exchange(httpStatus: 302, failure: TransportFailure(.connectionLost, "reset"), location: "/next")
        : Exchange(httpStatus: 200)
    }
    let outcome = try await load(try await Scene(transport: transport))
    #expect(outcome.hops.map(\.status) == [302, 200])
    #expect(outcome.error == nil)
  }

  @Test("disabled measurement is reported for each trigger, and the load goes on")
  func measurementOff() async throws {
    let scene = try await Scene(
      settings: SettingsChange(measurementEnabled: false),
      transport: Web(["https://news.example/pixel": .redirect("\(Self.trigger)12")]).transport)
    let outcome = try await load(scene)
    #expect(outcome.triggeringEvents.map { $0.reasons.map(\.code) } == [["measurement-disabled"]])
    #expect(outcome.hops.count == 2)
  }

  @Test("an http image of the largest size cannot be upgraded, and the load says so")
  func upgradeTooLong() async throws {
    let url = "http://news.example/" + String(repeating: "a", count: 8_192 - 20)
    let (outcome, requests) = try await load([:], url)
    #expect(outcome.error?.code == "location-invalid" && requests.isEmpty)
  }

  @Test("a load under an app's page asks for the app's clicks")
  func app() async throws {
    let scene = try await Scene(transport: Web(["https://news.example/pixel": .redirect("\(Self.trigger)12")]).transport)
    try await scene.click(4, app: Scene.app)
    let input = LoadInput(firstPartyURL: Self.page, url: "https://news.example/pixel", bundleIdentifier: Scene.app)
    #expect(try await scene.browser.load(input).triggeringEvents.map(\.kind) == [.attributed])
  }

  @Test("the end of a private session ends its loads: no trigger of theirs reaches the normal session")
  func privateSessionEnds() async throws {
    let (asked, ask) = AsyncStream.makeStream(of: Void.self)
    let (released, release) = AsyncStream.makeStream(of: Void.self)
    let scene = try await Scene(
      transport: ScriptedTransport { _, _ in
        ask.yield()
        for await _ in released { break }
        return Exchange(httpStatus: 302, location: "\(Self.trigger)12", cookies: [])
      })
    try await scene.click(4)
    try await scene.browser.change(SettingsChange(privateBrowsing: true))
    async let loading = load(scene)
    for await _ in asked { break }
    try await scene.browser.change(SettingsChange(privateBrowsing: false))
    release.finish()
    let outcome = try await loading
    #expect(outcome.error?.code == "session-ended")
    #expect(outcome.triggeringEvents.isEmpty)
    #expect(try await scene.measurements().unattributed.count == 1)
  }

  @Test("an impossible value is named by its member")
  func badInput() async throws {
    let scene = try await Scene()
    let input = LoadInput(firstPartyURL: "shop.example", url: "about:blank", method: "HEAD", bundleIdentifier: "")
    await #expect {
      try await scene.browser.load(input)
    } throws: { error in
      guard case BrowserError.invalidInput(let problems) = error else { return false }
      return problems.map(\.path) == [["firstPartyURL"], ["url"], ["method"], ["bundleIdentifier"]]
    }
    #expect(await scene.transport.requests.isEmpty)
  }
}
