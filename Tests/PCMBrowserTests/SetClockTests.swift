import BrowserSupport
import NIOConcurrencyHelpers
import PCMCore
import PCMDelivery
import PCMStore
import Testing

@testable import PCMBrowser

/// Browsers on the real clock while the machine's clock is set forward and back.
@Suite struct SetClockTests {
  private static let later = Scene.start + .days(1_000)

  @Test("a reading leaves no trace: after a jump of the clock and back, the browser has the machine's time")
  func reading() async throws {
    let machine = SetClock()
    let scene = try await Scene(wallClock: machine.wallClock)
    let browser = try scene.browsers.browser(Browsers.defaultName)
    machine.set(Self.later)
    #expect(browser.configuration.now == Self.later)
    _ = try await browser.explain(.destination(Scene.destination))
    _ = try await browser.eventPage(after: 0, limit: 10)
    _ = try await browser.clicks(limit: 10)
    machine.set(Scene.start + .seconds(1))
    #expect(browser.configuration.now == Scene.start + .seconds(1))
    #expect(browser.configuration.ahead == nil)
    try await Self.click(in: browser)
    #expect(try await browser.events(after: 0, limit: 10).map(\.at) == [Scene.start + .seconds(1)])
  }

  @Test("a decision that is not committed leaves no trace")
  func failedWrite() async throws {
    let (machine, store) = (SetClock(), HeldStore())
    let scene = try await Scene(store: store, wallClock: machine.wallClock)
    let browser = try scene.browsers.browser(Browsers.defaultName)
    machine.set(Self.later)
    store.holdNextWrite()
    let click = Task { try await Self.click(in: browser) }
    await store.untilHeld()
    store.refuse()
    await #expect(throws: HeldStore.refusal) { try await click.value }
    machine.set(Scene.start)
    #expect(browser.configuration.now == Scene.start)
    #expect(browser.configuration.ahead == nil)
  }

  @Test("the log never goes back, and a browser reports how far it is ahead, until the clock has caught up")
  func ahead() async throws {
    let machine = SetClock()
    let scene = try await Scene(wallClock: machine.wallClock)
    let browser = try scene.browsers.browser(Browsers.defaultName)
    machine.set(Self.later)
    try await Self.click(in: browser)
    #expect(browser.configuration.ahead == nil)
    machine.set(Scene.start)
    #expect(browser.configuration.ahead == .days(1_000))
    let click = try await Self.click(in: browser, id: "5")
    #expect(click.at == Self.later)
    let record = try await browser.click(named: RecordName.click(click.sequence))
    #expect(record == click.record)
    #expect(record.click?.click.clickedAt == Scene.start, "the rules follow the clock")
    machine.set(Self.later + .seconds(1))
    #expect(browser.configuration.ahead == nil)
    try await Self.click(in: browser, id: "6")
    let instants = try await browser.events(after: 0, limit: 10).map(\.at)
    #expect(instants == instants.sorted())
    #expect(instants.last == Self.later + .seconds(1))
  }

  @Test("a click of a browser that is ahead expires by the clock, also in the list of clicks")
  func expiry() async throws {
    let machine = SetClock(Self.later)
    let scene = try await Scene(wallClock: machine.wallClock)
    let browser = try scene.browsers.browser(Browsers.defaultName)
    try await Self.click(in: browser)
    machine.set(Scene.start)
    let click = try await Self.click(in: browser, id: "5")
    machine.set(Scene.start + Click.lifetime + .seconds(1))
    try await Self.click(in: browser, id: "6", to: "other.example")
    let record = try await browser.click(named: RecordName.click(click.sequence))
    #expect(record.state == .expired)
    #expect(record.click?.click.expiresAt == Scene.start + Click.lifetime)
  }

  @Test("the log does not go back at a restart after the clock was set back")
  func restart() async throws {
    let (machine, store) = (SetClock(Self.later), MemoryStore())
    let scene = try await Scene(store: store, wallClock: machine.wallClock)
    try await Self.click(in: try scene.browsers.browser(Browsers.defaultName))
    machine.set(Scene.start)
    let again = try await Self.restarted(store, machine)
    #expect(again.configuration.ahead == .days(1_000))
    try await Self.click(in: again, id: "5")
    #expect(try await again.events(after: 0, limit: 10).map(\.at).allSatisfy { $0 == Self.later })
  }

