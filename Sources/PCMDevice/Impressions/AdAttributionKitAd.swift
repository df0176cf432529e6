package import PCMCore
internal import PCMCrypto
internal import PCMVerify

/// An app that displays an AdAttributionKit ad, or whose user taps it (AdAttributionKit reference, section 2).
package struct AdAttributionKitAd: Sendable {
  package enum Interaction: Hashable, Sendable {
    /// `beginView()` for an ad that the app renders. A ``ViewEnd`` ends the view.
    case beginView
    /// `handleView()` for an ad that the app renders. The call records the view.
    case handleView
    /// `handleTap()` for an ad that the app renders.
    ///
    /// - Parameters:
    ///   - input: The tap as given.
    ///   - createdAt: The time at which the app created the `AppImpression`, between ``Instant/earliest`` and
    ///     ``Instant/latest``.
    case tap(_ input: ImpressionTapInput, createdAt: Instant)
    /// An ad that StoreKit renders was displayed.
    case storeKitView(displayed: Interval)
    /// A tap on an ad that StoreKit renders.
    case storeKitTap
  }

  package let interaction: Interaction
  package let app: DeviceApp
  package let device: Device
  package let now: Instant
  /// The compact JSON Web Signature, as the device reads it.
  package let reading: JWSReading

  package init(_ reading: JWSReading, _ interaction: Interaction, in app: DeviceApp, device: Device, at now: Instant) {
    self.reading = reading
    self.interaction = interaction
    self.app = app
    self.device = device
    self.now = now
  }

  package init(
    _ jws: String, _ interaction: Interaction, in app: DeviceApp, networks: AdNetworkRegistry, device: Device, at now: Instant
  ) {
    self.init(JWSReading(jws, networks: networks), interaction, in: app, device: device, at: now)
  }

  private var jws: String { reading.text }

  package static let firstSystem = OSVersion(17, 4)
  /// The first system with `handleView()` (AdAttributionKit reference, section 13).
  package static let firstSystemWithHandleView = OSVersion(26, 2)
  /// The maximum time between the creation of the impression and a tap that counts.
  package static let tapLifetime = Interval.minutes(15)

  package static let rules: [Rule<AdAttributionKitAd>] = formRules + networkRules + valueRules + interactionRules

  private static let formRules: [Rule<AdAttributionKitAd>] = [
    Rule(
      .appRunsOnIPhone,
      inputs: ["bundleIdentifier": { .string($0.app.bundleIdentifier) }, "platform": { .string($0.app.platform.rawValue) }]
    ) { ad in
      guard !ad.app.platform.showsAds else { return nil }
      return Violation(
        "platform-unsupported",
        "\(ad.app.bundleIdentifier) is not an app for iPhone or iPad, and AdAttributionKit does nothing in it",
        change: "display the ad in an app for iPhone or iPad", .adAttributionKit(.unknown))
    },
    Rule(
      "adattributionkit-is-supported",
      "The system and the source app's SDK support AdAttributionKit. It begins with iOS \(firstSystem.text).",
      .apple("AdAttributionKit"),
      reasons: [
        "system-too-old": "update the device to iOS \(firstSystem.text)",
        "sdk-too-old": "build the app with the iOS \(firstSystem.text) SDK or a later one",
      ],
      inputs: ["systemVersion": { .string($0.device.system.text) }, "sourceAppSDK": { .string($0.app.sdk.text) }]
    ) { ad in
      if let rejection = Violation.systemTooOld(ad.device.system, .adAttributionKit(.unknown)) { return rejection }
      guard ad.app.sdk < firstSystem else { return nil }
      return Violation(
        "sdk-too-old",
        "AdAttributionKit needs the iOS \(firstSystem.text) SDK, and the app was built with the iOS \(ad.app.sdk.text) SDK",
        .adAttributionKit(.unknown))
    },
    Rule(
      "jws-is-well-formed",
      "The ad is a compact JSON Web Signature. It has three parts in Base64URL, and the first names the algorithm ES256 and the "
        + "ad network.", .jwsImpressions,
      reasons: [
        "jws-components-invalid": "correct the JSON Web Signature, and sign it again",
        "jws-header-invalid":
          "sign with the identifier of the ad network as kid, equal to ad-network-identifier, and ES256 as alg",
        "jws-payload-invalid": "correct the JSON Web Signature, and sign it again",
        "signature-malformed": "correct the JSON Web Signature, and sign it again",
      ], inputs: ["jws": { .shown($0.jws) }]
    ) { ad in
      ad.reading.error.map { .malformed($0.part, CompactJWS.explanation(of: $0, in: ad.jws)) }
    },
    Rule(
      "jws-header-is-valid",
      "The header names the ad network of the payload. kid equals ad-network-identifier, and is not the identifier of a key.",
      .jwsImpressions,
      reasons: [
        "jws-header-invalid":
          "sign with the identifier of the ad network as kid, equal to ad-network-identifier, and ES256 as alg"
      ], inputs: ["header": { $0.reading.jws?.header.shown() ?? .null }]
    ) { ad in
      ad.reading.headerFault.map { .malformed(.header, $0) }
    },
  ]

  private static let networkRules: [Rule<AdAttributionKitAd>] =
    Rule.ofIdentifier(
      \.reading.keyIdentifier, invalid: "sign under the identifier that Apple assigned to the ad network",
      upperCase: { "sign as \"\($0)\", and list it in AdNetworkIdentifiers" }, .adAttributionKit(.invalidImpressionJWSHeader))
    + [
      Rule(
        .adNetworkIsDeclared,
        inputs: [
          "adNetworkIdentifier": { .shown($0.reading.keyIdentifier) },
          "adNetworkIdentifiers": { .shown($0.app.adAttribution.adNetworkIdentifiers.map { .string($0) }) },
        ]
      ) { ad in
        let network = ad.reading.keyIdentifier
        guard !ad.app.adAttribution.adNetworkIdentifiers.contains(network) else { return nil }
        return Violation(
          "ad-network-not-declared",
          "AdNetworkIdentifiers in the Info.plist of \(ad.app.bundleIdentifier) does not list \(network)",
          change: "add \(network) to AdNetworkIdentifiers, and register the app again", .adAttributionKit(.unknown))
      },
      Rule(
        .adNetworkIsRegistered,
        inputs: [
          "adNetworkIdentifier": { .shown($0.reading.keyIdentifier) }, "registered": { .bool($0.reading.network != nil) },
        ]
      ) { ad in
        guard ad.reading.network == nil else { return nil }
        return .adNetworkNotRegistered(ad.reading.keyIdentifier, .adAttributionKit(.invalidImpressionJWSSignature))
      },
    ]

  private static let valueRules: [Rule<AdAttributionKitAd>] = [
    Rule(
      "jws-payload-is-valid", "The payload has all members with their types. Item and source identifiers are integers.",
      .jwsImpressions, reasons: ["jws-payload-invalid": "correct the JSON Web Signature, and sign it again"],
      inputs: ["payload": { $0.reading.jws?.payload.shown(upTo: ShownSize.signedText) ?? .null }]
    ) { ad in
      ad.reading.payloadFault.map { .malformed(.payload, $0) }
    },
    Rule(
      "jws-signature-verifies",
      "The signature verifies with the ad network's key. The network signs the first two parts as they are written. The "
        + "signature has 64 bytes.", .jwsImpressions,
      reasons: ["signature-invalid": "sign with the private key that belongs to the registered key"],
      inputs: ["signedText": { .shown($0.reading.signedText, upTo: ShownSize.signedText) }]
    ) { ad in
      guard !ad.reading.verifies else { return nil }
      let finding = ad.reading.remedy?.finding.map { ": \($0.asFragment)" } ?? ""
      let text = (ad.reading.signedText ?? "").asShown(upTo: ShownSize.signedText)
      return Violation(
        "signature-invalid", "the signature does not verify over \(text)\(finding)",
        change: ad.reading.remedy?.instruction.asFragment ?? "",
        .adAttributionKit(.invalidImpressionJWSSignature))
    },
    Rule(
      .sourceAppDisplaysTheAd,
      inputs: [
        "publisherItemIdentifier": { .number($0.reading.impression?.publisherItemIdentifier) },
        "itemIdentifier": { .number($0.app.itemIdentifier) }, "signing": { .string($0.app.signing.rawValue) },
        "developerMode": { .bool($0.device.isInDeveloperMode(at: $0.now)) },
      ]
    ) { ad in
      let expected = SourceAppExpectation(app: ad.app, device: ad.device, now: ad.now)
      guard let publisher = ad.reading.impression?.publisherItemIdentifier, !expected.allows(publisher) else { return nil }
      return Violation(
        "source-app-mismatch", "the ad is signed for publisher \(publisher), but \(expected.detail)",
        change: expected.change("sign"), .adAttributionKit(.invalidImpressionJWSPayload))
    },
  ]

  private static let interactionRules: [Rule<AdAttributionKitAd>] = [
    Rule(
      "handle-view-is-supported",
      "The system has handleView(). It begins with iOS \(firstSystemWithHandleView.text). beginView() and endView() remain.",
      .apple("AdAttributionKit: AppImpression.handleView()"),
      reasons: [
        "system-too-old": "call beginView() and endView(), or update the device to iOS \(firstSystemWithHandleView.text)"
      ],
      inputs: ["handleView": { .bool($0.interaction == .handleView) }, "systemVersion": { .string($0.device.system.text) }]
    ) { ad in
      let first = firstSystemWithHandleView
      guard ad.interaction == .handleView, ad.device.system < first else { return nil }
      return Violation(
        "system-too-old", "handleView() needs iOS \(first.text), and the device runs iOS \(ad.device.system.text)",
        change: "call beginView() and endView(), or update the device to iOS \(first.text)", .adAttributionKit(.unknown))
    },
    Rule(
      "tap-is-verified",
      "The tap was on a UIEventAttributionView. The view covers the ad, so that a device can tell a tap of the user from a call "
        + "of the app.", .apple("AdAttributionKit: AppImpression.handleTap()"),
      reasons: ["tap-not-verified": "cover the ad with a UIEventAttributionView (tapVerified: true)"],
      inputs: ["tapVerified": { $0.isTapVerified.map { .bool($0) } ?? .null }]
    ) { ad in
      guard ad.isTapVerified == false else { return nil }
      return Violation(
        "tap-not-verified", "the tap did not land on a UIEventAttributionView over the ad",
        .adAttributionKit(.missingAttributionView))
    },
    Rule(
      "tap-is-in-time",
      "The tap is in time after the creation of the impression. A tap counts for \(tapLifetime.words). Views have no such limit.",
      .apple("AdAttributionKit: AppImpression.handleTap()"),
      reasons: [
        "app-impression-not-created": "create the AppImpression before the tap",
        "app-impression-expired": "create the AppImpression at most \(tapLifetime.words) before the tap",
      ], inputs: ["createdAt": { .instant($0.createdAt) }, "now": { .instant($0.now) }]
    ) { ad in
      guard let createdAt = ad.createdAt else { return nil }
      if createdAt > ad.now {
        return Violation(
          "app-impression-not-created", "the impression is created at \(createdAt.text), after the tap",
          .adAttributionKit(.unknown))
      }
      guard ad.now > createdAt + tapLifetime else { return nil }
      let age = (ad.now - createdAt).words
      return Violation(
        "app-impression-expired",
        "the impression was created \(age) before the tap, and a tap counts for \(tapLifetime.words)",
        .adAttributionKit(.impressionExpired))
    },
    Rule(.viewIsLongEnough, inputs: ["displayed": { .string($0.displayed?.text) }]) { ad in
      // The app receives no error for a short view.
      ad.displayed.flatMap { .viewTooShort($0, minimum: ViewTime.adAttributionKit) }
    },
  ]

  /// Decides whether the view or the tap counts, or whether a view starts.
  ///
  /// If the advertised app is installed, the tap does not count for an install. Use ``ReengagementTap`` for the decision.
  package func decide(_ evaluation: inout RuleEvaluation) -> ImpressionDecision {
    let violation = evaluation.firstViolation(of: Self.rules, to: self)
    guard violation == nil, let impression = reading.impression else {
      return .reject(violation ?? .malformed(.payload, "The payload lacks a value."))
    }
    let isTap = interaction == .storeKitTap || isTapVerified != nil
    let ad = AdImpression(
      signed: .adAttributionKit(impression), interaction: isTap ? .click : .view, sourceApp: app.bundleIdentifier,
      sourceSDK: app.sdk, isDevelopment: impression.publisherItemIdentifier == 0, recordedAt: now)
    let notes = ad.notes(at: now) + reading.notes.map { Reason("payload-member-unknown", $0.asFragment) }
    return interaction == .beginView ? .open(ad, notes) : .record(ad, notes)
  }

  /// The header and the payload as text; nil if the text is not a JSON Web Signature.
  package var signedText: String? { reading.signedText }
  package var adNetworkIdentifier: String? { reading.error == nil ? reading.keyIdentifier : nil }
  package var advertisedAppStoreItemIdentifier: Int64? { reading.impression?.advertisedItemIdentifier }

  private var isTapVerified: Bool? { if case .tap(let input, _) = interaction { input.tapVerified } else { nil } }
  private var createdAt: Instant? { if case .tap(_, let createdAt) = interaction { createdAt } else { nil } }
  private var displayed: Interval? {
    if case .storeKitView(let displayed) = interaction { max(displayed, .seconds(0)) } else { nil }
  }
}

