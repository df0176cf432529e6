import BrowserSupport
import NIOConcurrencyHelpers
import PCMCore
import PCMNetwork
import PCMStore
import StoreContract
import Testing

@testable import PCMBrowser

/// Two instances over one store: the instance that has claimed a browser sends its reports, and an instance that ends is replaced.
@Suite struct TakeoverTests {
  private let machine = SetClock()
  private let instances = InstanceStore.pair()
  private let late = NIOLockedValueBox(0)

  @Test("an instance over a store in memory follows the contract", arguments: StoreContract.checks)
  func contract(_ check: StoreContract.Check) async throws {
    try await check.hold(InstanceStore.pair().0)
  }

  // MARK: Real clocks

  @Test("The start of an instance disturbs no message that another one has in flight")
  func start() async throws {
    let network = HeldNetwork()
    let browser = try await start(store, network.transport).browser(Browsers.defaultName)
    let report = try await due(in: browser)
    let running = Task { try await browser.runDueWork() }
    await network.untilRequest()
    let before = try await browser.events(after: 0, limit: 100)
    let other = try await start(otherStore)
    try await takeOver(by: other)
    try await other.browser(Browsers.defaultName).runDueWork()
    #expect(try await browser.events(after: 0, limit: 100) == before)
    network.gate.open()
    try await running.value
    #expect(try await browser.reports(in: [.delivered]).map(\.id) == [report])
    #expect(late.withLockedValue { $0 } == 0)
    #expect(try await claim(of: browser).instance == nil)
  }

  @Test(
    "A report whose instance ends between the commit and the request is sent at most once, or at least once",
    arguments: [(DeliveryPolicy.webkit, 1), (.reliable, 2)])
  func takeover(_ policy: DeliveryPolicy, _ expected: Int) async throws {
    let (paused, network) = (HeldNetwork(), ScriptedTransport())
    let browser = try await start(store, paused.transport).browser(Browsers.defaultName)
    try await browser.change(SettingsChange(deliveryPolicy: policy))
    let report = try await due(in: browser)
    let running = Task { try await browser.runDueWork() }
    await paused.untilRequest()
    store.end()
    let others = try await start(otherStore, network)
    try await takeOver(by: others)
    let other = try await others.browser(Browsers.defaultName)
    let taken = try await other.reports().first { $0.id == report }
    #expect(taken?.state == (policy == .webkit ? .failed : .scheduled) && taken?.attemptCount == 1)
    machine.set(machine.now + .minutes(2))
    try await other.runDueWork()
    // The paused instance goes on.
    paused.gate.open()
    try await running.value
    #expect(late.withLockedValue { $0 } == 1)
    #expect(try await other.reports().first { $0.id == report }?.state == (policy == .webkit ? .failed : .delivered))
    let body = try #require(taken).body
    let sent = await (paused.transport.requests + network.requests).filter { $0.body == Array(body.utf8) }
    #expect(sent.count == expected)
  }

  @Test("The late result of an attempt does not end a later attempt of another instance")
  func laterAttempt() async throws {
    let (paused, network) = (HeldNetwork(), HeldNetwork())
    let browser = try await start(store, paused.transport).browser(Browsers.defaultName)
    try await browser.change(SettingsChange(deliveryPolicy: .reliable))
    let report = try await due(in: browser)
    let running = Task { try await browser.runDueWork() }
    await paused.untilRequest()
    store.end()
    let others = try await start(otherStore, network.transport)
    try await takeOver(by: others)
    let other = try await others.browser(Browsers.defaultName)
    machine.set(machine.now + .minutes(2))
    let again = Task { try await other.runDueWork() }
    await network.untilRequest()
    paused.gate.open()
    try await running.value
    #expect(late.withLockedValue { $0 } == 1)
    #expect(try await other.reports(in: [.sending]).map(\.id) == [report])
    network.gate.open()
    try await again.value
    #expect(try await other.reports(in: [.delivered]).map(\.id).contains(report))
  }

