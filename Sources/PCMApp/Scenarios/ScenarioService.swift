import Logging
import NIOConcurrencyHelpers
import PCMBrowser
import PCMCore
import PCMHTTP
import PCMInput
import PCMNetwork
import PCMPages
import PCMScenario
import PCMStore

/// The service for the browser of one scenario, without a port, composed again at each restart.
actor ScenarioService {
  /// The outgoing requests, across restarts.
  nonisolated let record: RecordingTransport
  private let world: World
  private let writes: WriteLimit
  private let keeper: ScenarioKeeper
  private var parts: Parts?
  private let current: NIOLockedValueBox<Browsers?>

  private struct Parts {
    let api: InProcessAPI
    let durable: any Store
  }

  /// - Parameters:
  ///   - transport: The transport that responds.
  ///   - wallClock: The clock for the timestamps of attempts.
  init(
    start: Instant, parser: SiteParser, transport: any Transport, route: NetworkRoute,
    wallClock: @escaping @Sendable () -> Instant, keeper: ScenarioKeeper, limit: WriteLimit
  ) {
    let current = NIOLockedValueBox<Browsers?>(nil)
    record = RecordingTransport(transport) {
      // The browser waits for the response to this request, and its clock does not move.
      guard let browser = try? current.withLockedValue({ $0 })?.browser(ScenarioPlayer.browser) else { return start }
      return browser.configuration.now
    }
    // No browser of a scenario runs on the real clock, so this is never called.
    world = World(
      transport: record, route: route, sites: parser, wallClock: wallClock, sleep: { _ in throw CancellationError() })
    self.current = current
    self.keeper = keeper
    writes = limit
  }

  /// The service as the player uses it.
  nonisolated var stage: ScenarioStage {
    ScenarioStage(call: { try await self.call($0) }, restart: { try await self.restart() })
  }

  /// Starts the service with the existing data.
  func open() async throws {
    let durable = try keeper.open()
    let service = BrowserService(
      world: world, durable: LimitedStore(durable, writes), ephemeral: LimitedStore(MemoryStore(), writes),
      newSeed: { "scenario" })
    let logger = Logger(label: "scenario", factory: { _ in SwiftLogNoOpLogHandler() })
    parts = Parts(api: InProcessAPI(service.api, logger: logger), durable: durable)
    try await service.browsers.load()
    current.withLockedValue { $0 = service.browsers }
  }

  /// What the browser did and will do; nil when there is nothing to draw.
  func timeline() async -> TimelineView? {
    guard let browser = try? current.withLockedValue({ $0 })?.browser(ScenarioPlayer.browser) else { return nil }
    return try? await browser.stillTimeline()
  }

  /// Ends the service and removes its data.
  func end() async throws {
    try await close()
    try keeper.remove()
  }

  private func restart() async throws {
    try await close()
    try await open()
  }

  private func close() async throws {
    let durable = parts?.durable
    parts = nil
    current.withLockedValue { $0 = nil }
    if let durable { try await keeper.close(durable) }
  }

  private func call(_ call: ScenarioStage.Call) async throws -> ScenarioStage.Response {
    guard let api = parts?.api else { throw StoreError.closed }
    let response = try await api.call(call.method, call.path, body: call.body, mediaType: call.mediaType)
    return ScenarioStage.Response(status: response.status, body: response.body)
  }
}
