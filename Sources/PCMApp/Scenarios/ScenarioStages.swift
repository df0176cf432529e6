import Foundation
import PCMCore
package import PCMInput
package import PCMNetwork
package import PCMScenario
import PCMStore
import PCMStoreSQLite

/// Plays scenarios, each in a separate service with one browser and a separate network.
package struct ScenarioStages: Sendable {
  /// The network that responds to the browser's requests.
  package enum Network: Sendable {
    /// Simulated sites from the scenario.
    case simulated
    /// The real sites.
    case live(any Transport, NetworkRoute)
  }

  /// The storage of durable browsers during their scenario.
  package enum Durability: Sendable {
    /// SQLite, in a temporary folder.
    case disk
    /// A store in memory that survives a restart within the scenario and uses no disk.
    case process
  }

  private let parser: SiteParser
  private let network: Network
  private let durability: Durability
  private let writeLimit: Int?

  /// The limit for callers of the service: many times the need of a typical scenario, and a few seconds at most.
  static let serviceWriteLimit = 10_000

  /// - Parameter writeLimit: The number of transactions that an untrusted scenario may take.
  package init(
    sites: SiteParser, network: Network = .simulated, durability: Durability = .disk, writeLimit: Int? = nil
  ) {
    parser = sites
    self.network = network
    self.durability = durability
    self.writeLimit = writeLimit
  }

  /// Plays a scenario from its beginning and removes its service.
  ///
  /// - Parameter seed: A seed that replaces the scenario's seed.
  package func play(_ scenario: Scenario, seed: String? = nil) async throws -> ScenarioResult {
    try await play(scenario, seed: seed) { _ in }.result
  }

  /// Plays a scenario, and reads its service before that is removed.
  func play<View>(
    _ scenario: Scenario, seed: String?, view: (ScenarioService) async -> View
  ) async throws -> (result: ScenarioResult, view: View) {
    let sites: SimulatedSites?
    let service: ScenarioService
    let keeper = try ScenarioKeeper(isDurable: scenario.browser.isDurable, durability)
    let limit = WriteLimit(writeLimit)
    switch network {
    case .simulated:
      let simulated = SimulatedSites(registrableDomain: { [parser] in parser.site(ofHost: $0).site.domain })
      sites = simulated
      service = ScenarioService(
        start: scenario.browser.start, parser: parser, transport: simulated, route: NetworkRoute(),
        wallClock: { [start = scenario.browser.start] in start }, keeper: keeper, limit: limit)
    case .live(let transport, let route):
      sites = nil
      // The expiry of cookies and certificates uses the machine's clock.
      service = ScenarioService(
        start: scenario.browser.start, parser: parser, transport: transport, route: route,
        wallClock: { SystemTime.now }, keeper: keeper, limit: limit)
    }
    do {
      try await service.open()
      let player = ScenarioPlayer(stage: service.stage, record: service.record, sites: sites)
      let result = try await player.play(scenario, seed: seed)
      let viewed = await view(service)
      try await service.end()
      return (result, viewed)
    } catch {
      try? await service.end()
      throw error
    }
  }
}

/// Stores the data of a scenario's durable browser between two starts of its service.
enum ScenarioKeeper: Sendable {
  /// No data needs to survive a restart.
  case nothing
  case memory(MemoryStore)
  /// The path of a folder.
  case folder(String)

  init(isDurable: Bool, _ durability: ScenarioStages.Durability) throws(StoreError) {
    switch (isDurable, durability) {
    case (false, _): self = .nothing
    case (true, .process): self = .memory(MemoryStore())
    case (true, .disk): self = .folder(try Self.makeFolder())
    }
  }

  func open() throws -> any Store {
    switch self {
    case .nothing: MemoryStore()
    case .memory(let store): store
    case .folder(let path): try SQLiteStore(path: "\(path)/scenario.sqlite")
    }
  }

  func close(_ store: any Store) async throws {
    if case .folder = self { try await store.close() }
  }

  func remove() throws {
    if case .folder(let path) = self { try FileManager.default.removeItem(atPath: path) }
  }

  private static func makeFolder() throws(StoreError) -> String {
    let path = FileManager.default.temporaryDirectory.appendingPathComponent("pcm-browser-scenario-\(SystemChance.seed())").path
    do {
      try FileManager.default.createDirectory(
        atPath: path, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    } catch {
      throw .unavailable("cannot create the temporary folder \(path); set TMPDIR to a writable folder")
    }
    return path
  }
}
