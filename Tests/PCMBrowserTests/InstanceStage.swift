import BrowserSupport
import PCMCore
import PCMNetwork
import PCMStore
import Testing

@testable import PCMBrowser

/// Two instances of the service over one store, in which calls that wait for the other instance do so until the test wakes them.
struct InstanceStage: Sendable {
  let store: InstanceStore
  let otherStore: InstanceStore
  let pauses = Pauses()
  let machine = SetClock()

  init() { (store, otherStore) = InstanceStore.pair() }

  /// Starts the service of an instance.
  func browsers(_ store: any Store, _ transport: ScriptedTransport = ScriptedTransport()) async throws -> Browsers {
    let base = try await Scene().environment
    let environment = BrowserEnvironment(
      transport: transport, route: base.route, sites: base.sites, wallClock: machine.wallClock, sleep: pauses.sleep)
    let realTime = RealTime(wallClock: machine.wallClock, sleep: Scene.endlessSleep)
    let browsers = Browsers(
      environment: environment, durable: store, ephemeral: MemoryStore(), realTime: realTime,
      newSeed: { "seed-\(store.instance)" })
    try await browsers.load()
    return browsers
  }

  /// Returns the same browser, with a manual clock, in the service of an instance.
  func browser(_ store: any Store, _ transport: ScriptedTransport = ScriptedTransport()) async throws -> Browser {
    let specification = BrowserSpecification(seed: "s", clockMode: .manual, start: Scene.start)
    return try await browsers(store, transport).put("manual", specification).0
  }

  /// Returns the same browser in both services. In the first, it has an attribution, and the network holds its requests.
  func browsers(holding network: HeldNetwork) async throws -> (Browser, Browser) {
    let (one, other) = (try await browser(store, network.transport), try await browser(otherStore))
    try await Self.attribute(in: one)
    return (one, other)
  }

  static func attribute(
    in browser: Browser, from source: String = "news.example", on destination: String = "shop.example"
  ) async throws {
    _ = try await browser.perform(
      LinkClickInput(
        pageURL: "https://\(source)/", attributionSourceID: "4", attributionDestination: "https://\(destination)"))
    let outcome = try await browser.perform(
      TriggeringEventInput(
        firstPartyURL: "https://\(destination)/", redirectFrom: "https://\(source)/p",
        redirectTo: "https://\(source)\(TriggerURL.pathPrefix)12"))
    #expect(outcome.kind == .attributed)
  }

  /// The calls that sleep.
  struct Pauses: Sendable {
    private let sleepers: AsyncStream<CheckedContinuation<Void, Never>>
    let sleep: @Sendable (Instant) async throws -> Void

    init() {
      let (sleepers, sleeper) = AsyncStream.makeStream(of: CheckedContinuation<Void, Never>.self)
      self.sleepers = sleepers
      sleep = { _ in await withCheckedContinuation { _ = sleeper.yield($0) } }
    }

    /// Returns the next call that sleeps.
    func next() async -> CheckedContinuation<Void, Never>? {
      for await sleeper in sleepers { return sleeper }
      return nil
    }
  }
}
