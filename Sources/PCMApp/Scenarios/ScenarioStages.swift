import PCMCore
package import PCMNetwork
package import PCMScenario
import PCMSimulatedSites
package import PCMStore
package import PCMURL

/// Plays scenarios, each in a separate service with one browser and a separate network.
package struct ScenarioStages: Sendable {
  /// The network that responds to the browser's requests.
  package enum Network: Sendable {
    /// Simulated sites from the scenario.
    case simulated
    /// The real sites.
    case live(any Transport, NetworkRoute)
  }

  private let parser: SiteParser
  private let network: Network
  private let writeLimit: Int?
  private let durable: (any Store)?

  /// The limit for callers of the service: many times the need of a typical scenario, and a few seconds at most.
  static let serviceWriteLimit = 10_000

  /// - Parameters:
  ///   - writeLimit: The number of transactions in memory that an untrusted scenario may take.
  ///   - durable: The store of durable browsers; nil for one in memory for each scenario.
  package init(
    sites: SiteParser, network: Network = .simulated, writeLimit: Int? = nil, durable: (any Store)? = nil
  ) {
    parser = sites
    self.network = network
    self.writeLimit = writeLimit
    self.durable = durable
  }

  /// Plays a scenario from its beginning.
  ///
  /// - Parameter seed: A seed that replaces the scenario's seed.
  package func play(_ scenario: Scenario, seed: String? = nil) async throws -> ScenarioResult {
    try await play(scenario, seed: seed) { _, _ in }.result
  }

  /// Plays a scenario, and reads its service at the end.
  func play<View>(
    _ scenario: Scenario, seed: String?, view: (ScenarioService, ScenarioResult) async throws -> View
  ) async throws -> (result: ScenarioResult, view: View) {
    let sites: SimulatedSites?
    let (transport, route): (any Transport, NetworkRoute)
    let wallClock: @Sendable () -> Instant
    switch network {
    case .simulated:
      let simulated = SimulatedSites(registrableDomain: { [parser] in parser.site(ofHost: $0).site.domain })
      (sites, transport, route) = (simulated, simulated, NetworkRoute())
      wallClock = { [start = scenario.browser.start] in start }
    case .live(let live, let way):
      (sites, transport, route) = (nil, live, way)
      // The expiry of cookies and certificates uses the machine's clock.
      wallClock = { SystemTime.now }
    }
    let service = ScenarioService(
      start: scenario.browser.start, parser: parser, transport: transport, route: route, wallClock: wallClock,
      limit: WriteLimit(writeLimit), durable: durable)
    try await service.open()
    let player = ScenarioPlayer(stage: service.stage, record: service.record, sites: sites, uptime: SystemTime.uptime())
    let result = try await player.play(scenario, seed: seed)
    return (result, try await view(service, result))
  }
}