  @Test("a manual clock has the time of its last event at a restart, though the move that led there was not committed")
  func failedMove() async throws {
    let store = HeldStore()
    let scene = try await Scene(store: store)
    let count = store.writeCount
    store.holdNextWrite()
    let moving = Task { try await scene.browser.step(at: Scene.start + .hours(1)) }
    await store.untilHeld()
    let click = Task { try await scene.click(3) }
    while store.writeCount < count + 2 { await Task.yield() }
    store.refuse()
    await #expect(throws: HeldStore.refusal) { try await moving.value }
    _ = try await click.value
    let again = try await Scene(restarting: store)
    #expect(again.browser.configuration.now == Scene.start + .hours(1))
    try await again.click(4)
    let instants = try await again.browser.events(after: 0, limit: 100).map(\.at)
    #expect(instants == instants.sorted())
  }

  // MARK: Due times

  /// The instants that the machine's clock shows after the next sleeps. Then each sleep moves it as far as it should.
  static let jumps: [(name: String, attributesAt: Instant, jumps: [Instant])] = [
    ("a forward jump, and back", Scene.start, [later, Scene.start]),
    ("a jump to before the browser, and forward", Scene.start, [Scene.start - .days(1_000), Scene.start]),
    ("an attribution while the clock is ahead", later, [Scene.start]),
  ]

  @Test(
    "reports leave within 48 hours and a gap, however the clock is set", .timeLimit(.minutes(10)), arguments: jumps.indices)
  func dueTimes(_ index: Int) async throws {
    let (name, start, jumps) = Self.jumps[index]
    let machine = SetClock()
    let realTime = RealTime(wallClock: machine.wallClock) { machine.sleep(until: $0) }
    let browsers = try await Self.browsers(MemoryStore(), machine, realTime)
    let browser = try browsers.browser(Browsers.defaultName)
    machine.set(start)
    machine.jump(to: jumps)
    try await Self.attribute(in: browser)
    async let running: Void = realTime.run { _, error in Issue.record(error) }
    while try await browser.reports(in: [.delivered]).count < 2 {
      try Task.checkCancellation()
      await Task.yield()
    }
    realTime.stop()
    await running
    #expect(machine.now >= Scene.start + .hours(24), "\(name)")
    #expect(machine.now <= Scene.start + .hours(48) + .minutes(31), "\(name)")
    let instants = try await browser.events(after: 0, limit: 100).map(\.at)
    #expect(instants == instants.sorted())
  }

  @Test("a restart corrects what was scheduled while the clock was ahead")
  func dueTimesAfterRestart() async throws {
    let (machine, store) = (SetClock(), MemoryStore())
    let scene = try await Scene(store: store, wallClock: machine.wallClock)
    let browser = try scene.browsers.browser(Browsers.defaultName)
    machine.set(Self.later)
    try await Self.attribute(in: browser)
    let before = try await browser.reports().map(\.dueAt)
    machine.set(Scene.start)
    let again = try await Self.restarted(store, machine)
    let reports = try await again.reports()
    #expect(reports.map(\.dueAt) == before.map { $0 - .days(1_000) })
    let pending = try #require(try await again.measurements(limit: 10).attributed.first)
    #expect([pending.source?.dueAt, pending.destination?.dueAt] == reports.map(\.dueAt))
    #expect(try await store.read(again.record.id) { try $0.state().timer } == Scene.start + .seconds(5))
  }

  @Test("a restart corrects the time of a retry")
  func retryAfterRestart() async throws {
    let (machine, store) = (SetClock(), MemoryStore())
    let failing = ScriptedTransport { _, _ in Exchange(httpStatus: 503) }
    let scene = try await Scene(store: store, transport: failing, wallClock: machine.wallClock)
    let browser = try scene.browsers.browser(Browsers.defaultName)
    try await browser.change(SettingsChange(deliveryPolicy: .reliable))
    machine.set(Self.later)
    try await Self.attribute(in: browser)
    for _ in 1...2 {
      let due = try #require(try await browser.reports(in: [.scheduled]).filter { $0.retryAt == nil }.map(\.dueAt).min())
      machine.set(due)
      try await browser.step(at: due)
    }
    #expect(try await browser.reports().count { $0.retryAt != nil } == 2)
    machine.set(Scene.start)
    let again = try await Self.restarted(store, machine)
    #expect(try await again.reports().allSatisfy { $0.retryAt == Scene.start + .hours(6) + .minutes(36) })
  }

  // MARK: Idle browsers

