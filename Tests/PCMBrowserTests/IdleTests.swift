import BrowserSupport
import NIOConcurrencyHelpers
import PCMCore
import PCMStore
import Testing

@testable import PCMBrowser

/// The removal of browsers that were not used for their idle timeouts.
@Suite struct IdleTests {
  /// A machine whose time moves only when a task sleeps.
  private final class Machine: Sendable {
    private let state = NIOLockedValueBox((now: Scene.start, sleeps: 0))

    var now: Instant { state.withLockedValue { $0.now } }

    func move(_ interval: Interval) { state.withLockedValue { $0.now = $0.now + interval } }

    /// Sleeps `count` times, and is canceled then.
    func sleeper(_ count: Int) -> @Sendable (Instant) async throws -> Void {
      state.withLockedValue { $0.sleeps = count }
      return { [state] instant in
        try state.withLockedValue { state in
          guard state.sleeps > 0 else { throw CancellationError() }
          state = (instant, state.sleeps - 1)
        }
      }
    }
  }

  private let machine = Machine()
  private let faults = NIOLockedValueBox<[String]>([])

  private func browsers(_ store: any Store = MemoryStore(), rounds: Int) async throws -> Browsers {
    let (base, sleep) = (try await Scene().environment, machine.sleeper(rounds))
    let environment = BrowserEnvironment(
      transport: base.transport, route: base.route, sites: base.sites, wallClock: { [machine] in machine.now }, sleep: sleep)
    let realTime = RealTime(wallClock: environment.wallClock, sleep: Scene.noSleep)
    let browsers = Browsers(
      environment: environment, durable: store, ephemeral: MemoryStore(), realTime: realTime, newSeed: { "s" })
    try await browsers.load()
    return browsers
  }

  private func sweep(_ browsers: Browsers, every period: Interval = .seconds(30)) async {
    await browsers.removeIdleBrowsers(every: period) { [faults] browser, error in
      faults.withLockedValue { $0.append(browser.record.name) }
    }
  }

  private func names(_ browsers: Browsers) async throws -> [String] {
    try await browsers.browsers(after: "", limit: 100).map(\.record.name)
  }

  @Test("a browser is removed when it was not used for its idle timeout", arguments: [(1, true), (2, false)])
  func removal(_ rounds: Int, _ isThere: Bool) async throws {
    let browsers = try await browsers(rounds: rounds)
    let (browser, _) = try await browsers.put("idle", BrowserSpecification(idleTimeout: .minutes(1)))
    _ = try await browsers.put("patient", BrowserSpecification(storage: .ephemeral, idleTimeout: .hours(1)))
    _ = try await browsers.put("lasting", BrowserSpecification())
    await sweep(browsers)
    #expect(try await names(browsers) == ["default"] + (isThere ? ["idle"] : []) + ["lasting", "patient"])
    #expect((browser.deletion == nil) == isThere)
    if !isThere {
      await #expect(throws: BrowserError.unknownBrowser(name: "idle", wasIdle: true)) { try await browsers.browser("idle") }
      await #expect(throws: BrowserError.unknownBrowser(name: "other")) { try await browsers.use("other") }
      await #expect(throws: StoreError.unknownBrowser) { try await browser.events(after: 0, limit: 1) }
      _ = try await browsers.put("idle", BrowserSpecification())
      try await browsers.delete("idle")
      await #expect(throws: BrowserError.unknownBrowser(name: "idle")) { try await browsers.browser("idle") }
    }
  }

  @Test("a browser in use is not idle, and its idle time begins with the end of the last use")
  func use() async throws {
    let browsers = try await browsers(rounds: 9)
    let (browser, _) = try await browsers.put("used", BrowserSpecification(idleTimeout: .minutes(1)))
    var (first, second): (UseToken?, UseToken?) = (try await browsers.use("used"), try await browsers.use("used"))
    machine.move(.hours(1))
    #expect(!browser.isIdle(at: machine.now))
    #expect(first?.browser === browser)
    first = nil
    #expect(!browser.isIdle(at: machine.now + .hours(9)), "one use is under way")
    second = nil
    #expect(second == nil)
    #expect(!browser.isIdle(at: machine.now + .seconds(59)))
    #expect(browser.isIdle(at: machine.now + .minutes(1)))
    machine.move(.seconds(59))
    _ = try await browsers.put("used", BrowserSpecification())
    #expect(!browser.isIdle(at: machine.now + .seconds(59)), "a confirmation is a use")
  }

  @Test("a timeout can be set, changed, and removed, but default has none")
  func change() async throws {
    let browsers = try await browsers(rounds: 0)
    let (browser, _) = try await browsers.put("changed", BrowserSpecification())
    #expect(!browser.isIdle(at: machine.now + .days(400)))
    try await browser.change(BrowserChange(idleTimeout: .hours(1)))
    #expect(browser.isIdle(at: machine.now + .hours(1)))
    try await browser.change(BrowserChange(idleTimeout: .hours(2)))
    #expect(!browser.isIdle(at: machine.now + .hours(1)))
    try await browser.change(BrowserChange(idleTimeout: .seconds(0)))
    #expect(!browser.isIdle(at: machine.now + .days(400)))
    #expect(try await browser.events(after: 0, limit: 9).isEmpty, "the log is the browser's, not the caller's")
    let standing = try await browsers.browser("default")
    let conflict = BrowserError.conflict("idleTimeout: default always exists and has no idle timeout; use another browser")
    await #expect(throws: conflict) { try await standing.change(BrowserChange(idleTimeout: .hours(1))) }
    await #expect(throws: conflict) { try await browsers.put("default", BrowserSpecification(idleTimeout: .hours(1))) }
    try await standing.change(BrowserChange(idleTimeout: .seconds(0)))
  }

