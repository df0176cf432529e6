import BrowserSupport
import PCMCore
import PCMStore
import Testing

@testable import PCMBrowser

/// What the sleeper of the real clocks keeps.
@Suite struct RealTimeTests {
  private let realTime = RealTime(wallClock: { Scene.start }, sleep: Scene.endlessSleep)

  @Test("a browser has one entry, however often it announces when it is due")
  func oneEntry() async throws {
    let browser = try await browsers().browser(Browsers.defaultName)
    for version in 1...1_000 as ClosedRange<Int64> {
      let due = Scene.start + .hours(48) - .seconds(version / 2)
      realTime.schedule(browser, Due(at: due, version: version))
    }
    #expect(realTime.count == 1)
    realTime.schedule(browser, Due(at: nil, version: 1_001))
    #expect(realTime.count == 0, "nothing is due any more")
  }

  @Test("a deleted browser is not kept")
  func deletedBrowser() async throws {
    let browsers = try await browsers()
    let kept = Reference(browser: try await Self.makeDue(in: browsers))
    #expect(kept.browser != nil)
    #expect(realTime.count == 1)
    try await browsers.delete("short-lived")
    #expect(realTime.count == 0)
    #expect(kept.browser == nil)
  }

  private struct Reference {
    weak var browser: Browser?
  }

  @Test("an announcement that arrives after the deletion of its browser has no effect")
  func lateAnnouncement() async throws {
    let browsers = try await browsers()
    let browser = try await Self.makeDue(in: browsers)
    try await browsers.delete("short-lived")
    realTime.schedule(browser, Due(at: Scene.start + .hours(1), version: .max))
    #expect(realTime.count == 0)
  }

  @Test(
    "after a restart, a browser that only has retries to send is announced, once measurement is on", arguments: [true, false])
  func retryAfterRestart(_ measurementEnabled: Bool) async throws {
    let store = MemoryStore()
    let scene = try await Scene(store: store)
    let real = try await scene.browsers.browser(Browsers.defaultName)
    try await real.change(SettingsChange(measurementEnabled: measurementEnabled, deliveryPolicy: .reliable))
    try await store.write(real.record.id) { writer in
      // Both halves were sent, so the attribution is gone, and the timer has fired for the last time.
      let key = ClickKey(source: Site("news.example"), destination: Site("shop.example"), bundleIdentifier: "b")
      try writer.save(
        Report(
          id: 3, attribution: 2, session: .normal, key: key, recipient: .source, url: ReportBody.url(at: key.source),
          body: "{}", dueAt: Scene.start, retryAt: Scene.start + .hours(1), attempts: ["{}"]))
    }
    let browsers = Browsers(
      world: scene.world, durable: store, ephemeral: MemoryStore(), realTime: realTime, newSeed: { "s" })
    try await browsers.load()
    #expect(realTime.count == (measurementEnabled ? 1 : 0))
    try await browsers.browser(Browsers.defaultName).change(SettingsChange(measurementEnabled: true))
    #expect(realTime.count == 1)
  }

  @Test("a click has the time of the user's action, at most a minute before the browser's time", arguments: [0, 1, 60_000])
  func clickedAt(_ age: Int64) async throws {
    let browser = try await browsers().browser(Browsers.defaultName)
    var link = LinkClickInput(
      pageURL: "https://news.example/", attributionSourceID: "4", attributionDestination: "https://shop.example")
    link.clickedAt = Scene.start - Interval(milliseconds: age)
    let click = try #require(try await browser.perform(link).click)
    #expect(click.click.clickedAt == link.clickedAt)
    #expect(click.click.expiresAt == Scene.start - Interval(milliseconds: age) + .days(7))
    for wrong in [Scene.start + Interval(milliseconds: 1), Scene.start - Interval(milliseconds: 60_001)] {
      link.clickedAt = wrong
      let late = link
      await #expect(throws: BrowserError.self) { _ = try await browser.perform(late) }
    }
  }

  private func browsers() async throws -> Browsers {
    let scene = try await Scene()
    let browsers = Browsers(
      world: scene.world, durable: MemoryStore(), ephemeral: MemoryStore(), realTime: realTime, newSeed: { "s" })
    try await browsers.load()
    return browsers
  }

  /// A browser on the real clock with two reports to send.
  private static func makeDue(in browsers: Browsers) async throws -> Browser {
    let (browser, _) = try await browsers.put("short-lived", BrowserSpecification())
    _ = try await browser.perform(
      LinkClickInput(pageURL: "https://news.example/", attributionSourceID: "4", attributionDestination: "https://shop.example")
    )
    _ = try await browser.perform(
      TriggeringEventInput(
        firstPartyURL: "https://shop.example/", redirectFrom: "https://news.example/p",
        redirectTo: "https://news.example\(TriggerURL.pathPrefix)12"))
    return browser
  }
}
