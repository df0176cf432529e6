import Logging
import PCMBrowser
import PCMCore
import PCMDelivery
import PCMHTTP
import PCMManifest
import PCMScenario
import PCMSites
import PCMStore
import PCMStoreSQLite

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The service's parts around the browser of one scenario, without a port, put together anew at each restart.
actor ScenarioService {
  /// What leaves; it goes on through restarts.
  nonisolated let record: RecordingTransport
  private let world: World
  private let writes: WriteLimit
  /// The folder of the durable store; nil when nothing has to outlive a restart.
  private let folder: String?
  private var parts: Parts?
  private let current: Locked<Browsers?>

  private struct Parts {
    let api: InProcessAPI
    let stores: [any Store]
  }

  /// - Parameters:
  ///   - transport: what answers.
  ///   - wallClock: what attempts are stamped with.
  ///   - writeLimit: how many transactions there may be.
  init(
    _ setup: Scenario.Setup, parser: SiteParser, transport: any Transport, route: NetworkRoute,
    wallClock: @escaping @Sendable () -> Instant, writeLimit: Int?
  ) throws {
    let current = Locked<Browsers?>(nil)
    record = RecordingTransport(transport) {
      // The browser waits for the answer of this request, and its clock with it.
      guard let browser = try? await current.withLock({ $0 })?.browser(ScenarioPlayer.browser) else { return setup.start }
      return await browser.configuration.now
    }
    // No browser of a scenario runs on the real clock, so nobody sleeps.
    world = World(
      transport: record, route: route, sites: parser, wallClock: wallClock, sleep: { _ in throw CancellationError() })
    self.current = current
    writes = WriteLimit(writeLimit)
    folder = setup.isDurable ? try Self.makeFolder() : nil
  }

  /// What the player sees of it.
  nonisolated var stage: ScenarioStage {
    ScenarioStage(call: { try await self.call($0) }, restart: { try await self.restart() })
  }

  /// Starts the service over the data that are there.
  func open() async throws {
    let (memory, sites) = (MemoryStore(), world.sites)
    let durable: any Store = if let folder { try SQLiteStore(path: "\(folder)/scenario.sqlite") } else { MemoryStore() }
    let browsers = Browsers(
      world: world, durable: LimitedStore(durable, writes), memory: LimitedStore(memory, writes),
      realTime: RealTime(wallClock: world.wallClock, sleep: world.sleep), newSeed: { "scenario" })
    let api = ControlAPI(
      browsers: browsers, manifests: ManifestReader(parseURL: { try? sites.url($0) }),
      checkReady: { try await durable.checkWritable() })
    parts = Parts(
      api: InProcessAPI(api, logger: Logger(label: "scenario", factory: { _ in SwiftLogNoOpLogHandler() })),
      stores: [durable, memory])
    try await browsers.load()
    current.withLock { $0 = browsers }
  }

  /// Ends the service and removes its data.
  func end() async throws {
    try await close()
    if let folder { try FileManager.default.removeItem(atPath: folder) }
  }

  private func restart() async throws {
    try await close()
    try await open()
  }

  private func close() async throws {
    let stores = parts?.stores ?? []
    parts = nil
    current.withLock { $0 = nil }
    for store in stores { try await store.close() }
  }

  private func call(_ call: ScenarioStage.Call) async throws -> ScenarioStage.Answer {
    guard let api = parts?.api else { throw StoreError.closed }
    let answer = try await api.call(call.method, call.path, body: call.body, mediaType: call.mediaType)
    return ScenarioStage.Answer(status: answer.status, body: answer.body)
  }

  private static func makeFolder() throws -> String {
    let path = FileManager.default.temporaryDirectory.appendingPathComponent("pcm-browser-scenario-\(SystemChance.seed())").path
    do {
      try FileManager.default.createDirectory(
        atPath: path, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    } catch {
      throw StoreError.unavailable("cannot create the temporary folder \(path); set TMPDIR to one that can be written to")
    }
    return path
  }
}
