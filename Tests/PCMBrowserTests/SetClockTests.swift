import BrowserSupport
import NIOConcurrencyHelpers
import PCMCore
import PCMNetwork
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
    let browser = try await scene.browsers.browser(Browsers.defaultName)
    machine.set(Self.later)
    #expect(try await browser.configuration().now == Self.later)
    _ = try await browser.explain(Scene.destination)
    _ = try await browser.eventPage(after: 0, limit: 10)
    _ = try await browser.clicks(limit: 10)
    machine.set(Scene.start + .seconds(1))
    #expect(try await browser.configuration().now == Scene.start + .seconds(1))
    #expect(try await browser.configuration().ahead == nil)
    try await Self.click(in: browser)
    #expect(try await browser.events(after: 0, limit: 10).map(\.at) == [Scene.start + .seconds(1)])
  }

  @Test("a decision that is not committed leaves no trace")
  func failedWrite() async throws {
    let (machine, store) = (SetClock(), HeldStore())
    let scene = try await Scene(store: store, wallClock: machine.wallClock)
    let browser = try await scene.browsers.browser(Browsers.defaultName)
    machine.set(Self.later)
    store.holdNextWrite()
    let click = Task { try await Self.click(in: browser) }
    await store.untilHeld()
    store.refuse()
    await #expect(throws: HeldStore.refusal) { try await click.value }
    machine.set(Scene.start)
    #expect(try await browser.configuration().now == Scene.start)
    #expect(try await browser.configuration().ahead == nil)
  }

  @Test("a browser whose machine is set back stands still at its last event, until the machine's clock has caught up")
  func ahead() async throws {
    let machine = SetClock()
    let scene = try await Scene(wallClock: machine.wallClock)
    let browser = try await scene.browsers.browser(Browsers.defaultName)
    machine.set(Self.later)
    try await Self.click(in: browser)
    #expect(try await browser.configuration().ahead == nil)
    machine.set(Scene.start)
    #expect(try await browser.configuration().ahead == .days(1_000))
    #expect(try await browser.configuration().now == Self.later)
    let click = try await Self.click(in: browser, id: "5")
    #expect(click.at == Self.later)
    let record = try await browser.click(named: RecordName.click(click.sequence))
    #expect(record == click)
    #expect(record.click?.click.clickedAt == Self.later)
    machine.set(Self.later + .seconds(1))
    #expect(try await browser.configuration().ahead == nil)
    try await Self.click(in: browser, id: "6")
    let instants = try await browser.events(after: 0, limit: 10).map(\.at)
    #expect(instants == instants.sorted())
    #expect(instants.last == Self.later + .seconds(1))
  }

  @Test("a set-back is recorded once, before the first event after it, and each further one when the clock had caught up")
  func event() async throws {
    let (machine, store) = (SetClock(Self.later), MemoryStore())
    let scene = try await Scene(store: store, wallClock: machine.wallClock)
    var browser = try await scene.browsers.browser(Browsers.defaultName)
    try await Self.click(in: browser)
    machine.set(Scene.start)
    try await Self.click(in: browser, id: "5")
    machine.set(Scene.start - .days(1))
    browser = try await Self.restarted(store, machine)
    try await Self.click(in: browser, id: "6")
    let setBack = try #require(try await Self.setBacks(of: browser).first)
    #expect(setBack.sequence == 2 && setBack.at == Self.later)
    #expect(setBack.detail.text == "{\"machineTime\":\"\(Scene.start.text)\"}")
    #expect(try await Self.setBacks(of: browser).count == 1)

    machine.set(Self.later + .days(1))
    try await Self.click(in: browser, id: "7")
    machine.set(Self.later)
    try await Self.click(in: browser, id: "8")
    #expect(try await Self.setBacks(of: browser).map(\.at) == [Self.later, Self.later + .days(1)])
  }

  @Test("a correction of the machine's clock by a minute is no set-back")
  func correction() async throws {
    let machine = SetClock(Self.later)
    let browser = try await Scene(wallClock: machine.wallClock).browsers.browser(Browsers.defaultName)
    try await Self.click(in: browser)
    machine.set(Self.later - .minutes(1))
    #expect(try await Self.click(in: browser, id: "5").at == Self.later)
    #expect(try await Self.setBacks(of: browser).isEmpty)
  }

  @Test("no change is stored while the machine shows a time before 1970, and the browser stays readable")
  func unstorableTime() async throws {
    let (machine, store) = (SetClock(Self.later), MemoryStore())
    let browser = try await Scene(store: store, wallClock: machine.wallClock).browsers.browser(Browsers.defaultName)
    try await Self.click(in: browser)
    let wrong = Instant(milliseconds: -1)
    machine.set(wrong)
    await #expect(throws: StoreError.unstorableTime(wrong)) { try await Self.click(in: browser, id: "5") }
    machine.set(Self.later)
    #expect(try await Self.restarted(store, machine).events(after: 0, limit: 10).count == 1)
  }

  @Test("due times do not move, and a report leaves when the machine's clock has reached its time")
  func dueTimes() async throws {
    let (machine, store) = (SetClock(), MemoryStore())
    let scene = try await Scene(store: store, wallClock: machine.wallClock)
    let browser = try await scene.browsers.browser(Browsers.defaultName)
    machine.set(Self.later)
    try await Self.attribute(in: browser)
    let dues = try await browser.reports().map(\.dueAt)
    machine.set(Scene.start)
    try await browser.runDueWork()
    let again = try await Self.restarted(store, machine)
    try await again.runDueWork()
    #expect(try await again.reports(in: [.scheduled]).map(\.dueAt) == dues)
    machine.set(try #require(dues.min()))
    try await again.runDueWork()
    #expect(try await again.reports(in: [.delivered]).count == 1)
  }

  @Test("the log does not go back at a restart after the clock was set back")
  func restart() async throws {
    let (machine, store) = (SetClock(Self.later), MemoryStore())
    let scene = try await Scene(store: store, wallClock: machine.wallClock)
    try await Self.click(in: try await scene.browsers.browser(Browsers.defaultName))
    machine.set(Scene.start)
    let again = try await Self.restarted(store, machine)
    #expect(try await again.configuration().ahead == .days(1_000))
    try await Self.click(in: again, id: "5")
    #expect(try await again.events(after: 0, limit: 10).allSatisfy { $0.at == Self.later })
  }

  @Test("a manual clock is not earlier than the last event, which may be later than the clock in a file of an older version")
  func earlierManualClock() async throws {
    let (store, later) = (MemoryStore(), Scene.start + .hours(1))
    let scene = try await Scene(store: store)
    _ = try await store.write(scene.browser.record.id) { try $0.append(ClockSetBack(machineTime: later), at: later) }
    #expect(try await scene.browser.configuration().now == later)
    #expect(try await scene.click(4).click?.click.clickedAt == later)
  }

  // MARK: Idle browsers

  @Test("a jump of the clock makes no browser idle", arguments: [Self.later, Scene.start - .days(1_000)])
  func idle(_ target: Instant) async throws {
    let machine = SetClock()
    // Three rounds of 15 seconds do not make a minute.
    let browser = try await Self.browser(afterRounds: 3, ofJumpTo: target, machine)
    #expect(machine.now == target + .seconds(30))
    #expect(browser.isIdle(at: target + .minutes(1)))
  }

  @Test(
    "a browser that is used after a jump of the clock is idle after its timeout",
    arguments: [Self.later, Scene.start - .hours(1)])
  func useAfterJump(_ target: Instant) async throws {
    let machine = SetClock()
    let browser = try await Self.browser(afterRounds: 2, ofJumpTo: target, machine) { $0.noteUse() }
    #expect(!browser.isIdle(at: machine.now))
    #expect(browser.isIdle(at: machine.now + .minutes(1)))
  }

  /// Removes idle browsers in some rounds, and returns a browser that remains, with a timeout of a minute.
  ///
  /// - Parameters:
  ///   - target: The machine's time after the first round.
  ///   - use: Called after the jump.
  private static func browser(
    afterRounds count: Int, ofJumpTo target: Instant, _ machine: SetClock,
    use: @escaping @Sendable (Browser) -> Void = { _ in }
  ) async throws -> Browser {
    let (rounds, used) = (NIOLockedValueBox(0), NIOLockedValueBox<Browser?>(nil))
    let realTime = RealTime(wallClock: machine.wallClock, sleep: Scene.endlessSleep)
    let browsers = try await browsers(MemoryStore(), machine, realTime) { instant in
      try rounds.withLockedValue { rounds in
        rounds += 1
        guard rounds <= count else { throw CancellationError() }
      }
      machine.sleep(until: instant)
      used.withLockedValue { browser in
        browser.map(use)
        browser = nil
      }
    }
    let (browser, _) = try await browsers.put("used", BrowserSpecification(idleTimeout: .minutes(1)))
    machine.jump(to: [target])
    used.withLockedValue { $0 = browser }
    await browsers.removeIdleBrowsers(every: .seconds(15)) { _, error in Issue.record(error) }
    return try await browsers.browser("used")
  }

  // MARK: Stage

  static func browsers(
    _ store: any Store, _ machine: SetClock, _ realTime: RealTime, transport: ScriptedTransport = ScriptedTransport(),
    sleep: @escaping @Sendable (Instant) async throws -> Void = Scene.noSleep
  ) async throws -> Browsers {
    let base = try await Scene(transport: transport).environment
    let environment = BrowserEnvironment(
      transport: base.transport, route: base.route, sites: base.sites, wallClock: machine.wallClock, sleep: sleep)
    let browsers = Browsers(
      environment: environment, durable: store, ephemeral: MemoryStore(), realTime: realTime, newSeed: { "s" })
    try await browsers.load()
    return browsers
  }

  private static func restarted(_ store: any Store, _ machine: SetClock) async throws -> Browser {
    let realTime = RealTime(wallClock: machine.wallClock, sleep: Scene.endlessSleep)
    return try await browsers(store, machine, realTime).browser(Browsers.defaultName)
  }

  private static func setBacks(of browser: Browser) async throws -> [LogEvent] {
    try await browser.events(after: 0, limit: 100).filter { $0.kind == .clockSetBack }
  }

  @discardableResult
  private static func click(in browser: Browser, id: String = "4", to site: String = "shop.example") async throws
    -> ClickRecord
  {
    try await browser.perform(
      LinkClickInput(pageURL: "https://news.example/", attributionSourceID: id, attributionDestination: "https://\(site)"))
  }

  private static func attribute(in browser: Browser) async throws {
    try await click(in: browser)
    let outcome = try await browser.perform(
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
