import BrowserSupport
import NIOConcurrencyHelpers
import PCMBrowser
import PCMCore
import PCMNetwork
import PCMSimulatedSites
import PCMStore
import Testing

/// Copies of browsers.
@Suite struct ForkTests {
  /// Makes a history of stored clicks, a scheduled report, a delivered report, tokens, and cookies.
  private func live(in scene: Scene) async throws {
    try await scene.browser.use(.simulated)
    var unavailable = SiteBehavior.Response.good
    unavailable.status = 503
    _ = try await scene.browser.put(SiteBehavior(report: [unavailable, unavailable, .good]), at: "shop.example")
    try await scene.click(4, nonce: TokenTests.nonce)
    try await scene.trigger("12/03")
    _ = try await scene.browser.advance(.toNextEvent)
    try await scene.click(5, to: "other.example")
    try await scene.embeddedTap(6)
  }

  /// More operations, which draw numbers, send reports, and use the apps and sites.
  private func more(_ browser: Browser) async throws {
    let tap = EventAttributionInput(bundleIdentifier: Scene.app, sourceIdentifier: 7, destinationURL: "https://third.example/")
    _ = try await browser.perform(tap)
    for site in ["other", "third"] {
      _ = try await browser.perform(
        TriggeringEventInput(
          firstPartyURL: "https://\(site).example/", pixelOf: Scene.source, triggerData: 1, priority: 2))
    }
    _ = try await browser.advance(.by(.days(3)))
    _ = try await browser.load(LoadInput(firstPartyURL: "https://shop.example/", url: "https://shop.example/a"))
    _ = try await browser.advance(.untilIdle(within: nil))
  }

  private struct Trace: Equatable {
    let log: [String]
    let reports: [Report]
    let state: BrowserState
  }

  private func trace(_ browser: Browser, in store: any Store) async throws -> Trace {
    let log = try await browser.events(after: 0, limit: 10_000).map { event in
      "\(event.sequence) \(event.at.text) \(event.kind.rawValue) \(event.detail.text)"
    }
    let reports = try await browser.reports()
    return Trace(log: log, reports: reports, state: try await store.read(browser.record.id) { try $0.state() })
  }

  @Test("With the same operations, a browser and its copy continue byte for byte alike")
  func determinism() async throws {
    let store = MemoryStore()
    let scene = try await Scene(settings: SettingsChange(deliveryPolicy: .reliable), store: store)
    try await live(in: scene)
    let fork = try await scene.browsers.fork(scene.browser, as: "fork").browser
    #expect(try await trace(fork, in: store) == trace(scene.browser, in: store))
    let before = try await trace(fork, in: store).log.count
    try await more(scene.browser)
    try await more(fork)
    let (one, other) = (try await trace(scene.browser, in: store), try await trace(fork, in: store))
    #expect(one == other)
    #expect(one.log.count > before + 10)
    #expect(one.reports.contains { $0.attempts.count == 3 && $0.state == .delivered }, "the script continues")
    #expect(fork.record.start == scene.browser.record.start)
    #expect(try await fork.networkMode() == .simulated)
    #expect(try await fork.registeredApps() == scene.browser.registeredApps())
  }

  @Test("The operations of a browser do not change its copy, nor the other way around")
  func independence() async throws {
    let store = MemoryStore()
    let scene = try await Scene(store: store)
    try await live(in: scene)
    let fork = try await scene.browsers.fork(scene.browser, as: "fork").browser
    for (active, passive) in [(scene.browser, fork), (fork, scene.browser)] {
      let (before, activeBefore) = (try await trace(passive, in: store), try await trace(active, in: store))
      try await more(active)
      try await active.change(SettingsChange(debugMode: true))
      try await active.remove(app: Scene.app)
      try await active.removeSite("shop.example")
      try await active.clear(nil)
      #expect(try await trace(passive, in: store) == before)
      #expect(try await trace(active, in: store) != activeBefore)
    }
  }

  @Test("A copy is made after the report that is being sent, and after the move of the clock")
  func reportInFlight() async throws {
    let forks = NIOLockedValueBox<Task<Browser, any Error>?>(nil)
    let begin = NIOLockedValueBox<(@Sendable () -> Task<Browser, any Error>)?>(nil)
    let scene = try await Scene(
      transport: ScriptedTransport { _, number in
        if number == 1 { forks.withLockedValue { $0 = begin.withLockedValue { $0 }?() } }
        return Exchange(httpStatus: 200)
      })
    // A detached task does not belong to the move.
    begin.withLockedValue { $0 = { Task.detached { try await scene.browsers.fork(scene.browser, as: "fork").browser } } }
    try await scene.click(4)
    try await scene.trigger("12/03")
    let end = try await scene.advance(.hours(49)).now
    let fork = try await #require(forks.withLockedValue { $0 }).value
    #expect(try await fork.configuration().now == end)
    #expect(try await fork.reports().map(\.state) == [.delivered, .delivered])
    #expect(await scene.transport.requests.count == 2)
  }

  @Test("A copy needs a free name, and gets a generated one without any")
  func names() async throws {
    let scene = try await Scene()
    await #expect(throws: StoreError.browserExists(name: "test")) {
      try await scene.browsers.fork(scene.browser, as: "test").browser
    }
    let fork = try await scene.browsers.fork(scene.browser, as: nil).browser
    #expect(fork.record.name == "browser-seed")
    #expect(try await scene.browsers.browser("browser-seed").record == fork.record)
  }

  @Test("A copy survives a restart")
  func restart() async throws {
    let store = MemoryStore()
    let scene = try await Scene(store: store)
    try await live(in: scene)
    let fork = try await scene.browsers.fork(scene.browser, as: "fork").browser
    let before = try await trace(fork, in: store)
    let again = try await Scene(restarting: store)
    #expect(try await trace(again.browsers.browser("fork"), in: store) == before)
  }
}