  @Test("An instance whose lease has ended sends nothing")
  func endedLease() async throws {
    let network = ScriptedTransport()
    let browser = try await start(store, network).browser(Browsers.defaultName)
    try await browser.change(SettingsChange(deliveryPolicy: .reliable))
    let report = try await due(in: browser)
    store.end()
    await #expect(throws: StoreError.self) { try await browser.runDueWork() }
    let kept = try #require(try await browser.reports(in: [.scheduled]).first { $0.id == report })
    #expect(kept.attemptCount == 0)
    // As if the lease had ended after the commit.
    let context = RequestContext(now: machine.now, network: .real)
    let failure = await browser.send(kept.request, for: .reports, context).failure
    #expect(failure?.code == .interrupted)
    #expect(failure?.detail == "the lease of this instance ended before the request was sent")
    #expect(await network.requests.isEmpty)
  }

  @Test("A claim of an instance that ends before an attempt is taken over, and its report is sent")
  func abandonedClaim() async throws {
    let browser = try await start(store).browser(Browsers.defaultName)
    let report = try await due(in: browser)
    try #require(try await store.claimDue(by: machine.now, limit: 9) == [browser.record])
    let others = try await start(otherStore)
    #expect(try await otherStore.claimDue(by: machine.now, limit: 9).isEmpty)
    let other = try await others.browser(Browsers.defaultName)
    try await other.runDueWork()
    #expect(try await other.reports(in: [.delivered]).isEmpty)
    store.end()
    try await takeOver(by: others)
    // As after a start.
    #expect(try await otherStore.nextDueTime() == machine.now + .seconds(5))
    machine.set(machine.now + .seconds(5))
    try await other.runDueWork()
    #expect(try await other.reports(in: [.delivered]).map(\.id) == [report])
  }

