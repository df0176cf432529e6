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

  @Test(
    "a click that was made while the clock was ahead expires seven days after the clock was set back", arguments: [false, true])
  func clickFromAhead(_ restarts: Bool) async throws {
    let (machine, store) = (SetClock(), MemoryStore())
    let scene = try await Scene(store: store, wallClock: machine.wallClock)
    var browser = try scene.browsers.browser(Browsers.defaultName)
    machine.set(Self.later)
    let click = try await Self.click(in: browser)
    machine.set(Scene.start)
    try await Self.click(in: browser, id: "5", to: "other.example")
    if restarts { browser = try await Self.restarted(store, machine) } else { try await browser.runDue() }
    let kept = try await browser.measurements(in: store).unattributed
    #expect(kept.map(\.click.clickedAt) == [Scene.start, Scene.start])
    machine.set(Scene.start + Click.lifetime + .seconds(1))
    try await Self.click(in: browser, id: "6", to: "third.example")
    #expect(try await browser.click(named: RecordName.click(click.sequence)).state == .expired)
  }

  @Test("a click is not moved to a time before the first one of a clock")
  func earliestClick() async throws {
    let (machine, store) = (SetClock(), MemoryStore())
    let scene = try await Scene(store: store, wallClock: machine.wallClock)
    let browser = try scene.browsers.browser(Browsers.defaultName)
    machine.set(Scene.start + .seconds(120))
    try await Self.click(in: browser)
    machine.set(Scene.start + .days(30_000))
    try await browser.runDue()
    machine.set(Scene.start)
    try await Self.click(in: browser, id: "5", to: "other.example")
    try await browser.runDue()
    let kept = try await browser.measurements(in: store).unattributed
    #expect(
      kept.count == 2 && kept.allSatisfy { $0.click.clickedAt >= .earliest && $0.click.clickedAt <= Scene.start }, "\(kept)")
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
    let pending = try #require(try await again.measurements(in: store).attributed.first)
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

  @Test(
    "a restart after a second set-back sends no report early", arguments: [Interval.days(500), .hours(30)], [false, true])
  func dueTimesAfterTwoRestarts(_ first: Interval, attributesAfterFirst: Bool) async throws {
    let (machine, store) = (SetClock(), MemoryStore())
    let browser = try await Scene(store: store, wallClock: machine.wallClock).browsers.browser(Browsers.defaultName)
    machine.set(Self.later)
    try await Self.click(in: browser)
    if !attributesAfterFirst { try await Self.attribute(in: browser) }
    machine.set(Self.later - first)
    let restarted = try await Self.restarted(store, machine)
    if attributesAfterFirst { try await Self.attribute(in: restarted) }
    let before = try await restarted.reports().map(\.dueAt)
    #expect(before.count == 2)
    #expect(before.allSatisfy { $0 >= machine.now + .hours(24) && $0 <= machine.now + .hours(48) })
    machine.set(Scene.start)
    let again = try await Self.restarted(store, machine)
    #expect(try await again.reports().allSatisfy { $0.dueAt == Scene.start + .hours(48) })
  }

  @Test("many reports are corrected in several transactions, and after an interruption by the next start")
  func manyDueTimes() async throws {
    let (machine, store) = (SetClock(), MemoryStore())
    let (rows, writes) = (NIOLockedValueBox([0]), NIOLockedValueBox((count: 0, most: Int.max)))
    let observer = StoreObserver(
      willCall: { name in
        guard name == "submit(_:_:)" else { return }
        rows.withLockedValue { $0.append(0) }
        try writes.withLockedValue { writes in
          writes.count += 1
          if writes.count > writes.most { throw HeldStore.refusal }
        }
      }, didRead: { count in rows.withLockedValue { $0[$0.count - 1] += count } })
    let id = try await Scene(store: store, wallClock: machine.wallClock).browsers.browser(Browsers.defaultName).record.id
    let (count, due) = (1_000 as Int64, Self.later + .hours(30))
    try await store.write(id) { writer in
      for number in 1...count { try Self.save(number, due: due, in: writer) }
      try writer.append(.clickExpired(ClickExpired(click: 900, expiredAt: Self.later)), at: Self.later)
    }

    writes.withLockedValue { $0.most = 3 }
    await #expect(throws: HeldStore.refusal) { try await Self.restarted(ObservedStore(store, observer), machine) }
    let corrected = try await store.read(id) { try $0.reports(in: .scheduled, after: 0, limit: .max).count { $0.dueAt < due } }
    #expect((1..<Int(count)).contains(corrected))

    writes.withLockedValue { $0.most = .max }
    let browser = try await Self.restarted(ObservedStore(store, observer), machine)
    #expect(rows.withLockedValue { $0.max() ?? 0 } < 500, "a transaction reads 200 attributions with their reports")
    let reports = try await browser.reports(in: [.scheduled])
    #expect(reports.count == Int(count) && reports.allSatisfy { $0.dueAt == Scene.start + .hours(30) })
    let pending = try await browser.measurements(in: store).attributed
    #expect(pending.count == Int(count) && pending.allSatisfy { $0.source?.dueAt == Scene.start + .hours(30) })
  }

  private static func save(_ number: Int64, due: Instant, in writer: any BrowserWriter) throws {
    let key = ClickKey(source: Site("s\(number).example"), destination: Site("shop.example"), bundleIdentifier: "b")
    let click = KeptClick(id: number, click: Click(key: key, sourceID: 3, clickedAt: later))
    try writer.save(
      Attribution(
        id: number, click: click, trigger: Trigger(data: 12, priority: 0), attributedAt: later,
        source: Attribution.PendingHalf(report: number, dueAt: due), destination: nil), in: .normal)
    try writer.save(
      Report(
        id: number, attribution: number, session: .normal, key: key, recipient: .source, url: "https://s.example/", body: "{}",
        dueAt: due))
  }

  // MARK: A clock that is set back meanwhile

  @Test("a clock that is set back while a report is sent moves the other report")
  func setBackDuringSending() async throws {
    let (machine, other) = (SetClock(), NIOLockedValueBox<Browser?>(nil))
    let realTime = RealTime(wallClock: machine.wallClock, sleep: Scene.endlessSleep)
    let transport = ScriptedTransport { _, _ in
      machine.set(Scene.start)
      if let other = other.withLockedValue({ $0 }) { realTime.schedule(other, Due(at: nil, version: .max)) }
      realTime.stop()
      return Exchange(httpStatus: 200)
    }
    let browsers = try await Self.browsers(MemoryStore(), machine, realTime, transport: transport)
    let browser = try browsers.browser(Browsers.defaultName)
    let (waker, _) = try await browsers.put("other", BrowserSpecification())
    other.withLockedValue { $0 = waker }
    machine.set(Self.later)
    try await Self.attribute(in: browser)
    let dues = try await browser.reports().map(\.dueAt).sorted()
    let sentAt = try #require(dues.first)
    machine.set(sentAt)
    realTime.schedule(waker, Due(at: nil, version: .max))
    await realTime.run { _, error in Issue.record(error) }
    #expect(try await browser.reports(in: [.delivered]).count == 1)
    #expect(try await browser.reports(in: [.scheduled]).map(\.dueAt) == dues.dropFirst().map { Scene.start + ($0 - sentAt) })
  }

  @Test("a clock that is set back again while a browser follows it moves the reports again, and by as much")
  func secondSetBack() async throws {
    let (machine, store) = (SetClock(), HeldStore())
    let realTime = RealTime(wallClock: machine.wallClock, sleep: Scene.endlessSleep)
    let browser = try await Self.browsers(store, machine, realTime).browser(Browsers.defaultName)
    machine.set(Self.later)
    try await Self.attribute(in: browser)
    let dues = try await browser.reports().map(\.dueAt)
    func setBack(to instant: Instant) {
      machine.set(instant)
      realTime.schedule(browser, Due(at: Self.later, version: .max))
    }
    store.holdNextWrite()
    setBack(to: Scene.start + .days(500))
    async let running: Void = realTime.run { _, error in Issue.record(error) }
    await store.untilHeld()
    setBack(to: Scene.start)
    store.release()
    realTime.stop()
    await running
    #expect(try await browser.reports().map(\.dueAt) == dues.map { $0 - .days(1_000) })
    #expect(try await store.read(browser.record.id) { try $0.state().timer } == Scene.start + .seconds(5))
  }

  @Test("an attribution between two set-backs that a browser follows at once does not leave early")
  func twoSetBacksAtOnce() async throws {
    let machine = SetClock()
    let realTime = RealTime(wallClock: machine.wallClock, sleep: Scene.endlessSleep)
    let browser = try await Self.browsers(MemoryStore(), machine, realTime).browser(Browsers.defaultName)
    Self.wake(browser, realTime, machine, at: Self.later)
    try await Self.click(in: browser)
    Self.wake(browser, realTime, machine, at: Scene.start + .days(500))
    try await Self.attribute(in: browser)
    Self.wake(browser, realTime, machine, at: Scene.start)
    try await browser.runDue()
    #expect(try await browser.reports().map(\.dueAt) == Array(repeating: Scene.start + .hours(48), count: 2))
  }

  /// A browser with an attribution at a later time than that of the following calls, and the due times of its reports.
  private static func attributedLater(
    _ machine: SetClock, _ writesLeft: NIOLockedValueBox<Int>
  ) async throws -> (browser: Browser, realTime: RealTime, dues: [Instant]) {
    let realTime = RealTime(wallClock: machine.wallClock, sleep: Scene.endlessSleep)
    let store = store(failingAfter: writesLeft)
    let browser = try await browsers(store, machine, realTime).browser(Browsers.defaultName)
    wake(browser, realTime, machine, at: later)
    try await attribute(in: browser)
    return (browser, realTime, try await browser.reports().map(\.dueAt))
  }

  @Test("a report that was corrected before an interruption does not leave early after a second set-back")
  func secondSetBackAfterInterruption() async throws {
    let (machine, writesLeft) = (SetClock(), NIOLockedValueBox(Int.max))
    let (browser, realTime, dues) = try await Self.attributedLater(machine, writesLeft)
    Self.wake(browser, realTime, machine, at: Scene.start + .days(500))
    writesLeft.withLockedValue { $0 = 1 }
    await #expect(throws: HeldStore.refusal) { try await browser.runDue() }
    #expect(try await browser.reports().map(\.dueAt) == dues.map { $0 - .days(500) })
    writesLeft.withLockedValue { $0 = .max }
    Self.wake(browser, realTime, machine, at: Scene.start)
    try await browser.runDue()
    #expect(try await browser.reports().map(\.dueAt) == Array(repeating: Scene.start + .hours(48), count: 2))
  }

  @Test("after an interruption, reports are moved by as much as the clock was set back")
  func setBackAfterInterruption() async throws {
    let (machine, writesLeft) = (SetClock(), NIOLockedValueBox(Int.max))
    let (browser, realTime, dues) = try await Self.attributedLater(machine, writesLeft)
    // The log does not know this time.
    Self.wake(browser, realTime, machine, at: Self.later + .hours(10))
    Self.wake(browser, realTime, machine, at: Scene.start)
    writesLeft.withLockedValue { $0 = 0 }
    await #expect(throws: HeldStore.refusal) { try await browser.runDue() }
    writesLeft.withLockedValue { $0 = .max }
    try await browser.runDue()
    #expect(try await browser.reports().map(\.dueAt) == dues.map { $0 - .days(1_000) - .hours(10) })
  }

  /// Sets the machine's clock and lets the scheduler read it. Later announcements of the browser do not.
  private static func wake(_ browser: Browser, _ realTime: RealTime, _ machine: SetClock, at instant: Instant) {
    machine.set(instant)
    realTime.schedule(browser, Due(at: nil, version: .max))
  }

  private static func store(failingAfter writesLeft: NIOLockedValueBox<Int>) -> ObservedStore {
    let observer = StoreObserver(willCall: { name in
      guard name == "submit(_:_:)" else { return }
      try writesLeft.withLockedValue { writesLeft in
        guard writesLeft > 0 else { throw HeldStore.refusal }
        writesLeft -= 1
      }
    })
    return ObservedStore(MemoryStore(), observer)
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
    return try browsers.browser("used")
  }

  // MARK: Stage

  static func browsers(
    _ store: any Store, _ machine: SetClock, _ realTime: RealTime, transport: ScriptedTransport = ScriptedTransport(),
    sleep: @escaping @Sendable (Instant) async throws -> Void = Scene.noSleep
  ) async throws -> Browsers {
    let base = try await Scene(transport: transport).world
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
