import BrowserSupport
import PCMBrowser
import PCMCore
import PCMCrypto
import PCMManifest
import PCMURL

/// The events of a generated user with ads for apps: ads of three networks in two apps, their ends and taps, installs, launches, and
/// values, and among them the events of ``UserPlan``.
extension UserPlan {
  static let networks = ["example123.skadnetwork", "second.skadnetwork", "third.skadnetwork"]
  /// The apps that display ads, with their identifiers in the App Store.
  static let sourceApps: [(name: String, item: Int64)] = [("com.example.reader", 1_001), ("com.example.radio", 1_002)]
  /// The apps that ads advertise.
  static let advertisedApps: [(name: String, item: Int64)] = [("com.example.game", 525_463_029), ("com.example.bank", 77)]
  /// An app that is never installed by an event.
  static let otherApp = "com.example.other"

  init(appAds seed: UInt64) {
    self.init(seed: seed)
    var random = SplitMix64(seed: ~seed)
    var now = events[0].at
    device.systemVersion = random.pick(["18.6", "18.6", "26.2", "17.5", "15.0", "16.0"])
    device.conversionWindowStart = random.chance(1, in: 3) ? .firstUpdate : nil
    device.developerMode = random.chance(1, in: 6) ? true : nil
    device.testingProfile = random.chance(1, in: 8) ? true : nil
    // A third of the users also has the events of a user without ads for apps, whose reports share the timer and its draws.
    let webEvents = seed % 3 == 0 ? events : []
    events = []
    for _ in 0..<(5 + random.below(60)) {
      for call in random.chance(1, in: 10) ? [Self.call(&random)] : Self.appAds(&random) {
        events.append((now, call))
        now = now + Self.shortPause(&random)
      }
      now = now + Self.pause(&random)
      if random.chance(1, in: 30) { now = now + .days(Int64(random.below(70))) }
    }
    if random.chance(1, in: 12) { addManyViews(from: now, &random) }
    let all = webEvents + events
    events = all.indices.sorted { (all[$0].at, $0) < (all[$1].at, $1) }.map { all[$0] }
  }

  /// Adds the events of a user who sees one ad after another, and reaches the limit of views.
  private mutating func addManyViews(from start: Instant, _ random: inout SplitMix64) {
    var now = start
    let source = random.pick(Self.sourceApps).name
    for _ in 0..<90 {
      var ad = Self.ad(isView: true, &random)
      ad.bundleIdentifier = source
      for call in [Call.ad(ad), .adEnd] where random.chance(9, in: 10) {
        events.append((now, call))
        now = now + .seconds(Int64(random.below(9)))
      }
    }
    events.append((now, .install(Self.install(&random))))
  }

  /// Pauses within a visit.
  private static func shortPause(_ random: inout SplitMix64) -> Interval {
    switch random.below(8) {
    case 0: Interval(milliseconds: 0)
    case 1: .seconds(2)
    case 2...6: Interval(milliseconds: Int64(random.below(9_000)))
    default: Interval(milliseconds: Int64(random.below(30 * 60_000)))
    }
  }

  /// Returns the events of a visit, in their order.
  private static func appAds(_ random: inout SplitMix64) -> [Call] {
    switch random.below(16) {
    case 0...5:
      let ad = Call.ad(ad(isView: random.chance(1, in: 2), &random))
      return [ad] + (random.chance(2, in: 3) ? [.adEnd] : []) + (random.chance(1, in: 2) ? [.adTap(tap(&random))] : [])
    case 6: return [random.chance(1, in: 2) ? .adEnd : .adTap(tap(&random))]
    case 7...9:
      return [
        .ad(ad(isView: false, &random)), .adTap(tap(&random)), .install(install(&random)), .launch(launch(&random)),
      ]
    case 10: return [.install(install(&random))]
    case 11: return [.launch(launch(&random))]
    default: return [.value(value(&random)), .value(value(&random))]
    }
  }

  private static func ad(isView: Bool, _ random: inout SplitMix64) -> SignedAdInput {
    var ad = SignedAdInput()
    let source = random.pick(sourceApps)
    ad.bundleIdentifier = random.chance(1, in: 30) ? otherApp : source.name
    ad.adNetworkIdentifier = random.chance(1, in: 20) ? "unknown.skadnetwork" : random.pick(networks)
    ad.advertisedAppStoreItemIdentifier = random.chance(3, in: 4) ? advertisedApps[0].item : advertisedApps[1].item
    ad.sourceIdentifier = Int64(random.below(10_000))
    if random.chance(1, in: 12) { ad.sourceAppStoreItemIdentifier = random.chance(1, in: 2) ? 0 : 5 }
    if random.chance(1, in: 2) {
      ad.framework = .adattributionkit
      ad.presentation = isView || random.chance(1, in: 2) ? nil : "storekit-rendered"
      ad.handlesView = isView && random.chance(1, in: 4) ? true : nil
      ad.eligibleForReengagement = random.chance(2, in: 3) ? true : nil
    } else {
      ad.version = random.pick(["4.0", "4.0", "3.0", "2.2", "2.0"])
      if ad.version != "4.0" { (ad.sourceIdentifier, ad.adCampaignIdentifier) = (nil, Int64(1 + random.below(100))) }
      ad.presentation = isView ? "view-through" : nil
    }
    return ad
  }

