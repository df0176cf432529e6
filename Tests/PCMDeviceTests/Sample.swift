import Foundation
import PCMCore
import PCMCrypto

@testable import PCMDevice

/// Parties and ads for tests. The ad networks sign with the test key in `Fixtures/device/keys`.
enum Sample {
  static let now = Instant(milliseconds: 1_800_000_000_000)
  static let millisecond = Interval(milliseconds: 1)
  static let network = "example123.skadnetwork"
  static let otherNetwork = "second456.adattributionkit"
  static let item: Int64 = 525_463_029
  static let sourceItem: Int64 = 1_234_567_891
  static let nonce = "6aafb7a5-0170-41b5-bbe4-fe71dedf1e28"

  /// A file in `Fixtures/device`.
  static func fixture(_ name: String) throws -> [UInt8] {
    let tests = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    return try [UInt8](Data(contentsOf: tests.appending(path: "../../Fixtures/device/\(name)")))
  }

  static func privateKey(_ name: String = "ad-network") throws -> PrivateKey {
    try PrivateKey(pem: String(decoding: fixture("keys/\(name).private.pem"), as: UTF8.self))
  }

  static func registry(_ identifiers: [String] = [network, otherNetwork]) throws -> AdNetworkRegistry {
    let key = try privateKey().publicKey
    return AdNetworkRegistry(
      try identifiers.map { try AdNetwork(identifier: $0, key: key, postbackURL: url("https://\($0).example/postback")) })
  }

  static func url(_ text: String) -> WebURL {
    let parts = text.split(separator: "/")
    return WebURL(
      text: text, scheme: String(parts[0].dropLast()), host: String(parts[1]), port: nil, path: "/postback", query: nil,
      hasFragment: false, hasCredentials: false, site: Site(String(parts[1])), hasRegistrableDomain: true)
  }

  static let sourceApp: DeviceApp = {
    var app = DeviceApp(bundleIdentifier: "com.example.news", itemIdentifier: sourceItem, sdk: OSVersion(18, 4))
    app.adAttribution.skAdNetworkIdentifiers = [network, otherNetwork]
    app.adAttribution.adNetworkIdentifiers = [network, otherNetwork]
    return app
  }()

  static let advertisedApp: DeviceApp = {
    var app = DeviceApp(bundleIdentifier: "com.example.shop", itemIdentifier: item, sdk: OSVersion(18, 4))
    app.adAttribution.skAdNetworkCopySite = Site("shop.example")
    app.adAttribution.adAttributionKitCopySite = Site("shop.example")
    return app
  }()

  /// A signed ad of a version.
  static func ad(
    _ version: SKAdNetworkVersion = .v4, fidelity: Fidelity = .storeKitRendered, key: String = "ad-network",
    source: Int64 = sourceItem, _ change: (inout SKAdNetworkImpression) -> Void = { _ in }
  ) throws -> ImpressionInput {
    var impression = impression(version, fidelity: fidelity, source: source)
    change(&impression)
    let signature = try impression.signature(by: privateKey(key))
    var ad = ImpressionInput(
      version: version == .v1 ? nil : version.rawValue, adNetworkIdentifier: impression.adNetworkIdentifier,
      advertisedAppStoreItemIdentifier: impression.itemIdentifier, adImpressionIdentifier: impression.nonce,
      timestamp: impression.timestamp,
      signature: signature)
    switch impression.campaign {
    case .campaign(let number): ad.adCampaignIdentifier = number
    case .source(let digits): ad.sourceIdentifier = Int64(digits)
    }
    if case .app(let item)? = impression.source { ad.sourceAppStoreItemIdentifier = item }
    return ad
  }

  static func impression(
    _ version: SKAdNetworkVersion, network: String = network, fidelity: Fidelity = .storeKitRendered,
    source: Int64 = sourceItem
  ) -> SKAdNetworkImpression {
    SKAdNetworkImpression(
      version: version, adNetworkIdentifier: network, campaign: version < .v4 ? .campaign(42) : .source("5239"),
      itemIdentifier: item, nonce: nonce, source: version > .v1 ? .app(source) : nil,
      fidelity: version >= .v22 ? fidelity : nil, timestamp: now.milliseconds)
  }

  static func adAttributionKitImpression(
    network: String = network, source: Int64 = sourceItem, isEligible: Bool? = nil
  ) -> AdAttributionKitImpression {
    AdAttributionKitImpression(
      impressionIdentifier: nonce, publisherItemIdentifier: source, adNetworkIdentifier: network, sourceIdentifier: 5239,
      advertisedItemIdentifier: item, timestamp: now.milliseconds, isEligibleForReengagement: isEligible)
  }

  static func jws(
    key: String = "ad-network", _ change: (inout AdAttributionKitImpression) -> Void = { _ in }
  ) throws -> String {
    var impression = adAttributionKitImpression()
    change(&impression)
    return try impression.jws(signedBy: privateKey(key))
  }

