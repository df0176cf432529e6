import BrowserSupport
import NIOConcurrencyHelpers
import PCMBrowser
import PCMCore
import PCMNetwork
import PCMStore
import Testing

/// Manual clocks, and the single sleeper of real clocks.
@Suite struct ClockTests {
  @Test func aClockDoesNotGoBack() async throws {
    let scene = try await Scene()
    await #expect(throws: BrowserError.self) {
      try await scene.browser.advance(.to(Scene.start - Interval(milliseconds: 1)))
    }
    #expect(try await scene.browser.advance(.to(Scene.start)).events.isEmpty)
    await #expect(throws: BrowserError.self) { try await scene.browser.advance(.by(.days(3_652_500))) }
  }

  @Test("a clock stops where everything that follows still has an instant")
  func lastInstant() async throws {
    let scene = try await Scene()
    let last = Instant(milliseconds: 253_370_764_799_999)
    for (move, member) in [
      (ClockAdvance.to(last + Interval(milliseconds: 1)), "to"), (.to(.latest), "to"),
      (.by(last - Scene.start + .days(1)), "by"),
    ] {
      await #expect(
        throws: BrowserError.invalidInput([
          InputError([member], "the last instant of a clock is 9998-12-31T23:59:59.999Z", .outOfRange)
        ])
      ) {
        try await scene.browser.advance(move)
      }
    }
    #expect(try await scene.browser.advance(.to(last)).now == last)
    try await scene.click(3)
    #expect(try await scene.trigger("12").kind == .attributed)
    _ = try await scene.browser.explain(Scene.destination)
    #expect(try await scene.browser.advance(.untilIdle()).now == last)
    let stored = try await scene.browser.events(after: 0, limit: 100).first { $0.kind == .clickStored }
    #expect(stored?.detail.text.contains("9999-01-07T23:59:59.999Z") == true)
  }

  @Test func aRealClockCannotBeMoved() async throws {
    let scene = try await Scene()
    let real = try await scene.browsers.browser(Browsers.defaultName)
    await #expect(throws: BrowserError.self) { try await real.advance(.untilIdle()) }
  }

  @Test func aMoveIsLoggedWithItsEnds() async throws {
    let scene = try await Scene()
    let advanced = try await scene.advance(.hours(1))
    #expect(advanced.events.map(\.detail.text) == [#"{"from":"2026-11-20T10:00:00.000Z","to":"2026-11-20T11:00:00.000Z"}"#])
  }

  /// A machine whose clock moves with each sleep.
  private final class Machine: Sendable {
    let now = NIOLockedValueBox(Scene.start)

    var wallClock: @Sendable () -> Instant { { self.now.withLockedValue { $0 } } }

    func sleep(until instant: Instant) { now.withLockedValue { $0 = max($0, instant) } }
  }

  /// Browsers on the machine's clock, with the network of a scene.
  private static func browsers(_ scene: Scene, machine: Machine, realTime: RealTime) async throws -> Browsers {
    let environment = BrowserEnvironment(
      transport: scene.transport, route: scene.environment.route, sites: scene.environment.sites, wallClock: machine.wallClock,
      sleep: Scene.noSleep)
    let browsers = Browsers(
      environment: environment, durable: MemoryStore(), ephemeral: MemoryStore(), realTime: realTime, newSeed: { "s" })
    try await browsers.load()
    return browsers
  }

  /// A click and its triggering event.
  private static func attribute(in browser: Browser, source: String) async throws {
    _ = try await browser.perform(
      LinkClickInput(pageURL: "https://\(source)/", attributionSourceID: "4", attributionDestination: "https://shop.example"))
    let outcome = try await browser.perform(
      TriggeringEventInput(
        firstPartyURL: "https://shop.example/", redirectFrom: "https://\(source)/p",
        redirectTo: "https://\(source)\(TriggerURL.pathPrefix)12"))
    #expect(outcome.kind == .attributed)
  }

  @Test("the sleeper wakes a browser on the real clock for each of its reports, in due order")
  func realTime() async throws {
    let machine = Machine()
    let realTime = RealTime(wallClock: machine.wallClock) { machine.sleep(until: $0) }
    let browsers = try await Self.browsers(try await Scene(), machine: machine, realTime: realTime)
    let browser = try await browsers.browser(Browsers.defaultName)
    try await Self.attribute(in: browser, source: "news.example")
    let due = try await browser.reports().map(\.dueAt).sorted()
    async let running: Void = realTime.run(browsers) { _, error in Issue.record(error) }
    while try await browser.reports(in: [.delivered]).count < 2 { await Task.yield() }
    realTime.stop()
    await running
    let sent = try await browser.events(after: 0, limit: 100).filter { $0.kind == .reportSent }
    #expect(sent.count == 2)
    #expect(zip(sent, due).allSatisfy { $0.at >= $1 })
  }

  @Test("after a start the first sweep of a real clock comes five seconds later")
  func sweepAfterStart() async throws {
    let store = MemoryStore()
    let scene = try await Scene(store: store)
    let real = try await scene.browsers.browser(Browsers.defaultName)
    _ = try await real.perform(
      LinkClickInput(pageURL: "https://news.example/", attributionSourceID: "4", attributionDestination: "https://shop.example")
    )
    _ = try await real.perform(
      TriggeringEventInput(
        firstPartyURL: "https://shop.example/", redirectFrom: "https://news.example/p",
        redirectTo: "https://news.example\(TriggerURL.pathPrefix)12"))
    let again = try await Scene(restarting: store)
    let state = try await store.read(again.browsers.browser(Browsers.defaultName).record.id) { try $0.state() }
    #expect(state.timer == Scene.start + .seconds(5))
  }

  @Test("case 88: a report that is overdue at the start goes out alone, five seconds later, and then nothing is stored")
  func overdueAtStart() async throws {
    let store = MemoryStore()
    let scene = try await Scene(store: store)
    let real = try await scene.browsers.browser(Browsers.defaultName)
    let key = ClickKey(source: Site("news.example"), destination: Site("shop.example"), bundleIdentifier: "b")
    let click = KeptClick(id: 1, click: Click(key: key, sourceID: 3, clickedAt: Scene.start - .days(2)))
    try await store.write(real.record.id) { writer in
      // The destination's half is out already.
      let trigger = Trigger(data: 12, priority: 0)
      let half = Attribution.PendingHalf(report: 3, dueAt: Scene.start - .hours(1))
      let overdue = Attribution(
        id: 2, click: click, trigger: trigger, attributedAt: Scene.start - .days(1), source: half, destination: nil)
      try writer.save(overdue, in: .normal)
      try writer.save(
        Report(
          id: 3, attribution: 2, session: .normal, key: key, recipient: .source, url: ReportBody.url(at: key.source),
          body: ReportBody.json(of: click.click, trigger: trigger).text, dueAt: half.dueAt))
    }
    let again = try await Scene(restarting: store)
    let browser = try await again.browsers.browser(Browsers.defaultName)
    let state = try await store.read(browser.record.id) { try $0.state() }
    let timer = try #require(state.timer)
    #expect(timer == Scene.start + .seconds(5))
    _ = try await browser.step(at: timer)
    #expect(await again.sent().map(\.host) == ["news.example"])
    #expect(try await browser.measurements(in: store).isEmpty)
  }

  @Test("section 5.3: an attribution does not move a timer that becomes overdue while a report is in flight")
  func overdueTimer() async throws {
    let (machine, inFlight) = (Machine(), NIOLockedValueBox<Browser?>(nil))
    let transport = ScriptedTransport { _, _ in
      do {
        let browser = try #require(inFlight.withLockedValue { $0 })
        let last = try #require(try await browser.reports(in: [.scheduled]).map(\.dueAt).max())
        machine.sleep(until: last + .seconds(30))
        try await Self.attribute(in: browser, source: "second.example")
      } catch {
        Issue.record(error)
      }
      return Exchange(httpStatus: 200)
    }
    let scene = try await Scene(transport: transport)
    let realTime = RealTime(wallClock: machine.wallClock, sleep: Scene.endlessSleep)
    let browsers = try await Self.browsers(scene, machine: machine, realTime: realTime)
    let browser = try await browsers.browser(Browsers.defaultName)
    inFlight.withLockedValue { $0 = browser }
    try await Self.attribute(in: browser, source: "first.example")
    let due = try await browser.reports().map(\.dueAt).sorted()
    machine.sleep(until: due[0])
    #expect(try await browser.step(at: due[0]).at == due[1])
    #expect(try await browser.reports(in: [.delivered]).count == 1)
  }

  @Test("a waiting call returns as soon as its event is in the log, however many wait")
  func waiting() async throws {
    let scene = try await Scene(sleep: Scene.endlessSleep)
    try await scene.click(3)
    let known = try #require(
      try await scene.browser.eventPage(after: 0, limit: 1, EventSelection(kinds: [.clickStored]), waiting: .seconds(1)).items
        .first)
    try await withThrowingTaskGroup(of: LogEvent?.self) { group in
      for _ in 0..<20 {
        group.addTask {
          try await scene.browser.eventPage(
            after: known.sequence, limit: 1, EventSelection(kinds: [.clickStored]), waiting: .minutes(1)
          ).items.first
        }
      }
      try await scene.trigger("99")
      try await scene.click(4)
      for try await event in group { #expect(event?.sequence == known.sequence + 2) }
    }
  }

  @Test("an event that does not come in time is none, and a waiter who goes away leaves nothing behind")
  func waitingInVain() async throws {
    let impatient = try await Scene()
    #expect(
      try await impatient.browser.eventPage(after: 0, limit: 1, EventSelection(kinds: [.attributed]), waiting: .seconds(5))
        .items.first == nil)
    let scene = try await Scene(sleep: Scene.endlessSleep)
    let waiter = Task {
      try await scene.browser.eventPage(after: 0, limit: 1, EventSelection(kinds: [.attributed]), waiting: .minutes(1)).items
        .first
    }
    waiter.cancel()
    #expect(try await waiter.value == nil)
  }

  @Test("a move commits a result together with the next attempt, and a click during the commit comes after both")
  @MainActor func resultWithNextAttempt() async throws {
    let (store, gate) = (HeldStore(), Gate())
    let (requests, request) = AsyncStream.makeStream(of: Void.self)
    let scene = try await Scene(
      store: store,
      transport: ScriptedTransport { _, _ in
        request.yield()
        await gate.wait()
        return Exchange(httpStatus: 200)
      })
    try await scene.click(3)
    try await scene.trigger("12")
    let move = Task { try await scene.advance(.days(3)) }
    for await _ in requests { break }
    let count = store.writeCount
    store.holdNextWrite()
    gate.open()
    await store.untilHeld()
    let click = Task { try await scene.click(4) }
    // The actor runs its tasks in order, each until it waits, so the click has been made after this task.
    await Task {}.value
    store.release()
    _ = try await (move.value, click.value)
    // Two results, each with the next firing of the timer, the click, and the end of the move.
    #expect(store.writeCount - count == 4)
    let events = try await scene.browser.events(after: 0, limit: 100)
    let sending: Set<EventKind> = [.reportSent, .reportDelivered]
    #expect(
      events.map(\.kind).filter(sending.contains) == [.reportSent, .reportDelivered, .reportSent, .reportDelivered])
    #expect(events.map(\.at) == events.map(\.at).sorted())
  }
}