extension Violation {
  /// Returns the reason a device has no AdAttributionKit; nil if it has.
  static func systemTooOld(_ system: OSVersion, _ error: AppleError? = nil) -> Violation? {
    let first = AdAttributionKitAd.firstSystem
    guard system < first else { return nil }
    return Violation(
      "system-too-old", "AdAttributionKit needs iOS \(first.text), and the device runs iOS \(system.text)",
      change: "update the device to iOS \(first.text)", error)
  }

  /// - Parameters:
  ///   - part: The invalid part; nil for the whole signature.
  ///   - detail: The verifier's finding.
  fileprivate static func malformed(_ part: JWSError.Part?, _ detail: String) -> Violation {
    let detail = detail.asFragment
    return switch part {
    case nil: Violation("jws-components-invalid", detail, .adAttributionKit(.invalidImpressionJWSComponents))
    case .header: Violation("jws-header-invalid", detail, .adAttributionKit(.invalidImpressionJWSHeader))
    case .payload: Violation("jws-payload-invalid", detail, .adAttributionKit(.invalidImpressionJWSPayload))
    case .signature: Violation("signature-malformed", detail, .adAttributionKit(.invalidImpressionJWSSignature))
    }
  }
}

extension JWSError {
  /// The part for which AdAttributionKit has an error; nil for the whole signature.
  fileprivate var part: Part? {
    switch self {
    case .tooLarge, .wrongPartCount: nil
    case .missingAlgorithm, .wrongAlgorithm, .criticalExtension, .missingKeyIdentifier: .header
    case .wrongSignatureSize: .signature
    case .notBase64URL(let part), .notAnObject(let part): part
    }
  }
}
