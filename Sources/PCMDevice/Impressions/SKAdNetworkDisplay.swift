package import PCMCore
internal import PCMSignatures

/// An app that displays an SKAdNetwork ad (SKAdNetwork reference, sections 2.1 and 2.2).
package struct SKAdNetworkDisplay: Sendable {
  package enum Presentation: String, Hashable, Sendable, CaseIterable {
    /// `SKStoreProductViewController.loadProduct`, or an `SKOverlay`.
    case storeKitRendered = "storekit-rendered"
    /// `startImpression` with an `SKAdImpression`.
    case viewThrough = "view-through"
  }

  package let ad: SKAdNetworkAd
  package let presentation: Presentation
  package let app: DeviceApp
  package let networks: AdNetworkRegistry
  package let device: Device
  package let now: Instant

  package init(
    _ ad: SKAdNetworkAd, as presentation: Presentation, in app: DeviceApp, networks: AdNetworkRegistry, device: Device,
    at now: Instant
  ) {
    self.ad = ad
    self.presentation = presentation
    self.app = app
    self.networks = networks
    self.device = device
    self.now = now
  }

  package static let rules: [Rule<SKAdNetworkDisplay, SKAdNetworkRejection>] = versionRules + networkRules + valueRules

  private static let versionRules: [Rule<SKAdNetworkDisplay, SKAdNetworkRejection>] = [
    Rule(
      "app-runs-on-iphone-or-ipad",
      inputs: ["bundleIdentifier": { .string($0.app.bundleIdentifier) }, "platform": { .string($0.app.platform.rawValue) }]
    ) { display in
      display.app.platform.showsAds
        ? nil : .unsupportedPlatform(display.app.platform, bundleIdentifier: display.app.bundleIdentifier)
    },
    Rule("version-is-known", inputs: ["version": { .shown($0.ad.version) }]) { display in
      display.ad.knownVersion == nil ? .versionUnknown(display.ad.version ?? "") : nil
    },
    Rule(
      "view-through-needs-2-2",
      inputs: ["version": { .shown($0.ad.version) }, "presentation": { .string($0.presentation.rawValue) }]
    ) { display in
      guard display.presentation == .viewThrough, display.version < .v22 else { return nil }
      return .viewThroughTooOld(display.version)
    },
    Rule(
      "version-is-supported",
      inputs: [
        "version": { .shown($0.ad.version) }, "sourceAppSDK": { .string($0.app.sdk.text) },
        "systemVersion": { .string($0.device.system.text) },
      ]
    ) { display in
      VersionEligibility.violation(display.version, sdk: display.app.sdk, system: display.device.system).map {
        .versionNotSupported(display.version, $0)
      }
    },
    Rule("values-are-complete", inputs: ["missing": { .array($0.missing.map { .string($0) }) }]) { display in
      display.missing.isEmpty ? nil : .valueMissing(display.missing)
    },
  ]

  private static let networkRules: [Rule<SKAdNetworkDisplay, SKAdNetworkRejection>] = [
    Rule("ad-network-id-is-valid", inputs: ["adNetworkIdentifier": { .shown($0.ad.adNetworkIdentifier) }]) { display in
      AdNetworkIdentifier.isWellFormed(display.network) ? nil : .networkInvalid(display.network)
    },
    Rule("ad-network-id-is-lower-case", inputs: ["adNetworkIdentifier": { .shown($0.ad.adNetworkIdentifier) }]) { display in
      AdNetworkIdentifier.flaw(in: display.network) == .upperCase ? .networkNotLowerCase(display.network) : nil
    },
    Rule(
      "ad-network-is-declared",
      inputs: [
        "adNetworkIdentifier": { .shown($0.ad.adNetworkIdentifier) },
        "skAdNetworkItems": { .shown($0.app.adAttribution.skAdNetworkIdentifiers.map { .string($0) }) },
      ]
    ) { display in
      display.app.adAttribution.skAdNetworkIdentifiers.contains(display.network)
        ? nil : .networkNotDeclared(display.network, bundleIdentifier: display.app.bundleIdentifier)
    },
    Rule(
      "ad-network-is-registered",
      inputs: [
        "adNetworkIdentifier": { .shown($0.ad.adNetworkIdentifier) },
        "registered": { .bool($0.networks[$0.network] != nil) },
      ]
    ) { display in
      display.networks[display.network] == nil ? .networkNotRegistered(display.network) : nil
    },
  ]

  private static let valueRules: [Rule<SKAdNetworkDisplay, SKAdNetworkRejection>] = [
    Rule(
      "campaign-is-in-range",
      inputs: [
        "adCampaignIdentifier": { .number($0.ad.adCampaignIdentifier) },
        "sourceIdentifier": { .number($0.ad.sourceIdentifier) },
      ]
    ) { display in
      if display.version == .v4 {
        let identifier = display.ad.sourceIdentifier ?? 0
        return CampaignIdentifier.sourceIdentifiers.contains(identifier) ? nil : .sourceIdentifierOutOfRange(identifier)
      }
      let campaign = display.ad.adCampaignIdentifier ?? 0
      return CampaignIdentifier.campaigns.contains(campaign) ? nil : .campaignOutOfRange(campaign)
    },
    Rule(
      "advertised-app-is-valid",
      inputs: ["advertisedAppStoreItemIdentifier": { .number($0.ad.advertisedAppStoreItemIdentifier) }]
    ) {
      display in
      let item = display.ad.advertisedAppStoreItemIdentifier ?? 0
      return item > 0 ? nil : .advertisedAppInvalid(item)
    },
    Rule(
      "source-app-displays-the-ad",
      inputs: [
        "sourceAppStoreItemIdentifier": { .number($0.ad.sourceAppStoreItemIdentifier) },
        "itemIdentifier": { .number($0.app.itemIdentifier) },
        "signing": { .string($0.app.signing.rawValue) },
        "developerMode": { .bool($0.device.isInDeveloperMode(at: $0.now)) },
      ]
    ) { display in
      guard display.version > .v1, let item = display.ad.sourceAppStoreItemIdentifier else { return nil }
      guard item >= 0 else { return .sourceAppInvalid(item) }
      let expected = SourceAppExpectation(display.app, on: display.device, at: display.now)
      return expected.allows(item) ? nil : .sourceAppMismatch(item, expected: expected)
    },
    Rule("nonce-is-a-uuid", inputs: ["adImpressionIdentifier": { .shown($0.ad.adImpressionIdentifier) }]) { display in
      let nonce = display.ad.adImpressionIdentifier ?? ""
      return UUIDText.isValid(nonce) ? nil : .nonceInvalid(nonce)
    },
    Rule("timestamp-is-in-milliseconds", inputs: ["timestamp": { .number($0.ad.timestamp) }]) { display in
      let timestamp = display.ad.timestamp ?? 0
      return timestamp >= SignedTime.first ? nil : .timestampNotMilliseconds(timestamp)
    },
    Rule("signature-is-well-formed", inputs: ["signature": { .shown($0.ad.signature) }]) { display in
      display.signature == nil ? .signatureMalformed : nil
    },
    Rule(
      "signature-verifies",
      inputs: ["signedText": { .shown($0.signedText, upTo: ShownSize.signedText) }]
    ) { display in
      guard let impression = display.impression, let verdict = display.verdict(on: impression), verdict.outcome != .valid
      else { return nil }
      return .signatureInvalid(impression.signedText, verdict.remedy)
    },
  ]

  /// Decides whether the ad counts (StoreKit-rendered), or whether its view begins (view-through).
  package func decide(_ evaluation: inout RuleEvaluation) -> ImpressionDecision {
    let violation = evaluation.firstViolation(of: Self.rules, to: self)
    guard violation == nil, let impression else { return .reject(.skAdNetwork(violation ?? .valueMissing(missing))) }
    let signed = SignedImpression.skAdNetwork(impression)
    let isDevelopment = impression.source == .app(0) || app.signing == .development
    let notes = ImpressionNote.all(signed, isDevelopment: isDevelopment, at: now)
    switch presentation {
    case .storeKitRendered:
      let recorded = AdImpression(
        signed: signed, interaction: .click, sourceApp: app.bundleIdentifier, sourceSDK: app.sdk,
        isDevelopment: isDevelopment, recordedAt: now)
      return .record(recorded, notes)
    case .viewThrough:
      let view = OpenView(
        bundleIdentifier: app.bundleIdentifier, signed: signed, sourceSDK: app.sdk, isDevelopment: isDevelopment,
        startedAt: now)
      return .open(view, notes)
    }
  }

  /// The text whose signature is verified, with `|` for U+2063; nil while a value is missing.
  package var signedText: String? { impression?.signedText.visible }

  /// The version of an ad that passed the first rules.
  private var version: SKAdNetworkVersion { ad.knownVersion ?? .v1 }
  private var network: String { ad.adNetworkIdentifier ?? "" }
  private var missing: [String] { ad.missingValues(version) }
  private var signature: ECDSASignature? { ad.signature.flatMap { Base64.decode($0) }.flatMap { ECDSASignature(der: $0) } }
  private var impression: SKAdNetworkImpression? {
    ad.impression(presentation == .viewThrough ? .viewThrough : .storeKitRendered)
  }

  private func verdict(on impression: SKAdNetworkImpression) -> SignatureVerdict? {
    networks[network]?.verdict(onImpression: impression.json(signature: ad.signature ?? "").members).verdict
  }
}
