package import PCMCore
internal import PCMCrypto
internal import PCMVerify

/// An app that displays an SKAdNetwork ad (SKAdNetwork reference, sections 2.1 and 2.2).
package struct SKAdNetworkDisplay: Sendable {
  /// The parameters of `loadProduct`, or an `SKAdImpression`. All of them are optional.
  package let ad: ImpressionInput
  /// `loadProduct` of `SKStoreProductViewController`, or an `SKOverlay`; or `startImpression` with an `SKAdImpression`.
  package let presentation: ImpressionPresentation
  package let app: DeviceApp
  package let networks: AdNetworkRegistry
  package let device: Device
  package let now: Instant

  package init(
    _ ad: ImpressionInput, as presentation: ImpressionPresentation, in app: DeviceApp, networks: AdNetworkRegistry,
    device: Device, at now: Instant
  ) {
    self.ad = ad
    self.presentation = presentation
    self.app = app
    self.networks = networks
    self.device = device
    self.now = now
  }

  package static let rules: [Rule<SKAdNetworkDisplay>] = versionRules + networkRules + valueRules + signatureRules

  private static let versionRules: [Rule<SKAdNetworkDisplay>] = [
    Rule(
      .appRunsOnIPhone,
      inputs: ["bundleIdentifier": { .string($0.app.bundleIdentifier) }, "platform": { .string($0.app.platform.rawValue) }]
    ) { display in
      guard !display.app.platform.showsAds else { return nil }
      let platform = display.app.platform == .appClip ? "an App Clip" : "a Mac Catalyst app"
      return Violation(
        "platform-unsupported", "\(display.app.bundleIdentifier) is \(platform), where SKAdNetwork does nothing",
        change: "display the ad in an app for iPhone or iPad", .skan(.unsupported))
    },
    Rule(
      "version-is-known", "The version is a version of SKAdNetwork. Version 1.0 is passed as no version.", .releaseNotes,
      reasons: [
        "version-unknown": "pass one of \(SKAdNetworkVersion.allCases.map(\.rawValue).joined(separator: ", ")) as the version"
      ],
      inputs: ["version": { .shown($0.ad.version) }]
    ) { display in
      guard display.knownVersion == nil else { return nil }
      return Violation(
        "version-unknown", "\"\((display.ad.version ?? "").shown)\" is not a version of SKAdNetwork",
        .skan(.invalidVersion))
    },
    Rule(
      "view-through-needs-2-2",
      "A view-through ad has version 2.2 or later. Earlier versions have no fidelity type and measure only ads that StoreKit "
        + "renders.", .apple("StoreKit: Signing and providing ads"),
      reasons: ["view-through-too-old": "sign the ad for version \(SKAdNetworkVersion.v22.rawValue) or later"],
      inputs: ["version": { .shown($0.ad.version) }, "presentation": { .string($0.presentation.rawValue) }]
    ) { display in
      let first = SKAdNetworkVersion.v22
      guard display.presentation == .viewThrough, display.version < first else { return nil }
      return Violation(
        "view-through-too-old",
        "view-through ads exist from version \(first.rawValue) on, and the ad has version \(display.version.rawValue)",
        change: "sign the ad for version \(first.rawValue) or later", .skan(.invalidVersion))
    },
    Rule(
      .versionIsSupported,
      inputs: [
        "version": { .shown($0.ad.version) }, "sourceAppSDK": { .string($0.app.sdk.text) },
        "systemVersion": { .string($0.device.system.text) },
      ]
    ) { display in
      VersionEligibility.violation(display.version, sdk: display.app.sdk, system: display.device.system, .skan(.unsupported))
    },
    Rule(
      "values-are-complete",
      "The ad has all values of its version. The device composes the signed text from the values that the app passes.",
      .signingStoreKitAds, reasons: ["value-missing": "pass the missing values"],
      inputs: ["missing": { .array($0.missing.map { .string($0) }) }]
    ) { display in
      display.missing.isEmpty ? nil : display.valueMissing
    },
  ]

  private static let networkRules: [Rule<SKAdNetworkDisplay>] =
    Rule.ofIdentifier(
      \.network, invalid: "sign and pass the identifier that Apple assigned to the ad network",
      upperCase: { "sign and pass \"\($0)\", and list it in SKAdNetworkItems" }, .skan(.adNetworkIdMissing)) + [
      Rule(
        .adNetworkIsDeclared,
        inputs: [
          "adNetworkIdentifier": { .shown($0.ad.adNetworkIdentifier) },
          "skAdNetworkItems": { .shown($0.app.adAttribution.skAdNetworkIdentifiers.map { .string($0) }) },
        ]
      ) { display in
        guard !display.app.adAttribution.skAdNetworkIdentifiers.contains(display.network) else { return nil }
        return Violation(
          "ad-network-not-declared",
          "SKAdNetworkItems in the Info.plist of \(display.app.bundleIdentifier) does not list \(display.network)",
          change:
            "add a dictionary with SKAdNetworkIdentifier \(display.network) to SKAdNetworkItems, and register the app again",
          .skan(.adNetworkIdMissing))
      },
      Rule(
        .adNetworkIsRegistered,
        inputs: [
          "adNetworkIdentifier": { .shown($0.ad.adNetworkIdentifier) },
          "registered": { .bool($0.networks[$0.network] != nil) },
        ]
      ) { display in
        display.networks[display.network] == nil ? .adNetworkNotRegistered(display.network, .skan(.unknown)) : nil
      },
    ]

  private static let valueRules: [Rule<SKAdNetworkDisplay>] = [
    Rule(
      "campaign-is-in-range",
      "The campaign is from \(CampaignIdentifier.campaigns.words), or the source identifier has up to four digits. Versions "
        + "before 4.0 have campaigns, version 4.0 has source identifiers.", .signingStoreKitAds,
      reasons: [
        "source-identifier-out-of-range": "sign and pass a source identifier with up to four digits",
        "campaign-out-of-range": "sign and pass a campaign from \(CampaignIdentifier.campaigns.words)",
      ],
      inputs: [
        "adCampaignIdentifier": { .number($0.ad.adCampaignIdentifier) },
        "sourceIdentifier": { .number($0.ad.sourceIdentifier) },
      ]
    ) { $0.campaignRejection },
    Rule(
      .advertisedAppIsValid,
      inputs: ["advertisedAppStoreItemIdentifier": { .number($0.ad.advertisedAppStoreItemIdentifier) }]
    ) { display in
      let item = display.ad.advertisedAppStoreItemIdentifier ?? 0
      guard item <= 0 else { return nil }
      return Violation(
        "advertised-app-invalid", "\(item) is not the identifier of an app in the App Store",
        .skan(.invalidAdvertisedAppId))
    },
    Rule(
      .sourceAppDisplaysTheAd,
      inputs: [
        "sourceAppStoreItemIdentifier": { .number($0.ad.sourceAppStoreItemIdentifier) },
        "itemIdentifier": { .number($0.app.itemIdentifier) },
        "signing": { .string($0.app.signing.rawValue) },
        "developerMode": { .bool($0.device.isInDeveloperMode(at: $0.now)) },
      ]
    ) { $0.sourceAppRejection },
  ]

  private static let signatureRules: [Rule<SKAdNetworkDisplay>] = [
    Rule(
      "nonce-is-a-uuid", "The nonce is a UUID. It is signed in lower case, with hyphens.", .signingStoreKitAds,
      reasons: ["nonce-not-a-uuid": "pass a UUID, and sign it in lower case"],
      inputs: ["adImpressionIdentifier": { .shown($0.ad.adImpressionIdentifier) }]
    ) { display in
      let nonce = display.ad.adImpressionIdentifier ?? ""
      guard !UUIDText.isValid(nonce) else { return nil }
      return Violation(
        "nonce-not-a-uuid", "the nonce \"\(nonce.shown)\" is not a UUID",
        .skan(.unknown))
    },
    Rule(
      "timestamp-is-in-milliseconds",
      "The timestamp is in milliseconds since 1970. A number before 1973 is a time in seconds, and one after 5138 in microseconds.",
      .signingStoreKitAds,
      reasons: ["timestamp-not-milliseconds": "sign and pass milliseconds since 1970"],
      inputs: ["timestamp": { .number($0.ad.timestamp) }]
    ) { display in
      let timestamp = display.ad.timestamp ?? 0
      guard !SignedTime.range.contains(timestamp) else { return nil }
      let time = SignedTime.converted(timestamp).map { "\($0.milliseconds)" } ?? "milliseconds since 1970"
      return Violation(
        "timestamp-not-milliseconds", "the timestamp \(timestamp) is not in milliseconds since 1970",
        change: "sign and pass \(time)", .skan(.unknown))
    },
    Rule(
      "signature-is-well-formed",
      "The signature is Base64 of DER. A SEQUENCE of two INTEGERs in the standard alphabet.", .signingStoreKitAds,
      reasons: ["signature-malformed": "encode the signature in DER, and the DER bytes in Base64"],
      inputs: ["signature": { .shown($0.ad.signature) }]
    ) { display in
      let signature = display.ad.signature.flatMap { Base64.decode($0) }.flatMap { ECDSASignature(der: $0) }
      guard signature == nil else { return nil }
      return Violation(
        "signature-malformed", "the signature is not Base64 of an ECDSA signature in DER", .skan(.unknown))
    },
    Rule(
      "signature-verifies",
      "The signature verifies with the ad network's key. The network signs the values in order, joined with U+2063.",
      .signingStoreKitAds,
      reasons: [
        "signature-invalid":
          "sign the text with U+2063 between the values, with the private key that belongs to the registered key"
      ], inputs: ["signedText": { .shown($0.signedText, upTo: ShownSize.signedText) }]
    ) { display in
      guard let impression = display.impression, let verdict = display.verdict(on: impression), verdict.outcome != .valid
      else { return nil }
      return .signatureInvalid(over: impression.signedText.visible, verdict.remedy, .skan(.unknown))
    },
  ]

  /// Decides whether the ad counts (StoreKit-rendered), or whether its view begins (view-through).
  package func decide(_ evaluation: inout RuleEvaluation) -> ImpressionDecision {
    let violation = evaluation.firstViolation(of: Self.rules, to: self)
    guard violation == nil, let impression else { return .reject(violation ?? valueMissing) }
    let isView = presentation == .viewThrough
    let recorded = AdImpression(
      signed: .skAdNetwork(impression), interaction: isView ? .view : .click, sourceApp: app.bundleIdentifier,
      sourceSDK: app.sdk, isDevelopment: impression.source == .app(0) || app.signing == .development, recordedAt: now)
    return isView ? .open(recorded, recorded.notes(at: now)) : .record(recorded, recorded.notes(at: now))
  }

  /// The text of the signature, with `|` for U+2063; nil if a value is missing.
  package var signedText: String? { impression?.signedText.visible }

  private func verdict(on impression: SKAdNetworkImpression) -> SignatureVerdict? {
    networks[network]?.verdict(onImpression: impression.json(signature: ad.signature ?? "").members).verdict
  }
}

