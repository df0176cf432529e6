import BrowserSupport
import NIOConcurrencyHelpers
import PCMBrowser
import PCMCore
import PCMCrypto
import PCMManifest
import PCMNetwork
import PCMStore
import PCMURL

/// A device with three ad networks, an app that displays their ads, and the advertised app.
struct DeviceWorld {
  static let developer = "shop.example"
  private static let (sourceApp, sourceItem): (String, Int64) = ("com.example.news", 1_001)
  private static let (advertisedApp, advertisedItem): (String, Int64) = ("com.example.game", 525_463_029)
  private static let nonce = "6aafb7a5-0170-41b5-bbe4-fe71dedf1e28"
  /// Reading the keys takes longer than most plans.
  private static let keys = Result { try TestKeys() }
  private static let sites = SiteParser(publicSuffixList: .builtIn())

  private let store = MemoryStore()
  private let down = NIOLockedValueBox<Set<String>>([])
  private let transport: ScriptedTransport
  private(set) var scene: Scene
  private var browser: Browser { scene.browser }

  static func host(_ network: String) -> String { "\(network.prefix { $0 != "." }).example" }

  init(seed: UInt64) async throws {
    let down = down
    transport = ScriptedTransport { request, _ in
      let host = request.url.dropFirst("https://".count).prefix { $0 != "/" }
      return Exchange(httpStatus: down.withLockedValue { $0.contains(String(host)) } ? 503 : 200)
    }
    scene = try await Scene(seed: String(seed), store: store, transport: transport)
    for network in DevicePlan.networks {
      var input = AdNetworkInput()
      (input.publicKey, input.postbackURL) = (TestKeyPair.adNetwork.publicKey, "https://\(Self.host(network))/postbacks")
      _ = try await browser.register(adNetwork: network, input)
    }
    let networks = DevicePlan.networks.map { JSON.string($0) }
    try await register(
      Self.sourceApp, Self.sourceItem,
      [
        "SKAdNetworkItems": .array(networks.map { ["SKAdNetworkIdentifier": $0] }), "AdNetworkIdentifiers": .array(networks),
      ])
    try await register(
      Self.advertisedApp, Self.advertisedItem,
      [
        "NSAdvertisingAttributionReportEndpoint": "https://shop.example", "AttributionCopyEndpoint": "https://shop.example",
      ])
  }

  private func register(_ app: String, _ item: Int64, _ keys: JSON) async throws {
    let plist = JSON.object([.init("CFBundleIdentifier", .string(app))] + keys.members)
    let manifest = try ManifestReader(parseURL: { try? Self.sites.url($0) }).read(infoPlist: plist)
    _ = try await browser.register(manifest, itemIdentifier: item)
  }

  /// Performs an operation, and returns its answer.
  mutating func perform(_ operation: DeviceOperation) async throws -> DeviceAnswer {
    switch operation {
    case .ad(let ad): return .ad(isRecorded: try await show(ad))
    case .install:
      var input = InstallInput()
      input.bundleIdentifier = Self.advertisedApp
      return .install(isAttributed: try await browser.perform(input).kind == .attributed)
    case .launch:
      var input = LaunchInput()
      input.bundleIdentifier = Self.advertisedApp
      _ = try await browser.perform(input)
    case .value(let framework, let fine, let coarse, let locks):
      var input = ConversionValueInput()
      (input.bundleIdentifier, input.framework) = (Self.advertisedApp, framework)
      (input.fineValue, input.coarseValue, input.lockWindow) = (fine, coarse, locks)
      return .value(isAccepted: try await browser.perform(input).kind == .accepted)
    case .advance(let interval): try await advance(interval)
    case .endpoint(let host, let isUp):
      down.withLockedValue { hosts in
        if isUp { hosts.remove(host) } else { hosts.insert(host) }
      }
    case .restart: scene = try await Scene(restarting: store, transport: transport)
    }
    return .nothing
  }

  private func advance(_ interval: Interval) async throws {
    let end = try await browser.configuration().now + interval
    while try await !browser.advance(.to(end)).isFinished {}
  }

