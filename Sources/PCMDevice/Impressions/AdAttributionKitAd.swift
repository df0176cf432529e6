package import PCMCore
internal import PCMSignatures

/// An app that displays an AdAttributionKit ad, or whose user taps it (AdAttributionKit reference, section 2).
package struct AdAttributionKitAd: Sendable {
  package enum Interaction: Hashable, Sendable {
    /// `beginView()` for an ad that the app renders. The end is a ``ViewEnd``.
    case beginView
    /// `handleView()` for an ad that the app renders: one call records the view.
    case handleView
    /// `handleTap()` for an ad that the app renders.
    ///
    /// - Parameters:
    ///   - isVerified: Whether the tap was on a `UIEventAttributionView` over the ad.
    ///   - createdAt: When the app created the `AppImpression`, between ``Instant/earliest`` and ``Instant/latest``.
    case tap(isVerified: Bool, createdAt: Instant)
    /// An ad that StoreKit renders was displayed.
    case storeKitView(displayed: Interval)
    /// A tap on an ad that StoreKit renders.
    case storeKitTap
  }

  /// The compact JSON Web Signature.
  package let jws: String
  package let interaction: Interaction
  package let app: DeviceApp
  package let device: Device
  package let now: Instant
  private let reading: JWSReading

  package init(
    _ jws: String, _ interaction: Interaction, in app: DeviceApp, networks: AdNetworkRegistry, device: Device, at now: Instant
  ) {
    self.jws = jws
    self.interaction = interaction
    self.app = app
    self.device = device
    self.now = now
    reading = JWSReading(jws, networks: networks)
  }

  package static let firstSystem = OSVersion(17, 4)
  /// The first system with `handleView()` (AdAttributionKit reference, section 13).
  package static let firstSystemWithHandleView = OSVersion(26, 2)
  /// A tap counts up to this time after the creation of the impression.
  package static let tapLifetime = Interval.minutes(15)

  package static let rules: [Rule<AdAttributionKitAd, AdAttributionKitRejection>] = signatureRules + interactionRules

  private static let signatureRules: [Rule<AdAttributionKitAd, AdAttributionKitRejection>] = [
    Rule(
      "app-runs-on-iphone-or-ipad",
      inputs: ["bundleIdentifier": { .string($0.app.bundleIdentifier) }, "platform": { .string($0.app.platform.rawValue) }]
    ) { ad in
      ad.app.platform.showsAds ? nil : .unsupportedPlatform(bundleIdentifier: ad.app.bundleIdentifier)
    },
    Rule(
      "adattributionkit-is-supported",
      inputs: ["systemVersion": { .string($0.device.system.text) }, "sourceAppSDK": { .string($0.app.sdk.text) }]
    ) { ad in
      if ad.device.system < firstSystem { return .systemTooOld(ad.device.system) }
      return ad.app.sdk < firstSystem ? .sdkTooOld(ad.app.sdk) : nil
    },
    Rule("jws-is-well-formed", inputs: ["jws": { .shown($0.jws) }]) { ad in
      ad.reading.error.map { .malformed(JWSFaultPart($0), CompactJWS.explanation(of: $0, in: ad.jws)) }
    },
    Rule("jws-header-is-valid", inputs: ["header": { $0.reading.jws?.header.shown() ?? .null }]) { ad in
      ad.reading.headerFault.map { .malformed(.header, $0) }
    },
    Rule("ad-network-id-is-valid", inputs: ["adNetworkIdentifier": { .shown($0.reading.keyIdentifier) }]) { ad in
      AdNetworkIdentifier.isWellFormed(ad.reading.keyIdentifier) ? nil : .networkInvalid(ad.reading.keyIdentifier)
    },
    Rule("ad-network-id-is-lower-case", inputs: ["adNetworkIdentifier": { .shown($0.reading.keyIdentifier) }]) { ad in
      AdNetworkIdentifier.flaw(in: ad.reading.keyIdentifier) == .upperCase
        ? .networkNotLowerCase(ad.reading.keyIdentifier) : nil
    },
    Rule(
      "ad-network-is-declared",
      inputs: [
        "adNetworkIdentifier": { .shown($0.reading.keyIdentifier) },
        "adNetworkIdentifiers": { .shown($0.app.adAttribution.adNetworkIdentifiers.map { .string($0) }) },
      ]
    ) { ad in
      ad.app.adAttribution.adNetworkIdentifiers.contains(ad.reading.keyIdentifier)
        ? nil : .networkNotDeclared(ad.reading.keyIdentifier, bundleIdentifier: ad.app.bundleIdentifier)
    },
    Rule(
      "ad-network-is-registered",
      inputs: [
        "adNetworkIdentifier": { .shown($0.reading.keyIdentifier) }, "registered": { .bool($0.reading.network != nil) },
      ]
    ) { ad in
      ad.reading.network == nil ? .networkNotRegistered(ad.reading.keyIdentifier) : nil
    },
    Rule(
      "jws-payload-is-valid",
      inputs: ["payload": { $0.reading.jws?.payload.shown(upTo: ShownSize.signedText) ?? .null }]
    ) { ad in
      ad.reading.payloadFault.map { .malformed(.payload, $0) }
    },
    Rule(
      "jws-signature-verifies", inputs: ["signedText": { .shown($0.reading.signedText, upTo: ShownSize.signedText) }]
    ) { ad in
      ad.reading.verifies ? nil : .signatureInvalid(ad.reading.signedText ?? "", ad.reading.remedy)
    },
    Rule(
      "source-app-displays-the-ad",
      inputs: [
        "publisherItemIdentifier": { .number($0.reading.impression?.publisherItemIdentifier) },
        "itemIdentifier": { .number($0.app.itemIdentifier) }, "signing": { .string($0.app.signing.rawValue) },
        "developerMode": { .bool($0.device.isInDeveloperMode(at: $0.now)) },
      ]
    ) { ad in
      let expected = SourceAppExpectation(ad.app, on: ad.device, at: ad.now)
      guard let publisher = ad.reading.impression?.publisherItemIdentifier, !expected.allows(publisher) else { return nil }
      return .publisherMismatch(publisher, expected: expected)
    },
  ]

  private static let interactionRules: [Rule<AdAttributionKitAd, AdAttributionKitRejection>] = [
    Rule(
      "handle-view-is-supported",
      inputs: ["handleView": { .bool($0.interaction == .handleView) }, "systemVersion": { .string($0.device.system.text) }]
    ) { ad in
      ad.interaction == .handleView && ad.device.system < firstSystemWithHandleView ? .noHandleView(ad.device.system) : nil
    },
    Rule("tap-is-verified", inputs: ["tapVerified": { $0.isTapVerified.map { .bool($0) } ?? .null }]) { ad in
      ad.isTapVerified == false ? .tapNotVerified : nil
    },
    Rule("tap-is-in-time", inputs: ["createdAt": { .instant($0.createdAt) }, "now": { .instant($0.now) }]) { ad in
      guard let createdAt = ad.createdAt else { return nil }
      if createdAt > ad.now { return .tapBeforeCreation(createdAt: createdAt) }
      return ad.now > createdAt + tapLifetime ? .impressionExpired(age: ad.now - createdAt) : nil
    },
    Rule("view-is-long-enough", inputs: ["displayed": { .string($0.displayed?.text) }]) { ad in
      guard let displayed = ad.displayed, displayed < ViewTime.adAttributionKit else { return nil }
      return .viewTooShort(displayed)
    },
  ]

  /// Decides whether the view or the tap counts, or whether a view begins.
  ///
  /// If the advertised app is installed, a tap does not count for an install: decide about it with ``ReengagementTap``.
  package func decide(_ evaluation: inout RuleEvaluation) -> ImpressionDecision {
    let violation = evaluation.firstViolation(of: Self.rules, to: self)
    guard violation == nil, let impression = reading.impression else {
      return .reject(.adAttributionKit(violation ?? .malformed(.payload, "The payload lacks a value.")))
    }
    let signed = SignedImpression.adAttributionKit(impression)
    let isDevelopment = impression.publisherItemIdentifier == 0
    let notes =
      ImpressionNote.all(signed, isDevelopment: isDevelopment, at: now) + reading.notes.map { .unknownMember($0) }
    func record(_ interaction: InteractionType) -> ImpressionDecision {
      .record(
        AdImpression(
          signed: signed, interaction: interaction, sourceApp: app.bundleIdentifier, sourceSDK: app.sdk,
          isDevelopment: isDevelopment, recordedAt: now), notes)
    }
    switch interaction {
    case .tap, .storeKitTap: return record(.click)
    case .storeKitView, .handleView: return record(.view)
    case .beginView:
      let view = OpenView(
        bundleIdentifier: app.bundleIdentifier, signed: signed, sourceSDK: app.sdk, isDevelopment: isDevelopment, startedAt: now
      )
      return .open(view, notes)
    }
  }

  /// The header and the payload as text; nil for text that is no JSON Web Signature.
  package var signedText: String? { reading.signedText }
  package var adNetworkIdentifier: String? { reading.error == nil ? reading.keyIdentifier : nil }
  package var advertisedAppStoreItemIdentifier: Int64? { reading.impression?.advertisedItemIdentifier }

  private var isTapVerified: Bool? { if case .tap(let isVerified, _) = interaction { isVerified } else { nil } }
  private var createdAt: Instant? { if case .tap(_, let createdAt) = interaction { createdAt } else { nil } }
  private var displayed: Interval? {
    if case .storeKitView(let displayed) = interaction { max(displayed, .seconds(0)) } else { nil }
  }
}