  @Test("after a restart, labels and timeouts are kept, and the idle time begins anew")
  func restart() async throws {
    let store = MemoryStore()
    let upkeep = BrowserUpkeep(labels: Labels(["a": "1"]), idleTimeout: .hours(1))
    let (first, _) = try await browsers(store, rounds: 0).put(
      "kept", BrowserSpecification(labels: Labels(["a": "0"]), idleTimeout: .hours(2)))
    try await first.change(BrowserChange(labels: upkeep.labels, idleTimeout: upkeep.idleTimeout))
    machine.move(.hours(5))
    let again = try await browsers(store, rounds: 1)
    let kept = try await again.browser("kept")
    #expect(try await kept.configuration().upkeep == upkeep)
    await sweep(again)
    #expect(try await names(again) == ["default", "kept"])
    #expect(kept.isIdle(at: machine.now + .hours(1)))
    _ = try await again.put("kept", BrowserSpecification(labels: Labels(["a": "0"]), idleTimeout: .hours(2)))
  }

  @Test("a browser that cannot be deleted stays, and is removed in a later round")
  func failure() async throws {
    let store = UndeletingStore(failures: 2)
    let browsers = try await browsers(store, rounds: 4)
    _ = try await browsers.put("stays", BrowserSpecification(idleTimeout: .minutes(1)))
    await sweep(browsers)
    #expect(faults.withLockedValue { $0 } == ["stays", "stays"])
    #expect(try await names(browsers) == ["default"])
  }

  // MARK: Two instances

  /// A round of 15 seconds for each instance.
  private func round(_ instances: Browsers...) async {
    for instance in instances {
      _ = machine.sleeper(1)
      await sweep(instance, every: .seconds(15))
    }
    #expect(faults.withLockedValue { $0 }.isEmpty)
  }

  private func instances() async throws -> (Browsers, Browsers) {
    let (store, otherStore) = InstanceStore.pair()
    return (try await browsers(store, rounds: 0), try await browsers(otherStore, rounds: 0))
  }

  @Test("a browser that one instance uses is not idle for the other, and is removed when neither uses it")
  func useElsewhere() async throws {
    let (one, other) = try await instances()
    _ = try await one.put("used", BrowserSpecification(idleTimeout: .minutes(1)))
    _ = try await other.browser("used")
    for _ in 0..<10 {
      _ = try await one.use("used")
      await round(one, other)
    }
    var use: UseToken? = try await one.use("used")
    for _ in 0..<10 { await round(one, other) }
    #expect(use != nil)
    use = nil
    for _ in 0..<3 { await round(one, other) }
    #expect(try await names(one) == ["default", "used"], "a minute and two rounds of 15 seconds are not over")
    for _ in 0..<3 { await round(one, other) }
    for instance in [one, other] {
      #expect(try await names(instance) == ["default"])
      #expect(instance.count == 1)
    }
  }

  @Test("a browser of an instance that is gone is removed by another one")
  func lostInstance() async throws {
    let (one, other) = try await instances()
    let (lost, _) = try await one.put("lost", BrowserSpecification(idleTimeout: .minutes(1)))
    _ = try await one.use("lost")
    await round(one)
    for _ in 0..<20 { await round(other) }
    #expect(try await names(other) == ["default"])
    await #expect(throws: StoreError.unknownBrowser) { try await lost.events(after: 0, limit: 1) }
  }

  @Test("an idle timeout that one instance changes holds for the other")
  func changeElsewhere() async throws {
    let (one, other) = try await instances()
    for name in ["long", "short", "unset"] { _ = try await one.put(name, BrowserSpecification(idleTimeout: .minutes(1))) }
    _ = try await one.put("set", BrowserSpecification())
    await round(other)
    for (name, timeout) in [("long", Interval.hours(9)), ("unset", .seconds(0)), ("set", .minutes(1))] {
      try await one.browser(name).change(BrowserChange(idleTimeout: timeout))
    }
    for _ in 0..<20 { await round(other) }
    #expect(try await names(other) == ["default", "long", "unset"])
  }

  @Test("the names of the last thousand removed browsers are remembered")
  func names() {
    var names = IdleNames()
    for number in 0...IdleNames.maximumCount { names.insert(BrowserName("n\(number)")) }
    #expect(!names.contains(BrowserName("n0")) && names.contains(BrowserName("n1")))
    names.remove(BrowserName("n1"))
    names.insert(BrowserName("new"))
    #expect(!names.contains(BrowserName("n1")) && names.contains(BrowserName("n2")) && names.contains(BrowserName("new")))
  }
}

/// A store in memory whose first deletions fail.
private final class UndeletingStore: ForwardingStore {
  let base: any Store = MemoryStore()
  private let failures: NIOLockedValueBox<Int>

  init(failures: Int) { self.failures = NIOLockedValueBox(failures) }

  func delete(_ browser: BrowserID) async throws {
    let isFailure = failures.withLockedValue { count in
      count -= 1
      return count >= 0
    }
    if isFailure { throw StoreError.unavailable("the test refuses the deletion") }
    try await base.delete(browser)
  }
}