  /// Displays an ad, and taps it or ends its view after five seconds.
  private func show(_ ad: PlannedAd) async throws -> Bool {
    let started = try await browser.perform(try input(for: ad))
    let name = RecordName.impression(started.impression)
    guard ad.isView else {
      guard ad.version == nil else { return started.kind == .recorded }
      return try await browser.perform(ImpressionTapInput(), on: name).kind == .recorded
    }
    try await advance(.seconds(5))
    return try await browser.perform(ImpressionEndInput(), on: name).kind == .recorded
  }

  private func input(for ad: PlannedAd) throws -> ImpressionInput {
    var input = ImpressionInput()
    input.bundleIdentifier = Self.sourceApp
    let (key, timestamp) = (try Self.keys.get().adNetwork, Scene.start.milliseconds)
    guard let version = ad.version else {
      input.jws = try AdAttributionKitImpression(
        impressionIdentifier: Self.nonce, publisherItemIdentifier: Self.sourceItem, adNetworkIdentifier: ad.network,
        sourceIdentifier: Int64(1_000 + ad.number), advertisedItemIdentifier: Self.advertisedItem, timestamp: timestamp,
        isEligibleForReengagement: nil
      ).jws(signedBy: key)
      return input
    }
    let impression = SKAdNetworkImpression(
      version: version, adNetworkIdentifier: ad.network, campaign: ad.campaign, itemIdentifier: Self.advertisedItem,
      nonce: Self.nonce, source: .app(Self.sourceItem),
      fidelity: version < .v22 ? nil : ad.isView ? .viewThrough : .storeKitRendered, timestamp: timestamp)
    input.presentation = ad.isView ? "view-through" : "storekit-rendered"
    input.version = version.rawValue
    switch ad.campaign {
    case .campaign(let number): input.adCampaignIdentifier = number
    case .source: input.sourceIdentifier = Int64(1_000 + ad.number)
    }
    (input.adNetworkIdentifier, input.adImpressionIdentifier) = (ad.network, Self.nonce)
    (input.advertisedAppStoreItemIdentifier, input.sourceAppStoreItemIdentifier) = (Self.advertisedItem, Self.sourceItem)
    input.timestamp = timestamp
    input.signature = try impression.signature(by: key)
    return input
  }

  /// The postbacks so far, in their order, without their events.
  func postbacks() async throws -> [SeenPostback] {
    try await browser.postbackPage(limit: 1_000).items.map { SeenPostback($0) }
  }

  /// The postbacks so far, in their order.
  func history() async throws -> [SeenPostback] {
    var times: [EventKind: [JSON?: [Instant]]] = [:]
    for event in try await browser.events(after: 0, limit: 10_000) {
      let name = JSON(parsing: Array(event.detail.text.utf8))?["postbackId"]
      times[event.kind, default: [:]][name, default: []].append(event.at)
    }
    return try await browser.postbackPage(limit: 1_000).items.map { postback in
      let name = JSON.string(RecordName.postback(postback.id))
      var seen = SeenPostback(postback)
      seen.scheduledAt = times[.postbackScheduled]?[name]?.first
      seen.sentAt = times[.postbackSent]?[name] ?? []
      return seen
    }
  }

  func now() async throws -> Instant { try await browser.configuration().now }
}

/// The answer to an operation.
enum DeviceAnswer: Hashable, Sendable {
  case nothing
  case ad(isRecorded: Bool)
  case install(isAttributed: Bool)
  case value(isAccepted: Bool)
}

/// A postback, as it is listed, and its events.
struct SeenPostback: Hashable, Sendable {
  var conversion: Int64
  var impression: Int64
  var network: String
  var index: Int
  var didWin: Bool
  var recipient: Postback.Recipient
  var body: String
  /// When the log says that it was planned.
  var scheduledAt: Instant?
  var dueAt: Instant
  var state: Postback.State
  /// When each attempt left.
  var sentAt: [Instant] = []

  fileprivate init(_ postback: Postback) {
    (conversion, impression, index) = (postback.conversion, postback.impression, postback.sequenceIndex)
    (network, didWin, recipient) = (postback.adNetworkIdentifier, postback.didWin, postback.recipient)
    (body, dueAt, state) = (postback.body, postback.dueAt, postback.state)
  }
}