  @Test("a jump of the clock makes no browser idle", arguments: [Self.later, Scene.start - .days(1_000)])
  func idle(_ target: Instant) async throws {
    let machine = SetClock()
    let rounds = NIOLockedValueBox(0)
    let browsers = try await Self.browsers(
      MemoryStore(), machine, RealTime(wallClock: machine.wallClock, sleep: Scene.endlessSleep)
    ) { instant in
      try rounds.withLockedValue { rounds in
        rounds += 1
        // Three rounds of 15 seconds do not make a minute.
        guard rounds <= 3 else { throw CancellationError() }
      }
      machine.sleep(until: instant)
    }
    _ = try await browsers.put("used", BrowserSpecification(idleTimeout: .minutes(1)))
    machine.jump(to: [target])
    await browsers.removeIdleBrowsers(every: .seconds(15)) { _, error in Issue.record(error) }
    let browser = try browsers.browser("used")
    #expect(machine.now == target + .seconds(30))
    #expect(browser.isIdle(at: target + .minutes(1)))
  }

  @Test(
    "a browser that is used after a jump of the clock is idle after its timeout",
    arguments: [Self.later, Scene.start - .hours(1)])
  func useAfterJump(_ target: Instant) async throws {
    let machine = SetClock()
    let rounds = NIOLockedValueBox(0)
    let inUse = NIOLockedValueBox<Browser?>(nil)
    let browsers = try await Self.browsers(
      MemoryStore(), machine, RealTime(wallClock: machine.wallClock, sleep: Scene.endlessSleep)
    ) { instant in
      try rounds.withLockedValue { rounds in
        rounds += 1
        guard rounds <= 2 else { throw CancellationError() }
      }
      machine.sleep(until: instant)
      inUse.withLockedValue { browser in
        browser?.noteUse()
        browser = nil
      }
    }
    _ = try await browsers.put("used", BrowserSpecification(idleTimeout: .minutes(1)))
    machine.jump(to: [target])
    inUse.withLockedValue { $0 = try? browsers.browser("used") }
    await browsers.removeIdleBrowsers(every: .seconds(15)) { _, error in Issue.record(error) }
    let browser = try browsers.browser("used")
    #expect(!browser.isIdle(at: machine.now))
    #expect(browser.isIdle(at: machine.now + .minutes(1)))
  }

  // MARK: Stage

  static func browsers(
    _ store: any Store, _ machine: SetClock, _ realTime: RealTime,
    sleep: @escaping @Sendable (Instant) async throws -> Void = Scene.noSleep
  ) async throws -> Browsers {
    let base = try await Scene().world
    let world = World(
      transport: base.transport, route: base.route, sites: base.sites, wallClock: machine.wallClock, sleep: sleep)
    let browsers = Browsers(world: world, durable: store, ephemeral: MemoryStore(), realTime: realTime, newSeed: { "s" })
    try await browsers.load()
    return browsers
  }

  private static func restarted(_ store: any Store, _ machine: SetClock) async throws -> Browser {
    let realTime = RealTime(wallClock: machine.wallClock, sleep: Scene.endlessSleep)
    return try await browsers(store, machine, realTime).browser(Browsers.defaultName)
  }

  @discardableResult
  private static func click(in browser: Browser, id: String = "4", to site: String = "shop.example") async throws
    -> ClickOutcome
  {
    try await browser.follow(
      LinkClickInput(pageURL: "https://news.example/", attributionSourceID: id, attributionDestination: "https://\(site)"))
  }

  private static func attribute(in browser: Browser) async throws {
    try await click(in: browser)
    let outcome = try await browser.observe(
      TriggeringEventInput(
        firstPartyURL: "https://shop.example/", redirectFrom: "https://news.example/p",
        redirectTo: "https://news.example\(TriggerURL.pathPrefix)12"))
    #expect(outcome.kind == .attributed)
  }
}

/// A machine's clock that tests set, and that moves when a task sleeps.
final class SetClock: Sendable {
  private let state: NIOLockedValueBox<(now: Instant, jumps: [Instant])>

  init(_ now: Instant = Scene.start) { state = NIOLockedValueBox((now, [])) }

  var now: Instant { state.withLockedValue { $0.now } }

  var wallClock: @Sendable () -> Instant { { self.now } }

  func set(_ instant: Instant) { state.withLockedValue { $0.now = instant } }

  /// Sets the clock during each of the next sleeps.
  func jump(to instants: [Instant]) { state.withLockedValue { $0.jumps = instants } }

  func sleep(until instant: Instant) {
    state.withLockedValue { state in
      state.now = state.jumps.isEmpty ? max(state.now, instant) : state.jumps.removeFirst()
    }
  }
}