extension SKAdNetworkDisplay {
  /// The version; nil for an unknown version.
  private var knownVersion: SKAdNetworkVersion? { ad.version.map { SKAdNetworkVersion(rawValue: $0) } ?? .v1 }
  /// The version. The first rules reject unknown versions.
  private var version: SKAdNetworkVersion { knownVersion ?? .v1 }
  private var network: String { ad.adNetworkIdentifier ?? "" }

  /// The names of the missing values, in the order of the signed text.
  private var missing: [String] {
    let values: [(name: String, isMissing: Bool)] = [
      ("adNetworkIdentifier", ad.adNetworkIdentifier == nil),
      ("adCampaignIdentifier", version < .v4 && ad.adCampaignIdentifier == nil),
      ("sourceIdentifier", version == .v4 && ad.sourceIdentifier == nil),
      ("advertisedAppStoreItemIdentifier", ad.advertisedAppStoreItemIdentifier == nil),
      ("adImpressionIdentifier", ad.adImpressionIdentifier == nil),
      ("sourceAppStoreItemIdentifier", version > .v1 && ad.sourceAppStoreItemIdentifier == nil),
      ("timestamp", ad.timestamp == nil),
      ("signature", ad.signature == nil),
    ]
    return values.filter(\.isMissing).map(\.name)
  }

