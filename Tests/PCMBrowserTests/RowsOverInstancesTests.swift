import BrowserSupport
import NIOConcurrencyHelpers
import PCMCore
import PCMNetwork
import PCMSimulatedSites
import PCMStore
import Testing

@testable import PCMBrowser

/// Loads that alternate over two instances of one browser: a load depends on the rows, and not on the instance.
@Suite struct RowsOverInstancesTests {
  @Test("The responses of a list come in their order, and a site that one instance changes is changed for the other")
  func sites() async throws {
    let (one, other) = try await instances()
    try await one.browser.use(.simulated)
    let answers = ["/1", "/2", "/3", "/4"].map { location in
      var response = SiteBehavior.Response.good
      (response.status, response.location) = (302, "https://end.example\(location)")
      return response
    }
    _ = try await other.browser.put(SiteBehavior(loads: ["/pixel": answers]), at: Self.source)
    for (scene, location) in zip([one, other, one, other, one], ["/1", "/2", "/3", "/4", "/4"]) {
      #expect(try await load(in: scene).hops.first?.location == "https://end.example\(location)")
    }
    _ = try await one.browser.put(SiteBehavior(loads: ["/pixel": [.good]]), at: Self.source)
    #expect(try await load(in: other).hops.map(\.status) == [200])
  }

  @Test("A cookie that a load of one instance receives is sent by the other, until it expires or is removed")
  func cookies() async throws {
    let expiry = Scene.start + .hours(1)
    let cookie = Self.cookie("a", expires: expiry)
    let pages = NIOLockedValueBox<[Cookie]?>([cookie])
    let transport = ScriptedTransport { request, _ in
      Exchange(httpStatus: 200, cookies: pages.withLockedValue { $0 } ?? request.cookies)
    }
    let (one, other) = try await instances(transport)
    _ = try await load(in: one)
    pages.withLockedValue { $0 = nil }
    _ = try await load(in: other)
    #expect(await transport.requests.map(\.cookies) == [[], [cookie]])
    try await one.advance(.minutes(30))
    _ = try await load(in: other)
    let later = Self.cookie("a", expires: expiry - .minutes(30))
    #expect(await transport.requests.last?.cookies == [later], "its lifetime is of the browser's clock")
    try await other.advance(.hours(1))
    _ = try await load(in: one)
    #expect(await transport.requests.last?.cookies == [])
    pages.withLockedValue { $0 = [Self.cookie("b")] }
    _ = try await load(in: other)
    try await one.browser.clear(Site(Self.source))
    _ = try await load(in: other)
    #expect(await transport.requests.last?.cookies == [])
  }

  @Test("The cookies of a private session end with it, also when a load of another instance received them")
  func privateSession() async throws {
    let network = HeldNetwork()
    let (one, other) = try await instances(network.transport)
    try await one.browser.changeCookies { jars in
      jars[jars.session(isPrivate: false)] = CookieJar([Self.cookie("a")])
      jars[jars.session(isPrivate: true)] = CookieJar([Self.cookie("b")])
    }
    #expect(try await cookies(of: other, isPrivate: true) == [Self.cookie("b")])
    try await other.browser.change(SettingsChange(privateBrowsing: true))
    let loading = Task { try await load(in: one) }
    await network.untilRequest()
    #expect(await network.transport.requests.last?.cookies == [Self.cookie("b")])
    try await other.browser.change(SettingsChange(privateBrowsing: false))
    network.gate.open()
    #expect(try await loading.value.error?.code == "session-ended")
    #expect(try await cookies(of: one, isPrivate: true).isEmpty)
    #expect(try await cookies(of: one, isPrivate: false) == [Self.cookie("a")])
    #expect(one.browser.withState { $0.cookies[.normal].cookies.isEmpty })
  }

  @Test("A store with one owner stores no cookies")
  func memory() async throws {
    let store = MemoryStore()
    let scene = try await Scene(
      store: store, transport: ScriptedTransport { _, _ in Exchange(httpStatus: 200, cookies: [Self.cookie("a")]) })
    for _ in 0..<2 { _ = try await load(in: scene) }
    #expect(await scene.transport.requests.last?.cookies == [Self.cookie("a")])
    let row = try await store.read(scene.browser.record.id) { try $0.common(.cookies) }
    #expect(row == nil)
  }

  @Test("An ephemeral browser is stored until it is idle, so that the other instance finds it")
  func ephemeral() async throws {
    let (one, other) = try await instances()
    let specification = BrowserSpecification(storage: .ephemeral)
    let (browser, _) = try await one.browsers.put("short", specification)
    #expect(browser.storage == .durable)
    #expect(try await browser.configuration().upkeep.idleTimeout == .hours(1))
    let (confirmed, isNew) = try await other.browsers.put("short", specification)
    #expect(!isNew && confirmed.record == browser.record)
    let given = BrowserSpecification(storage: .ephemeral, idleTimeout: .minutes(5))
    #expect(try await one.browsers.put("given", given).0.configuration().upkeep.idleTimeout == .minutes(5))
    let endless = BrowserSpecification(storage: .ephemeral, idleTimeout: .seconds(0))
    await #expect(throws: BrowserError.self) { try await one.browsers.put("endless", endless) }
    #expect(try await other.browsers.put("durable", BrowserSpecification()).0.configuration().upkeep.idleTimeout == nil)
  }

  // MARK: Stage

  private static func cookie(_ name: String, expires: Instant? = nil) -> Cookie {
    Cookie(domain: source, name: name, value: "1", expires: expires)
  }

  private func cookies(of scene: Scene, isPrivate: Bool) async throws -> [Cookie] {
    let jars = try await scene.browser.cookies()
    return jars[jars.session(isPrivate: isPrivate)].cookies
  }

  private static let source = "news.example"

  private func load(in scene: Scene) async throws -> LoadOutcome {
    try await scene.browser.load(LoadInput(firstPartyURL: "https://shop.example/", url: "https://\(Self.source)/pixel"))
  }

  private func instances(_ transport: ScriptedTransport = ScriptedTransport()) async throws -> (Scene, Scene) {
    let (store, otherStore) = InstanceStore.pair()
    return (
      try await Scene(store: store, transport: transport), try await Scene(restarting: otherStore, transport: transport)
    )
  }
}
