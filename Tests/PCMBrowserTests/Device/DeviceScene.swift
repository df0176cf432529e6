import BrowserSupport
import PCMBrowser
import PCMCore
import PCMCrypto
import PCMDevice
import PCMManifest
import PCMStore
import PCMURL
import Testing

/// A device with a registered ad network, an app that displays its ads, and an advertised app.
struct DeviceScene {
  static let network = "test.skadnetwork"
  static let sourceApp = "com.example.news"
  static let sourceItem: Int64 = 1_001
  static let advertisedApp = "com.example.game"
  static let advertisedItem: Int64 = 525_463_029
  static let postbackURL = "https://network.example/postbacks"

  let scene: Scene
  let browser: Browser

  init(
    device: DeviceChange = DeviceChange(), seed: String = "seed", store: any Store = MemoryStore(),
    transport: ScriptedTransport = ScriptedTransport()
  ) async throws {
    scene = try await Scene(seed: seed, store: store, transport: transport)
    browser = scene.browser
    try await browser.change(device: device)
    try await register(Self.network)
    try await registerApps()
  }

  /// A device on the real clock.
  init(store: any Store, wallClock: @escaping @Sendable () -> Instant) async throws {
    scene = try await Scene(store: store, wallClock: wallClock)
    browser = try await scene.browsers.browser(Browsers.defaultName)
    try await register(Self.network)
    try await registerApps()
  }

  func register(_ network: String, at url: String = postbackURL) async throws {
    var input = AdNetworkInput()
    (input.publicKey, input.postbackURL) = (TestKeyPair.adNetwork.publicKey, url)
    _ = try await browser.register(adNetwork: network, input)
  }

  private func registerApps() async throws {
    try await register(
      Self.sourceApp, item: Self.sourceItem,
      [
        "SKAdNetworkItems": [["SKAdNetworkIdentifier": .string(Self.network)], ["SKAdNetworkIdentifier": "other.skadnetwork"]],
        "AdNetworkIdentifiers": [.string(Self.network), "other.skadnetwork"],
      ])
    try await register(
      Self.advertisedApp, item: Self.advertisedItem,
      [
        "NSAdvertisingAttributionReportEndpoint": "https://shop.example",
        "AttributionCopyEndpoint": "https://shop.example",
      ])
  }

  /// Registers an app by the keys of its Info.plist.
  func register(_ app: String, item: Int64?, _ keys: JSON) async throws {
    let sites = SiteParser(publicSuffixList: PublicSuffixList.builtIn())
    let plist = JSON.object([.init("CFBundleIdentifier", .string(app))] + keys.members)
    let manifest = try ManifestReader(parseURL: { try? sites.url($0) }).read(infoPlist: plist)
    _ = try await browser.register(manifest, itemIdentifier: item)
  }
}

extension DeviceScene {
  /// An ad of SKAdNetwork that is signed with the network's key.
  func ad(
    _ version: SKAdNetworkVersion = .v4, network: String = network, fidelity: Fidelity = .storeKitRendered,
    number: Int64 = 5_239
  ) throws -> ImpressionInput {
    let nonce = "6aafb7a5-0170-41b5-bbe4-fe71dedf1e28"
    let timestamp = Scene.start.milliseconds
    let campaign: CampaignIdentifier = version == .v4 ? .source(String(number)) : .campaign(number % 100 + 1)
    let impression = SKAdNetworkImpression(
      version: version, adNetworkIdentifier: network, campaign: campaign, itemIdentifier: Self.advertisedItem, nonce: nonce,
      source: version > .v1 ? .app(Self.sourceItem) : nil, fidelity: version >= .v22 ? fidelity : nil, timestamp: timestamp)
    var input = ImpressionInput()
    input.bundleIdentifier = Self.sourceApp
    input.presentation = fidelity == .viewThrough ? "view-through" : "storekit-rendered"
    input.version = version == .v1 ? nil : version.rawValue
    input.adNetworkIdentifier = network
    (input.adCampaignIdentifier, input.sourceIdentifier) = version == .v4 ? (nil, number) : (number % 100 + 1, nil)
    input.advertisedAppStoreItemIdentifier = Self.advertisedItem
    input.adImpressionIdentifier = nonce
    input.sourceAppStoreItemIdentifier = version > .v1 ? Self.sourceItem : nil
    input.timestamp = timestamp
    input.signature = try impression.signature(by: TestKeys().adNetwork)
    return input
  }

  /// An ad of AdAttributionKit that is signed with the network's key.
  func jws(reengagement: Bool? = nil, publisher: Int64 = sourceItem) throws -> ImpressionInput {
    let impression = AdAttributionKitImpression(
      impressionIdentifier: "6aafb7a5-0170-41b5-bbe4-fe71dedf1e28", publisherItemIdentifier: publisher,
      adNetworkIdentifier: Self.network, sourceIdentifier: 5_239, advertisedItemIdentifier: Self.advertisedItem,
      timestamp: Scene.start.milliseconds, isEligibleForReengagement: reengagement)
    var input = ImpressionInput()
    input.bundleIdentifier = Self.sourceApp
    input.jws = try impression.jws(signedBy: TestKeys().adNetwork)
    return input
  }

  @discardableResult
  func display(_ input: ImpressionInput) async throws -> ImpressionOutcome { try await browser.perform(input) }

  @discardableResult
  func install(_ tiers: CrowdTiers = CrowdTiers()) async throws -> InstallOutcome {
    var input = InstallInput()
    (input.bundleIdentifier, input.crowdTiers) = (Self.advertisedApp, tiers)
    return try await browser.perform(input)
  }

  @discardableResult
  func launch() async throws -> LaunchOutcome {
    var input = LaunchInput()
    input.bundleIdentifier = Self.advertisedApp
    return try await browser.perform(input)
  }

  @discardableResult
  func report(
    _ framework: AdFramework = .skadnetwork, fine: Int64? = nil, coarse: String? = nil, locks: Bool = false
  ) async throws -> ConversionValueOutcome {
    var input = ConversionValueInput()
    (input.bundleIdentifier, input.framework) = (Self.advertisedApp, framework)
    (input.fineValue, input.coarseValue, input.lockWindow) = (fine, coarse, locks)
    return try await browser.perform(input)
  }

  /// An ad, its install, the first launch, and a value in the first window.
  func converted(_ ad: ImpressionInput? = nil, fine: Int64 = 42) async throws {
    if let ad { try await display(ad) } else { try await display(self.ad()) }
    try await install()
    try await launch()
    try await report(fine: fine)
  }

  func postbacks(_ state: Postback.State? = nil) async throws -> [Postback] {
    try await browser.postbackPage(in: Set([state].compactMap { $0 }), limit: 1_000).items
  }

  func reasons(about name: String) async throws -> String {
    try await browser.explain(name).text
  }
}

extension ConversionValueOutcome {
  /// The conversions that the call concerns.
  var conversions: [Int64?] {
    effects.map { effect in
      switch effect {
      case .accept(let conversion, _, _, _): conversion
      case .reject(let conversion, _): conversion
      case .schedule, .drop: nil
      }
    }
  }
}