  private var valueMissing: Violation {
    let names = missing.joined(separator: ", ")
    return Violation("value-missing", "the ad lacks \(names)", change: "pass \(names)", .skan(.impressionMissingRequiredValue))
  }

  private var campaignRejection: Violation? {
    let (campaigns, identifiers) = (CampaignIdentifier.campaigns, CampaignIdentifier.sourceIdentifiers)
    if version == .v4 {
      let identifier = ad.sourceIdentifier ?? 0
      guard !identifiers.contains(identifier) else { return nil }
      return Violation(
        "source-identifier-out-of-range", "source identifier \(identifier) is not from \(identifiers.words)",
        .skan(.invalidCampaignId))
    }
    let campaign = ad.adCampaignIdentifier ?? 0
    guard !campaigns.contains(campaign) else { return nil }
    return Violation(
      "campaign-out-of-range", "campaign \(campaign) is not from \(campaigns.words)",
      .skan(.invalidCampaignId))
  }

  private var sourceAppRejection: Violation? {
    guard version > .v1, let item = ad.sourceAppStoreItemIdentifier else { return nil }
    guard item >= 0 else {
      return Violation(
        "source-app-invalid", "\(item) is not the identifier of an app in the App Store",
        .skan(.invalidSourceAppId))
    }
    let expected = SourceAppExpectation(app: app, device: device, now: now)
    guard !expected.allows(item) else { return nil }
    return Violation(
      "source-app-mismatch", "the ad is signed for source app \(item), but \(expected.detail)",
      change: expected.change("sign and pass"), .skan(.mismatchedSourceAppId))
  }

  /// The values of the signed text; nil if a value is missing. The device writes the adImpressionIdentifier in lower case.
  private var impression: SKAdNetworkImpression? {
    let number = version == .v4 ? ad.sourceIdentifier : ad.adCampaignIdentifier
    guard knownVersion != nil, let network = ad.adNetworkIdentifier, let item = ad.advertisedAppStoreItemIdentifier,
      let nonce = ad.adImpressionIdentifier, let timestamp = ad.timestamp, let number
    else { return nil }
    return SKAdNetworkImpression(
      version: version, adNetworkIdentifier: network, campaign: version == .v4 ? .source(String(number)) : .campaign(number),
      itemIdentifier: item, nonce: nonce.lowercased(),
      source: version > .v1 ? ad.sourceAppStoreItemIdentifier.map { .app($0) } : nil,
      fidelity: version < .v22 ? nil : presentation == .viewThrough ? .viewThrough : .storeKitRendered, timestamp: timestamp)
  }
}