  private static func tap(_ random: inout SplitMix64) -> ImpressionTapInput {
    var tap = ImpressionTapInput()
    tap.tapVerified = !random.chance(1, in: 10)
    tap.reengagementURL = random.chance(1, in: 2) ? "https://game.example/level" : nil
    if random.chance(1, in: 3) { tap.crowdTiers = tiers(&random) }
    return tap
  }

  private static func install(_ random: inout SplitMix64) -> InstallInput {
    var install = InstallInput()
    install.bundleIdentifier = random.chance(3, in: 4) ? advertisedApps[0].name : advertisedApps[1].name
    install.redownload = random.chance(1, in: 6) ? true : nil
    install.marketplace = random.chance(1, in: 10) ? "com.example.market" : nil
    install.country = random.chance(1, in: 4) ? "DE" : nil
    if random.chance(1, in: 2) { install.crowdTiers = tiers(&random) }
    return install
  }

  private static func tiers(_ random: inout SplitMix64) -> CrowdTiers {
    var tiers = CrowdTiers()
    (tiers.twoDigits, tiers.threeDigits) = (Int64(random.below(4)), Int64(random.below(4)))
    (tiers.fourDigits, tiers.country) = (Int64(random.below(4)), Int64(random.below(4)))
    if random.chance(1, in: 4) { (tiers.twoDigits, tiers.threeDigits, tiers.fourDigits) = (0, 0, 0) }
    tiers.meetsThreshold = random.chance(1, in: 2)
    return tiers
  }

  private static func launch(_ random: inout SplitMix64) -> LaunchInput {
    var launch = LaunchInput()
    launch.bundleIdentifier = random.chance(3, in: 4) ? advertisedApps[0].name : advertisedApps[1].name
    return launch
  }

  private static func value(_ random: inout SplitMix64) -> ConversionValueInput {
    var value = ConversionValueInput()
    value.bundleIdentifier = random.chance(3, in: 4) ? advertisedApps[0].name : advertisedApps[1].name
    value.framework = random.chance(1, in: 4) ? .adattributionkit : .skadnetwork
    value.fineValue = random.chance(1, in: 10) && value.framework == .skadnetwork ? nil : Int64(random.below(66))
    value.coarseValue = random.chance(3, in: 4) ? random.pick(["low", "medium", "high"]) : nil
    value.lockWindow = random.chance(1, in: 5) && (value.fineValue ?? 0) + Int64(value.coarseValue?.utf8.count ?? 0) > 0
    if value.framework == .adattributionkit, random.chance(1, in: 4) { value.conversionTypes = ["reengagement"] }
    return value
  }
}

/// The parties of the ads of generated users.
enum AppAdParties {
  static func networkInput(_ network: String) -> AdNetworkInput {
    var input = AdNetworkInput()
    input.publicKey = TestKeyPair.adNetwork.publicKey
    input.postbackURL = "https://\(network.prefix { $0 != "." }).example/postbacks"
    return input
  }

  /// The manifests of the apps, with their identifiers in the App Store.
  static func manifests(sites: SiteParser) throws -> [(manifest: AppManifest, item: Int64)] {
    let networks = UserPlan.networks + ["unknown.skadnetwork"]
    let displaying: JSON = [
      "SKAdNetworkItems": .array(networks.map { ["SKAdNetworkIdentifier": .string($0)] }),
      "AdNetworkIdentifiers": .array(networks.map { .string($0) }),
    ]
    let copied: JSON = [
      "NSAdvertisingAttributionReportEndpoint": "https://game.example", "AttributionCopyEndpoint": "https://game.example",
      "EligibleForAdAttributionKitOverlappingConversions": .bool(true),
    ]
    let apps: [(name: String, item: Int64, keys: JSON)] =
      UserPlan.sourceApps.map { ($0.name, $0.item, displaying) } + [
        (UserPlan.otherApp, 1_003, .object([])),
        (UserPlan.advertisedApps[0].name, UserPlan.advertisedApps[0].item, copied),
        (UserPlan.advertisedApps[1].name, UserPlan.advertisedApps[1].item, .object([])),
      ]
    return try apps.map { app in
      let plist = JSON.object([.init("CFBundleIdentifier", .string(app.name))] + app.keys.members)
      return (try ManifestReader(parseURL: { try? sites.url($0) }).read(infoPlist: plist), app.item)
    }
  }

  static func world(of plan: UserPlan, sites: SiteParser, signsPostbacks: Bool = true) throws -> SimulatedWorld {
    var world = SimulatedWorld(sites: sites, signsPostbacks: signsPostbacks)
    try world.change(plan.device)
    for network in UserPlan.networks { try world.register(adNetwork: network, networkInput(network)) }
    for (manifest, item) in try manifests(sites: sites) { world.register(manifest, itemIdentifier: item) }
    return world
  }

  static func register(in browser: Browser, _ plan: UserPlan, sites: SiteParser) async throws {
    try await browser.change(device: plan.device)
    for network in UserPlan.networks { _ = try await browser.register(adNetwork: network, networkInput(network)) }
    for (manifest, item) in try manifests(sites: sites) { _ = try await browser.register(manifest, itemIdentifier: item) }
  }
}
