import BrowserSupport
import Foundation
import GRDB
import NIOConcurrencyHelpers
import PCMBrowser
import PCMCore
import PCMNetwork
import PCMStore
import PCMStorePostgres
import PCMURL
import PostgresSupport

@testable import PCMStoreSQLite

/// The service as one process after the other over one store.
final class Service {
  private let machine: Machine
  private let mutation: Mutation?
  private let sites: SiteParser
  /// Opens the store for the next process; nil for a store in memory, which outlives its processes.
  private let open: (() async throws -> any Store)?
  private(set) var base: any Store
  private(set) var browser: Browser

  private static let name = "simulated"
  static let start = Instant(milliseconds: 1_795_168_800_000)
  /// Reading the public suffix list takes longer than a whole run.
  private static let publicSuffixes = PublicSuffixList.builtIn()

  init(_ plan: Plan, machine: Machine, mutation: Mutation?) async throws {
    self.machine = machine
    self.mutation = mutation
    sites = SiteParser(publicSuffixList: Self.publicSuffixes)
    open = try Self.opening(of: plan.storage)
    base = try await open?() ?? MemoryStore()
    let (browsers, clock) = try await Self.process(over: base, machine: machine, mutation: mutation, sites: sites)
    (browser, _) = try await browsers.put(
      Self.name,
      BrowserSpecification(
        seed: String(plan.seed), clockMode: .manual, start: Self.start,
        settings: SettingsChange(
          privateBrowsing: plan.startsPrivate, debugMode: plan.startsInDebugMode, deliveryPolicy: plan.policy)))
    clock.show(browser)
    for (app, site) in Cast.apps.sorted(by: { $0.key < $1.key }) {
      _ = try await browser.register(Scene.manifest(of: app, endpoint: "https://\(site)", sites: sites))
    }
  }

  /// Another process over the store's data. A file or a database is closed and opened again.
  func restart() async throws {
    if let open {
      try await base.close()
      base = try await open()
    }
    try await breakRestart()
    let (browsers, clock) = try await Self.process(over: base, machine: machine, mutation: mutation, sites: sites)
    browser = try await browsers.browser(Self.name)
    clock.show(browser)
  }

  private static func opening(of storage: Plan.Storage) throws -> (() async throws -> any Store)? {
    switch storage {
    case .memory: return nil
    case .sqlite:
      let folder = try TemporaryFolder()
      return { try open(folder.database) }
    case .postgres:
      let (address, schema) = (try PostgresAddress(PostgresCluster.address()), PostgresCluster.newSchema())
      return { try await PostgresStore(address, schema: schema) }
    }
  }

  /// No power fails in a simulation, so the disk need not be waited for.
  private static func open(_ path: String) throws -> any Store {
    let store = try SQLiteStore(path: path)
    try store.file.pool.writeWithoutTransaction { try $0.execute(sql: "PRAGMA synchronous = OFF") }
    return store
  }

  func close() async throws { try await base.close() }

  private static func process(
    over base: any Store, machine: Machine, mutation: Mutation?, sites: SiteParser
  ) async throws -> (Browsers, BrowserClock) {
    let clock = BrowserClock()
    let process = machine.startProcess()
    let store = FaultyStore(base: base, machine: machine, process: process, mutation: mutation)
    let environment = BrowserEnvironment(
      transport: SimulatedNetwork(machine: machine, process: process, clock: clock, mutation: mutation), route: NetworkRoute(),
      sites: sites,
      wallClock: { Self.start }, sleep: Scene.noSleep)
    let browsers = Browsers(
      environment: environment, durable: store, ephemeral: MemoryStore(),
      realTime: RealTime(wallClock: environment.wallClock, sleep: environment.sleep), newSeed: { "seed" })
    try await browsers.load()
    return (browsers, clock)
  }

  /// The mutations that break a start rather than a write.
  private func breakRestart() async throws {
    guard let mutation else { return }
    try await base.write(browser.record.id) { writer in
      switch mutation {
      case .slotLostAtRestart: _ = try writer.removeAllClicks(in: .ephemeral)
      case .timerLostAtRestart:
        var state = try writer.state()
        state.timer = nil
        try writer.save(state)
      case .interruptedIsSentAgain:
        for var report in try writer.reports(in: .sending, after: 0, limit: .max) {
          report.message = report.message.with(state: .scheduled, retryAt: try writer.state().now)
          try writer.save(report)
        }
      default: break
      }
    }
  }
}

/// The browser whose requests the network gets, for its clock.
final class BrowserClock: Sendable {
  private let browser = NIOLockedValueBox<Browser?>(nil)

  func show(_ browser: Browser) { self.browser.withLockedValue { $0 = browser } }

  var shown: Browser? { browser.withLockedValue { $0 } }
}

struct SimulatedNetwork: Transport {
  let machine: Machine
  let process: Int
  let clock: BrowserClock
  let mutation: Mutation?

  func send(_ request: OutgoingRequest, route: NetworkRoute) async -> Exchange {
    guard let browser = clock.shown else {
      return Exchange(failure: TransportFailure(.transportClosed, "no request can leave before there is a browser"))
    }
    let seen = mutation == .requestCarriesCookie ? request.withCookie : request
    guard let now = try? await browser.configuration().now else {
      return Exchange(failure: TransportFailure(.transportClosed, "the process is dead"))
    }
    let exchange = machine.send(seen, at: now)
    guard let operation = machine.takeInterruption(process: process) else { return exchange }
    do {
      _ = try await operation.perform(in: browser)
      return exchange
    } catch {
      return Exchange(failure: TransportFailure(.protocolError, "\(operation) failed: \(error)"))
    }
  }
}

extension OutgoingRequest {
  fileprivate var withCookie: OutgoingRequest {
    OutgoingRequest(method: method, url: url, headers: headers + [Header("Cookie", "id=1")], body: body)
  }
}

/// A folder of one run's own, removed with everything in it.
private final class TemporaryFolder: Sendable {
  private let path: String

  init() throws {
    path = FileManager.default.temporaryDirectory.appendingPathComponent("pcm-simulation-\(UUID().uuidString)").path
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }

  var database: String { path + "/browsers.sqlite" }
}