  @Test("Two instances with the same due browsers send each report once")
  func sharedWork() async throws {
    let network = ScriptedTransport()
    let clocks = [store, otherStore].map { _ in RealTime(wallClock: machine.wallClock) { [machine] in machine.sleep(until: $0) }
    }
    let one = try await start(store, network, clocks[0])
    let other = try await start(otherStore, network, clocks[1])
    // More than run at a time.
    let names = (0..<150).map { "browser-\($0)" }
    let settings = SettingsChange(debugMode: true)
    for name in names {
      try await Self.attribute(in: try await one.put(name, BrowserSpecification(seed: name, settings: settings)).0, name)
    }
    await withTaskGroup(of: Void.self) { group in
      for (clock, browsers) in zip(clocks, [one, other]) {
        group.addTask { await clock.run(browsers) { Issue.record("\(String(describing: $0?.name)): \($1)") } }
      }
      while await network.requests.count < 2 * names.count { await Task.yield() }
      for clock in clocks { clock.stop() }
    }
    let bodies = await network.requests.map { String(decoding: $0.body ?? [], as: UTF8.self) + $0.url }
    #expect(bodies.count == 2 * names.count && Set(bodies).count == bodies.count)
    for name in names { #expect(try await other.browser(name).reports(in: [.delivered]).count == 2, "\(name)") }
    #expect(late.withLockedValue { $0 } == 0)
  }

  @Test("A browser that a third instance takes over in the meantime is left to it")
  func thirdInstance() async throws {
    let browser = try await start(store).browser(Browsers.defaultName)
    _ = try await due(in: browser)
    try await otherStore.write(browser.record.id) { try $0.claim(for: 1) }
    store.end()
    _ = try await start(OvertakenStore(base: otherStore))
    #expect(try await claim(of: browser) == Claim(instance: 3))
  }

  /// A store whose claims of abandoned browsers are lost to a third instance at once.
  private struct OvertakenStore: ForwardingStore {
    let base: any Store
    var isShared: Bool { true }

    func claimAbandoned(limit: Int) async throws -> [BrowserRecord] {
      let abandoned = try await base.claimAbandoned(limit: limit)
      for record in abandoned {
        try await base.write(record.id) { rows in
          var state = try rows.state()
          state.claim.instance = 3
          try rows.save(state)
        }
      }
      return abandoned
    }
  }

  // MARK: Manual clocks

  @Test("A move whose instance ends is recovered by another one, which continues it")
  func move() async throws {
    let (paused, network) = (HeldNetwork(), ScriptedTransport())
    let browser = try await start(store, paused.transport).put("manual", Self.manual).0
    try await Self.attribute(in: browser, "a.example")
    let target = Scene.start + .days(3)
    let moving = Task { try await browser.advance(.to(target)) }
    await paused.untilRequest()
    let others = try await start(otherStore, network)
    let other = try await others.browser("manual")
    store.end()
    try await takeOver(by: others)
    #expect(try await other.advance(.to(target)).now == target)
    paused.gate.open()
    let error = await #expect(throws: BrowserError.self) { try await moving.value }
    guard case .requestInterrupted(nil, _, target) = error else {
      Issue.record("the move ended with \(String(describing: error))")
      return
    }
    #expect(late.withLockedValue { $0 } == 1)
    #expect(try await other.reports(in: [.failed]).count == 1)
    #expect(try await other.reports(in: [.delivered]).count == 1)
    #expect(await paused.transport.requests.count == 1)
    #expect(await network.requests.count == 1)
    let state = try await otherStore.read(browser.record.id) { try $0.state() }
    #expect(state.journal.ending == .interrupted && state.dueAt == nil)
  }

  // MARK: Stage

  private var store: InstanceStore { instances.0 }
  private var otherStore: InstanceStore { instances.1 }

  private static let manual = BrowserSpecification(seed: "s", clockMode: .manual, start: Scene.start)

  /// Starts the service of an instance.
  private func start(
    _ store: some Store, _ transport: ScriptedTransport = ScriptedTransport(), _ realTime: RealTime? = nil
  ) async throws -> Browsers {
    let base = try await Scene().environment
    let meter = StoreMeter(
      uptime: { .zero }, didRead: { _, _ in }, didWrite: { _, _, _ in },
      didDropAttempt: { [late] in late.withLockedValue { $0 += 1 } })
    let environment = BrowserEnvironment(
      transport: transport, route: base.route, sites: base.sites, wallClock: machine.wallClock, sleep: Scene.endlessSleep,
      storeMeter: meter)
    let clock = realTime ?? RealTime(wallClock: machine.wallClock, sleep: Scene.endlessSleep)
    let browsers = Browsers(
      environment: environment, durable: store, ephemeral: MemoryStore(), realTime: clock, newSeed: { "seed" })
    try await browsers.load()
    return browsers
  }

  /// Attributes an event, moves the machine's clock to the time of the first report, and returns its number.
  private func due(in browser: Browser) async throws -> Int64 {
    try await Self.attribute(in: browser, "news.example")
    let first = try #require(try await browser.reports().min { $0.dueAt < $1.dueAt })
    machine.set(first.dueAt)
    return first.id
  }

  private static func attribute(in browser: Browser, _ source: String) async throws {
    let source = source.contains(".") ? source : "\(source).example"
    _ = try await browser.perform(
      LinkClickInput(pageURL: "https://\(source)/", attributionSourceID: "4", attributionDestination: "https://shop.example"))
    let outcome = try await browser.perform(
      TriggeringEventInput(
        firstPartyURL: "https://shop.example/", redirectFrom: "https://\(source)/p",
        redirectTo: "https://\(source)\(TriggerURL.pathPrefix)12"))
    #expect(outcome.kind == .attributed)
  }

  /// Takes over the browsers of instances that have ended.
  private func takeOver(by browsers: Browsers) async throws {
    for record in try await otherStore.claimAbandoned(limit: 9) { try await browsers.browser(record)?.recover() }
  }

  private func claim(of browser: Browser) async throws -> Claim {
    try await store.read(browser.record.id) { try $0.state().claim }
  }
}
