import Foundation
package import Logging
import PCMBrowser
import PCMCore
import PCMCrypto
import PCMCurl
import PCMDevTools
import PCMEndpoint
package import PCMHTTP
import PCMManifest
import PCMNetwork
import PCMScenario
import PCMStore
import PCMStorePostgres
import PCMStoreSQLite
import PCMURL
package import ServiceLifecycle

/// The composition root of `serve`: its parts depend on each other only through the values passed in this file.
package struct Composition: Sendable {
  private let server: ControlServer
  private let durable: any Store
  private let transport: CurlTransport
  private let realTime: RealTime
  private let browsers: Browsers
  private let attachments: Attachments
  private let logger: Logger

  /// Opens the store and restores its browsers. The service does not listen yet.
  ///
  /// - Parameters:
  ///   - extension: Additional routes, for measurements.
  ///   - onListening: Receives the port once connections are accepted.
  package init(
    _ settings: ServiceSettings, logger: Logger, extension: RouterExtension = .none,
    onListening: @escaping @Sendable (_ port: Int) -> Void
  ) async throws {
    let sites = SiteParser(publicSuffixList: try Self.publicSuffixList(settings))
    let metricSet = MetricSet()
    let uptime = SystemTime.uptime()
    if let folder = settings.dataDirectory, !FileManager.default.fileExists(atPath: folder) {
      // A service that cannot listen creates no folder.
      try await ControlServer.requireAddress(host: settings.host, port: settings.port)
    }
    let file = try settings.dataDirectory.map { try Self.openStore(in: $0) }
    let durable: any Store =
      if let address = settings.database {
        try await Self.openStore(at: address, uptime: uptime, logger: logger)
      } else {
        file ?? MemoryStore()
      }
    let ephemeral = MemoryStore()
    let transport = try CurlTransport(maximumInFlight: BrowserEnvironment.maximumRequestCount)
    let network = MeteredTransport(transport, metricSet: metricSet, uptime: uptime)
    let environment = BrowserEnvironment(
      transport: network, route: settings.route, sites: sites,
      wallClock: { SystemTime.now },
      sleep: { try await SystemTime.sleep(until: $0) }, storeMeter: metricSet.storeMeter(uptime: uptime))
    let metrics = Metrics(
      metricSet: metricSet, stores: [.durable: durable, .ephemeral: ephemeral], version: PCMBrowserCommand.version,
      startedAt: SystemTime.now, wallClock: environment.wallClock)
    let stages = ScenarioStages(sites: sites, writeLimit: ScenarioStages.serviceWriteLimit)
    attachments = Attachments(environment: .system, allowedHosts: Set(settings.devToolsHosts.map { $0.lowercased() }))
    let service = BrowserService(
      environment: environment, durable: durable, ephemeral: ephemeral, newSeed: { SystemChance.seed() },
      maximumBrowserCount: settings.capacity.browsers,
      metrics: metrics,
      scenarios: ScenarioPlaying(perform: { try await stages.play($0) }), attachments: attachments, website: .ofPackage,
      probePauses: ProbePauses { try await Task.sleep(for: $0) })
    server = ControlServer(
      api: service.api, access: AccessRules(hosts: settings.hosts, token: settings.apiToken), extension: `extension`,
      host: settings.host, port: settings.port, limits: Self.limits(settings, logger: logger), logger: logger,
      onListening: onListening)
    self.durable = durable
    self.transport = transport
    realTime = service.realTime
    browsers = service.browsers
    self.logger = logger
    try await Self.load(service.browsers, from: settings, logger: logger)
    // The recovery of interrupted reports may exceed the limit.
    try await file?.limitSize(to: settings.capacity.disk)
  }

  /// The services stop in reverse order: the attachments, whose requests continue at once, the server, the clocks, the network, and
  /// the store.
  package var services: [any Service] {
    [
      Closing { try await durable.close() },
      Closing { await transport.close() },
      RealTimeService(realTime: realTime, browsers: browsers, logger: logger),
      IdleService(browsers: browsers, logger: logger),
      ChangeService(browsers: browsers),
      server,
      Closing { await attachments.stop() },
    ]
  }

  /// Limits connections, because accepting more than the process may have open files would end the server.
  private static func limits(_ settings: ServiceSettings, logger: Logger) -> ServerLimits {
    var limits = ServerLimits(connections: settings.maxConnections)
    let extra = limits.accepted - limits.connections + OpenFiles.reserve
    let possible = OpenFiles.allow(limits.connections + extra) - extra
    guard possible < limits.connections else { return limits }
    limits.connections = max(1, possible)
    logger.warning(
      "the limit on open files is too low for --max-connections",
      metadata: ["wanted": "\(settings.maxConnections)", "possible": "\(limits.connections)"])
    return limits
  }

  private static func publicSuffixList(_ settings: ServiceSettings) throws -> PublicSuffixList {
    guard let file = settings.publicSuffixList else { return .builtIn() }
    func error(_ sentence: String) -> StartError {
      StartError(description: "\(sentence) Choose another file with --public-suffix-list, or omit it.")
    }
    let bytes: [UInt8]
    do throws(StartError) {
      bytes = try TextFile.bytes(of: file, upTo: PublicSuffixList.fileLimit + 1)
    } catch let cause {
      throw error("The public suffix list \(file) cannot be read: \(cause.description).")
    }
    guard bytes.count <= PublicSuffixList.fileLimit else {
      throw error("The public suffix list \(file) is larger than \(PublicSuffixList.fileLimit) bytes.")
    }
    do throws(PublicSuffixList.ReadError) {
      return try PublicSuffixList(bytes)
    } catch .notAList {
      throw error("\(file) is not a public suffix list: it has no line \"// ===BEGIN ICANN DOMAINS===\".")
    } catch .empty {
      throw error("The public suffix list \(file) has no rules.")
    }
  }

  private static func load(_ browsers: Browsers, from settings: ServiceSettings, logger: Logger) async throws {
    do {
      try await browsers.load { browser in
        guard let name = browser.name else {
          return logger.warning("a browser without a readable name is skipped", metadata: ["row": "\(browser.error)"])
        }
        logger.warning(
          "a browser cannot be loaded; DELETE removes it", metadata: ["browser": "\(name)", "row": "\(browser.error)"])
      }
    } catch let error as StoreError {
      guard settings.database == nil else { throw StartError(error) }
      throw StartError(error, reading: settings.dataDirectory.map(DataFolder.database) ?? "memory")
    }
  }

  private static func openStore(
    at address: PostgresAddress, uptime: @escaping @Sendable () -> Duration, logger: Logger
  ) async throws -> PostgresStore {
    let store = try await PostgresStore(address, uptime: uptime, wallClock: { SystemTime.now })
    if store.skew > .seconds(5) {
      logger.warning(
        "the clock of this machine differs from that of PostgreSQL; synchronize it",
        metadata: ["milliseconds": "\(store.skew.milliseconds)"])
    }
    return store
  }

  /// Opens the store in a folder, which is created when it is missing.
  private static func openStore(in directory: String) throws -> SQLiteStore {
    do {
      try DataFolder.create(directory)
      return try SQLiteStore(path: DataFolder.database(in: directory), uptime: SystemTime.uptime())
    } catch let error as StoreError {
      throw StartError(description: "\(error)\(error.hasRemedy ? ", or" : ";") use another folder with --data")
    } catch {
      throw StartError(description: "cannot create the data folder \(directory); choose another one with --data")
    }
  }
}