  /// A recorded ad of SKAdNetwork; with no version, of AdAttributionKit.
  static func kept(
    _ id: Int64, _ version: SKAdNetworkVersion? = .v4, _ interaction: InteractionType = .click, network: String = network,
    age: Interval = .hours(1), isDevelopment: Bool = false, isEligible: Bool? = nil
  ) -> KeptImpression {
    let source = isDevelopment ? 0 : sourceItem
    let fidelity: Fidelity = interaction == .click ? .storeKitRendered : .viewThrough
    let signed: SignedImpression =
      version.map { .skAdNetwork(impression($0, network: network, fidelity: fidelity, source: source)) }
      ?? .adAttributionKit(adAttributionKitImpression(network: network, source: source, isEligible: isEligible))
    return KeptImpression(
      id: id,
      impression: AdImpression(
        signed: signed, interaction: interaction, sourceApp: sourceApp.bundleIdentifier, sourceSDK: OSVersion(18, 4),
        isDevelopment: isDevelopment, recordedAt: now - age))
  }

  static func install(
    _ app: DeviceApp = advertisedApp, marketplace: String = Install.appStore, past: PastConversions = PastConversions(),
    device: Device = Device(), isRedownload: Bool = false
  ) -> Install {
    Install(
      app, isRedownload: isRedownload, marketplace: marketplace, country: device.country, past: past, device: device, at: now)
  }

  /// The conversion of an install at ``now`` by one ad.
  static func conversion(
    _ winner: KeptImpression = kept(1), app: DeviceApp = advertisedApp, device: Device = Device(), id: Int64 = 100,
    others: [KeptImpression] = []
  ) -> Conversion {
    let install = install(app, device: device)
    guard let conversion = Conversion(id: id, install.decide(among: [winner] + others)) else {
      preconditionFailure("no ad won")
    }
    return conversion
  }
}

extension ImpressionInput {
  /// The values of an SKAdNetwork ad.
  init(
    version: String?, adNetworkIdentifier: String? = nil, adCampaignIdentifier: Int64? = nil, sourceIdentifier: Int64? = nil,
    advertisedAppStoreItemIdentifier: Int64? = nil, adImpressionIdentifier: String? = nil,
    sourceAppStoreItemIdentifier: Int64? = nil, timestamp: Int64? = nil, signature: String? = nil
  ) {
    self.init()
    self.version = version
    self.adNetworkIdentifier = adNetworkIdentifier
    self.adCampaignIdentifier = adCampaignIdentifier
    self.sourceIdentifier = sourceIdentifier
    self.advertisedAppStoreItemIdentifier = advertisedAppStoreItemIdentifier
    self.adImpressionIdentifier = adImpressionIdentifier
    self.sourceAppStoreItemIdentifier = sourceAppStoreItemIdentifier
    self.timestamp = timestamp
    self.signature = signature
  }
}

extension CrowdTiers {
  init(
    twoDigits: Int64 = 3, threeDigits: Int64 = 3, fourDigits: Int64 = 3, country: Int64 = 3, meetsThreshold: Bool = true
  ) {
    self.init()
    (self.twoDigits, self.threeDigits, self.fourDigits) = (twoDigits, threeDigits, fourDigits)
    (self.country, self.meetsThreshold) = (country, meetsThreshold)
  }
}

extension ConversionValueInput {
  init(
    _ framework: AdFramework, fine: Int64?, coarse: ConversionValue.Coarse? = nil, locks: Bool = false,
    types: [String]? = nil, tag: String? = nil
  ) {
    self.init()
    (self.framework, fineValue, coarseValue, lockWindow) = (framework, fine, coarse?.rawValue, locks)
    (conversionTypes, conversionTag) = (types, tag)
  }
}

extension Device {
  init(
    system: OSVersion = OSVersion(18, 6), country: String? = "US", developerModeSince: Instant? = nil,
    testingProfileSince: Instant? = nil, settings: DeviceSettings = DeviceSettings()
  ) {
    self.init()
    (self.system, self.country, self.settings) = (system, country, settings)
    (self.developerModeSince, self.testingProfileSince) = (developerModeSince, testingProfileSince)
  }
}

extension ConversionAction {
  static func drop(conversion: Int64, index: Int, _ reason: Violation) -> ConversionAction {
    .drop(PostbackDropped(conversion: conversion, index: index, reason))
  }
}

extension PlannedPostback {
  /// The ad network, or the site of the copy.
  var party: String { recipient == .adNetwork ? kept.impression.adNetworkIdentifier : String(url.split(separator: "/")[1]) }
}

extension PastConversions {
  init(installAt: Instant? = nil, reengagementAt: Instant? = nil) {
    self.init()
    (self.installAt, self.reengagementAt) = (installAt, reengagementAt)
  }
}
