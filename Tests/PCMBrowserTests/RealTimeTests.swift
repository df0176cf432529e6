import BrowserSupport
import NIOConcurrencyHelpers
import PCMCore
import PCMStore
import Testing

@testable import PCMBrowser

/// When browsers on the real clock are due, and how they are run.
@Suite struct RealTimeTests {
  private let realTime = RealTime(wallClock: { Scene.start }, sleep: Scene.endlessSleep)

  @Test("a browser's row has the time at which it is due next, which each call saves with its effect")
  func savedTime() async throws {
    let store = MemoryStore()
    let browsers = try await browsers(store)
    #expect(try await store.nextDueTime() == nil)
    let browser = try await Self.makeDue(in: browsers)
    let due = try await browser.reports().map(\.dueAt).min()
    #expect(try await store.nextDueTime() == due)
    try await browser.change(SettingsChange(measurementEnabled: false))
    #expect(try await store.nextDueTime() == nil)
    try await browser.change(SettingsChange(measurementEnabled: true))
    #expect(try await store.nextDueTime() == due)
  }

  @Test("a deleted browser is not kept")
  func deletedBrowser() async throws {
    let store = MemoryStore()
    let browsers = try await browsers(store)
    let kept = Reference(browser: try await Self.makeDue(in: browsers))
    #expect(kept.browser != nil)
    try await browsers.delete("short-lived")
    #expect(try await store.nextDueTime() == nil)
    #expect(kept.browser == nil)
  }

  private struct Reference {
    weak var browser: Browser?
  }

  @Test("a browser whose work fails is tried again a minute later")
  func fault() async throws {
    let (machine, failures, faults) = (SetClock(), NIOLockedValueBox(1), NIOLockedValueBox<[String?]>([]))
    let observer = StoreObserver(willCall: { call in
      guard call == "append(_:at:)" else { return }
      try failures.withLockedValue { count in
        guard count == 0 else { return }
        count = 1
        throw StoreError.unavailable("the test refuses this event")
      }
    })
    let store = ObservedStore(MemoryStore(), observer)
    let realTime = RealTime(wallClock: machine.wallClock) { machine.sleep(until: $0) }
    let browsers = try await SetClockTests.browsers(store, machine, realTime)
    let browser = try await Self.makeDue(in: browsers)
    failures.withLockedValue { $0 = 0 }
    async let running: Void = realTime.run(browsers) { record, _ in faults.withLockedValue { $0.append(record?.name) } }
    while try await browser.reports(in: [.delivered]).count < 2 { await Task.yield() }
    realTime.stop()
    await running
    #expect(faults.withLockedValue { $0 } == ["short-lived"])
  }

  @Test("a browser with a damaged row is reported once, and the others are run")
  func damagedRow() async throws {
    let (machine, store, faults) = (SetClock(), MemoryStore(), NIOLockedValueBox<[String?]>([]))
    let realTime = RealTime(wallClock: machine.wallClock) { machine.sleep(until: $0) }
    let browsers = try await SetClockTests.browsers(store, machine, realTime)
    let (damaged, other) = (try await Self.makeDue(in: browsers), try await Self.makeDue("other", in: browsers))
    try await store.write(damaged.record.id) { try $0.save(DeviceRow(.view, "ad", value: "{", changesAt: Scene.start)) }
    async let running: Void = realTime.run(browsers) { record, _ in faults.withLockedValue { $0.append(record?.name) } }
    while try await other.reports(in: [.delivered]).count < 2 { await Task.yield() }
    realTime.stop()
    await running
    #expect(faults.withLockedValue { $0 } == ["short-lived"])
  }

  @Test("a browser is run although the store did not know whether it is claimed", arguments: [true, false])
  func unknownClaim(_ hasEffect: Bool) async throws {
    let (machine, store, faults) = (SetClock(), HeldStore(), NIOLockedValueBox<[String?]>([]))
    let realTime = RealTime(wallClock: machine.wallClock) { machine.sleep(until: $0) }
    let browsers = try await SetClockTests.browsers(store, machine, realTime)
    let browser = try await Self.makeDue(in: browsers)
    store.holdNextWrite()
    async let running: Void = realTime.run(browsers) { record, _ in faults.withLockedValue { $0.append(record?.name) } }
    await store.untilHeld()
    if hasEffect { store.lose() } else { store.refuse() }
    while try await browser.reports(in: [.delivered]).count < 2 { await Task.yield() }
    realTime.stop()
    await running
    #expect(faults.withLockedValue { $0 } == [nil])
  }

  @Test(
    "after a restart, a browser that only has retries to send is due, once measurement is on", arguments: [true, false])
  func retryAfterRestart(_ measurementEnabled: Bool) async throws {
    let (store, retryAt) = (MemoryStore(), Scene.start + .hours(1))
    let scene = try await Scene(store: store)
    let real = try await scene.browsers.browser(Browsers.defaultName)
    try await real.change(SettingsChange(measurementEnabled: measurementEnabled, deliveryPolicy: .reliable))
    try await store.write(real.record.id) { writer in
      // Both halves were sent, so the attribution is gone, and the timer has fired for the last time.
      let key = ClickKey(source: Site("news.example"), destination: Site("shop.example"), bundleIdentifier: "b")
      try writer.save(
        Report(
          id: 3, attribution: 2, session: .normal, key: key, recipient: .source, url: ReportBody.url(at: key.source),
          body: "{}", dueAt: Scene.start, retryAt: retryAt, attempts: [KeptAttempt(text: "{}")]))
    }
    let browsers = try await browsers(store)
    #expect(try await store.nextDueTime() == (measurementEnabled ? retryAt : nil))
    try await browsers.browser(Browsers.defaultName).change(SettingsChange(measurementEnabled: true))
    #expect(try await store.nextDueTime() == retryAt)
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

  private func browsers(_ store: MemoryStore = MemoryStore()) async throws -> Browsers {
    let scene = try await Scene()
    let browsers = Browsers(
      environment: scene.environment, durable: store, ephemeral: MemoryStore(), realTime: realTime, newSeed: { "s" })
    try await browsers.load()
    return browsers
  }

  /// A browser on the real clock with two reports to send.
  private static func makeDue(_ name: String = "short-lived", in browsers: Browsers) async throws -> Browser {
    let (browser, _) = try await browsers.put(name, BrowserSpecification())
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