extension StartError {
  /// Creates the error of a data file that was opened.
  init(_ error: StoreError, reading file: String) {
    let description =
      switch error {
      case .full: "the disk of \(file) is full; free space on it, or use another folder with --data"
      // The file is good.
      case .unstorableTime: "\(error)"
      default: "cannot read \(file): \(error); restore a copy of it, or use another folder with --data"
      }
    self.init(description: description)
  }
}

extension StoreError {
  /// Whether the description ends with a remedy.
  fileprivate var hasRemedy: Bool {
    switch self {
    case .otherVersion, .brokenOwnerFile: true
    default: false
    }
  }
}

/// Browsers and the API to them, over the stores and the network of a service, of a scenario, or of a test.
struct BrowserService: Sendable {
  let browsers: Browsers
  let api: ControlAPI
  let realTime: RealTime

  init(
    environment: BrowserEnvironment, durable: any Store, ephemeral: any Store, newSeed: @escaping @Sendable () -> String,
    maximumBrowserCount: Int = Browsers.standardMaximumCount, metrics: Metrics = .none,
    scenarios: ScenarioPlaying? = nil, attachments: Attachments? = nil, website: Website = .none,
    probePauses: ProbePauses = .endless
  ) {
    let sites = environment.sites
    realTime = RealTime(wallClock: environment.wallClock, sleep: environment.sleep)
    browsers = Browsers(
      environment: environment, durable: durable, ephemeral: ephemeral, realTime: realTime, newSeed: newSeed,
      maximumCount: maximumBrowserCount)
    api = ControlAPI(
      browsers: browsers, manifests: ManifestReader(sites: sites), metrics: metrics,
      scenarios: scenarios, attachments: attachments, website: website, probePauses: probePauses,
      checkReady: { try await durable.checkWritable() })
  }
}

