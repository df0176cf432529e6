package import PCMCore
internal import PCMCrypto

/// A tap on an AdAttributionKit ad for an installed app (AdAttributionKit reference, sections 2, 3, and 8).
///
/// Only the tapped ad counts, and there are no runners-up.
package struct ReengagementTap: Sendable {
  /// The recorded tap.
  package let impression: AdImpression
  /// The installed advertised app.
  package let app: DeviceApp
  /// The argument of `handleTap(reengagementURL:)`.
  package let url: ReengagementURL?
  /// A random identifier, which selects the conversion in later updates.
  package let tag: String
  package let past: PastConversions
  /// The country of the install, which also applies to a re-engagement (AdAttributionKit reference, section 13); nil if
  /// unknown.
  package let country: String?
  package let device: Device
  package let now: Instant

  package init(
    _ impression: AdImpression, of app: DeviceApp, url: ReengagementURL?, tag: String, past: PastConversions,
    country: String?, device: Device, at now: Instant
  ) {
    self.impression = impression
    self.app = app
    self.url = url
    self.tag = tag
    self.past = past
    self.country = country
    self.device = device
    self.now = now
  }

  package static let firstSystem = OSVersion(18)
  /// The first system with conversion tags.
  package static let firstSystemWithTags = AppAdAttribution.firstSystem

  package static let rules: [Rule<ReengagementTap>] = [
    Rule(
      "system-has-re-engagement",
      "The system is iOS \(firstSystem.major) or later. Earlier systems only open the app.",
      .apple("AdAttributionKit: AppImpression.handleTap(reengagementURL:)"),
      reasons: ["system-too-old": "update the device to iOS \(firstSystem.text)"],
      inputs: ["systemVersion": { .string($0.device.system.text) }]
    ) { tap in
      guard tap.device.system < firstSystem else { return nil }
      return Violation(
        "system-too-old", "re-engagement needs iOS \(firstSystem.text), and the device runs iOS \(tap.device.system.text)")
    },
    Rule(
      "interaction-is-a-click", "The user tapped the ad. A view is not a re-engagement.", .appAttributions,
      reasons: ["re-engagement-needs-a-click": "tap the ad"],
      inputs: ["interaction": { .string($0.impression.interaction.rawValue) }]
    ) { tap in
      guard tap.impression.interaction != .click else { return nil }
      return Violation("re-engagement-needs-a-click", "a view is not a re-engagement")
    },
    Rule(
      "ad-allows-re-engagement",
      "The ad is eligible for re-engagement. Its payload has eligible-for-re-engagement true.", .jwsImpressions,
      reasons: ["not-eligible-for-re-engagement": "sign the ad with \"eligible-for-re-engagement\":true"],
      inputs: ["eligible-for-re-engagement": { .bool($0.isEligible) }]
    ) { tap in
      guard !tap.isEligible else { return nil }
      return Violation("not-eligible-for-re-engagement", "the ad's eligible-for-re-engagement is not true")
    },
    Rule(
      "ad-is-for-the-app", "The ad is for the app. Its advertised app is the installed one.", .appAttributions,
      reasons: ["other-app": "install the advertised app"],
      inputs: [
        "advertisedAppStoreItemIdentifier": { .number($0.impression.advertisedAppStoreItemIdentifier) },
        "itemIdentifier": { .number($0.app.itemIdentifier) },
      ]
    ) { tap in
      let item = tap.impression.advertisedAppStoreItemIdentifier
      guard item != tap.app.itemIdentifier else { return nil }
      return Violation("other-app", "the ad is for app \(item)", change: "install app \(item)")
    },
    Rule(
      .appIsSignedByAStore,
      inputs: [
        "signing": { .string($0.app.signing.rawValue) }, "developmentImpression": { .bool($0.impression.isDevelopment) },
        "developerMode": { .bool($0.device.isInDeveloperMode(at: $0.now)) },
      ]
    ) { tap in
      tap.impression.counts(for: tap.app, on: tap.device, at: tap.now) ? nil : .appNotFromStore(tap.app.bundleIdentifier)
    },
    Rule(
      .appHasNoCooldown, inputs: ["cooldownEndsAt": { .instant($0.cooldownEnd) }, "now": { .instant($0.now) }]
    ) { tap in
      guard let end = tap.cooldownEnd, tap.now < end else { return nil }
      return .cooldown(until: end, "tap the ad")
    },
  ]

  /// The catalog's entry for the note about a URL that the app does not receive.
  static let droppedURL = RuleTitle(
    reason: "re-engagement-url-dropped", "The URL is no universal link of the advertised app. The app opens without it.",
    .apple("AdAttributionKit: AppImpression.handleTap(reengagementURL:)"), change: "pass a universal link of the app")

  /// Decides whether the tap becomes a conversion. The app opens in both cases.
  package func decide(_ evaluation: inout RuleEvaluation) -> ReengagementDecision {
    let violation = evaluation.firstViolation(of: Self.rules, to: self)
    guard let url else { return ReengagementDecision(rejection: violation, openedURL: nil, note: nil) }
    guard url.isUniversalLink else {
      let note = Reason(
        "re-engagement-url-dropped", "\(url.text.shown) is not a universal link of the app, which opens without a URL")
      return ReengagementDecision(rejection: violation, openedURL: nil, note: note)
    }
    // The parameter is present even if a cooldown prevents the conversion.
    let isReengagement = violation.map { $0.reason.code == "cooldown" } ?? true
    let value = device.system >= Self.firstSystemWithTags ? tag : nil
    return ReengagementDecision(
      rejection: violation, openedURL: isReengagement ? url.opened(tag: value) : url.text, note: nil)
  }

  private var isEligible: Bool {
    guard case .adAttributionKit(let signed) = impression.signed else { return false }
    return signed.isEligibleForReengagement == true
  }

  private var cooldownEnd: Instant? { app.adAttribution.cooldownEnd(past, on: device.system) }
}

/// The URL of a tap on an ad for an installed app.
package struct ReengagementURL: Hashable, Sendable {
  package let text: String
  /// Whether the URL is a universal link of the advertised app. Other URLs are dropped, and the app opens without a URL.
  package let isUniversalLink: Bool

  package init(_ text: String, isUniversalLink: Bool) {
    self.text = text
    self.isUniversalLink = isUniversalLink
  }

  /// The value of `Postback.reengagementOpenURLParameter`.
  package static let parameter = "AdAttributionKitReengagementOpen"

  /// Returns the URL that the app receives.
  ///
  /// - Parameter tag: The conversion tag; nil before iOS 18.4.
  func opened(tag: String?) -> String {
    let end = text.firstIndex(of: "#") ?? text.endIndex
    let separator = text[..<end].contains("?") ? "&" : "?"
    return text[..<end] + separator + Self.parameter + (tag.map { "=\($0)" } ?? "") + text[end...]
  }
}

/// The outcome of a tap on an ad for an installed app.
package struct ReengagementDecision: Hashable, Sendable {
  /// The reason the tap is not a conversion; nil for a conversion.
  package let rejection: Violation?
  /// The URL that the app receives; nil if it opens without a URL.
  package let openedURL: String?
  /// The reason the app does not receive the URL of the tap; nil if it receives the URL or the tap has no URL.
  package let note: Reason?
}
