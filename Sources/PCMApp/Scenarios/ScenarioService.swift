import Logging
import NIOConcurrencyHelpers
import PCMBrowser
import PCMCore
import PCMHTTP
import PCMNetwork
import PCMPages
import PCMScenario
import PCMStore
import PCMURL

/// The service for the browser of one scenario, without a port, composed again at each restart.
actor ScenarioService {
  /// The outgoing requests, across restarts.
  nonisolated let record: RecordingTransport
  private let environment: BrowserEnvironment
  private let writes: WriteLimit
  /// The data of a durable browser, which remains until the end of the scenario.
  private let durable: any Store
  private var api: InProcessAPI?
  private let current: NIOLockedValueBox<Browsers?>

  /// - Parameters:
  ///   - transport: The transport that responds.
  ///   - wallClock: The clock for the timestamps of attempts.
  ///   - durable: The store of a durable browser; nil for one in memory.
  init(
    start: Instant, parser: SiteParser, transport: any Transport, route: NetworkRoute,
    wallClock: @escaping @Sendable () -> Instant, limit: WriteLimit, durable: (any Store)?
  ) {
    let current = NIOLockedValueBox<Browsers?>(nil)
    record = RecordingTransport(transport) {
      // The browser waits for the response to this request, and its clock does not move.
      guard let browser = try? await current.withLockedValue({ $0 })?.browser(ScenarioPlayer.browser),
        let configuration = try? await browser.configuration()
      else { return start }
      return configuration.now
    }
    // No browser of a scenario runs on the real clock, so this is never called.
    environment = BrowserEnvironment(
      transport: record, route: route, sites: parser, wallClock: wallClock, sleep: { _ in throw CancellationError() })
    self.current = current
    writes = limit
    self.durable = durable ?? MemoryStore(admitWrite: limit.take)
  }

  /// The service as the player uses it.
  nonisolated var stage: ScenarioStage {
    ScenarioStage(call: { try await self.call($0) }, restart: { try await self.restart() })
  }

  /// Starts the service with the existing data.
  func open() async throws {
    let service = BrowserService(
      environment: environment, durable: durable, ephemeral: MemoryStore(admitWrite: writes.take), newSeed: { "scenario" })
    let logger = Logger(label: "scenario", factory: { _ in SwiftLogNoOpLogHandler() })
    api = InProcessAPI(service.api, logger: logger)
    try await service.browsers.load()
    current.withLockedValue { $0 = service.browsers }
  }

  /// Returns the browser's timeline; nil when it is empty.
  func timeline() async -> TimelineView? {
    guard let browser = try? await current.withLockedValue({ $0 })?.browser(ScenarioPlayer.browser) else { return nil }
    return try? await browser.stillTimeline()
  }

  /// Returns the browser's page as one file; nil when the scenario deleted the browser.
  func trace() async -> [UInt8]? {
    let response = try? await api?.call("GET", "/v1/browsers/\(ScenarioPlayer.browser)/trace", body: [])
    return response?.status == 200 ? response?.body : nil
  }

  private func restart() async throws {
    api = nil
    current.withLockedValue { $0 = nil }
    try await open()
  }

  private func call(_ call: ScenarioStage.Call) async throws -> ScenarioStage.Response {
    guard let api else { throw StoreError.closed }
    let response = try await api.call(call.method, call.path, body: call.body, mediaType: call.mediaType)
    return ScenarioStage.Response(status: response.status, body: response.body)
  }
}

/// The number of transactions that a scenario may take in total, including restarts, which measures its cost. Every loop in a browser
/// writes, so the limit ends it.
final class WriteLimit: Sendable {
  private let limit: Int
  private let taken = NIOLockedValueBox(0)

  /// - Parameter limit: The maximum; nil for no limit.
  init(_ limit: Int?) {
    self.limit = limit ?? .max
  }

  /// - Throws: When the limit is reached.
  @Sendable func take() throws {
    let number = taken.withLockedValue { taken in
      taken += 1
      return taken
    }
    guard number <= limit else {
      throw BrowserError.conflict("the scenario exceeds the limit of \(limit) transactions; play it with pcm-browser run")
    }
  }
}