/// The reference endpoint of `receive` and of the demo.
struct EndpointService: Sendable {
  let endpoint: ReportEndpoint
  let server: EndpointServer

  /// - Parameters:
  ///   - files: The key files, for keys that are generated and rotated later.
  ///   - issue: Returns a certificate for the host name that a client requests; nil for `identity`.
  ///   - adminHosts: The names of the endpoint in requests to the admin API.
  ///   - hasSites: Whether to also serve the pages of the demo's sites.
  ///   - record: Receives each evaluated request.
  init(
    host: String, port: Int, keys: KeyRing, files: TokenKeyFiles, appAds: AppAds, identity: ServerIdentity,
    issue: (@Sendable (_ host: String) -> ServerIdentity?)? = nil, adminHosts: [String], adminToken: String?,
    hasSites: Bool = false, logger: Logger,
    record: @escaping @Sendable (Entry) -> Void,
    onListening: @escaping @Sendable (_ port: Int) -> Void
  ) {
    endpoint = ReportEndpoint(keys: keys, appAds: appAds, now: { SystemTime.now }, record: record)
    server = EndpointServer(
      api: EndpointAPI(
        endpoint: endpoint, machine: EndpointAPI.Machine(files), adminHosts: adminHosts, adminToken: adminToken,
        hasSites: hasSites),
      host: host, port: port, certificate: identity.certificate, privateKey: identity.privateKey, issue: issue,
      logger: logger, onListening: onListening)
  }
}

/// Waits for the shutdown, then closes a resource.
private struct Closing: Service {
  let close: @Sendable () async throws -> Void

  func run() async throws {
    try? await gracefulShutdown()
    try await close()
  }
}

/// Removes idle browsers.
private struct IdleService: Service {
  let browsers: Browsers
  let logger: Logger

  func run() async throws {
    await cancelWhenGracefulShutdown {
      await browsers.removeIdleBrowsers(every: .seconds(15)) { browser, error in
        logger.error(
          "an idle browser cannot be removed",
          metadata: Logger.Metadata(error: error).merging(["browser": "\(browser.record.name)"]) { $1 })
      }
    }
  }
}

/// Follows the changes of other instances.
private struct ChangeService: Service {
  let browsers: Browsers

  func run() async throws {
    await cancelWhenGracefulShutdown { await browsers.followChanges() }
    // A store with one owner has nothing to follow, and the end of a service would end the others.
    try? await gracefulShutdown()
  }
}

/// Wakes browsers on the real clock.
private struct RealTimeService: Service {
  let realTime: RealTime
  let browsers: Browsers
  let logger: Logger

  func run() async throws {
    await withGracefulShutdownHandler {
      await realTime.run(browsers) { browser, error in
        guard let browser else {
          return logger.error("the store cannot be asked for due browsers", metadata: Logger.Metadata(error: error))
        }
        logger.error(
          "error in a due browser",
          metadata: Logger.Metadata(error: error).merging(["browser": "\(browser.name)"]) { $1 })
      }
    } onGracefulShutdown: {
      Task { realTime.stop() }
    }
  }
}
