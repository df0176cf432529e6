package import PCMCore
internal import PCMSignatures

/// A tap on an ad of AdAttributionKit for an app that is installed (AdAttributionKit reference, sections 2, 3, and 8).
///
/// Only the tapped ad counts, and there are no runners-up.
package struct ReengagementTap: Sendable {
  /// The tap, as recorded.
  package let impression: AdImpression
  /// The advertised app, which is installed.
  package let app: DeviceApp
  /// The argument of `handleTap(reengagementURL:)`.
  package let url: ReengagementURL?
  /// Identifies the conversion in later updates. Drawn at random.
  package let tag: String
  package let past: PastConversions
  package let device: Device
  package let now: Instant

  package init(
    _ impression: AdImpression, of app: DeviceApp, url: ReengagementURL?, tag: String, past: PastConversions, device: Device,
    at now: Instant
  ) {
    self.impression = impression
    self.app = app
    self.url = url
    self.tag = tag
    self.past = past
    self.device = device
    self.now = now
  }

  package static let firstSystem = OSVersion(18)
  /// The first system with conversion tags.
  package static let firstSystemWithTags = OSVersion(18, 4)

  package static let rules: [Rule<ReengagementTap, ReengagementRejection>] = [
    Rule("system-has-re-engagement", inputs: ["systemVersion": { .string($0.device.system.text) }]) { tap in
      tap.device.system < firstSystem ? .systemTooOld(tap.device.system) : nil
    },
    Rule("interaction-is-a-click", inputs: ["interaction": { .string($0.impression.interaction.rawValue) }]) { tap in
      tap.impression.interaction == .click ? nil : .notAClick
    },
    Rule("ad-allows-re-engagement", inputs: ["eligible-for-re-engagement": { .bool($0.isEligible) }]) { tap in
      tap.isEligible ? nil : .notEligible
    },
    Rule(
      "ad-is-for-the-app",
      inputs: [
        "advertisedItemIdentifier": { .number($0.impression.advertisedItemIdentifier) },
        "itemIdentifier": { .number($0.app.itemIdentifier) },
      ]
    ) { tap in
      tap.impression.advertisedItemIdentifier == tap.app.itemIdentifier
        ? nil : .otherApp(tap.impression.advertisedItemIdentifier)
    },
    Rule(
      "app-has-no-cooldown", inputs: ["cooldownEndsAt": { .instant($0.cooldownEnd) }, "now": { .instant($0.now) }]
    ) { tap in
      guard let end = tap.cooldownEnd, tap.now < end else { return nil }
      return .cooldown(until: end)
    },
  ]

  /// Decides whether the tap becomes a conversion. The app opens in any case.
  package func decide(_ evaluation: inout RuleEvaluation) -> ReengagementDecision {
    let violation = evaluation.firstViolation(of: Self.rules, to: self)
    guard let url, url.isUniversalLink else { return ReengagementDecision(rejection: violation, openedURL: nil) }
    // The parameter is present even when a cooldown prevents the conversion.
    let isReengagement =
      switch violation {
      case nil, .cooldown: true
      case .systemTooOld, .notAClick, .notEligible, .otherApp: false
      }
    let value = device.system >= Self.firstSystemWithTags ? tag : nil
    return ReengagementDecision(
      rejection: violation, openedURL: isReengagement ? url.opened(tag: value) : url.text)
  }

  private var isEligible: Bool {
    guard case .adAttributionKit(let signed) = impression.signed else { return false }
    return signed.isEligibleForReengagement == true
  }

  private var cooldownEnd: Instant? { app.adAttribution.cooldownEnd(past, on: device.system) }
}

/// The URL of a tap that opens an installed app.
package struct ReengagementURL: Hashable, Sendable {
  package let text: String
  /// Whether the URL is a universal link of the advertised app. Any other URL is dropped, and the app simply opens.
  package let isUniversalLink: Bool

  package init(_ text: String, isUniversalLink: Bool) {
    self.text = text
    self.isUniversalLink = isUniversalLink
  }

  /// `Postback.reengagementOpenURLParameter`.
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

/// What follows from a tap on an ad for an installed app.
package struct ReengagementDecision: Hashable, Sendable {
  /// Why the tap is no conversion; nil if it is one.
  package let rejection: ReengagementRejection?
  /// The URL with which the app opens; nil if it opens without one.
  package let openedURL: String?
}

/// Why a tap on an ad for an installed app is no conversion.
package enum ReengagementRejection: Hashable, RuleViolation {
  case systemTooOld(OSVersion)
  case notAClick
  case notEligible
  case otherApp(Int64)
  case cooldown(until: Instant)

  package var reason: Reason {
    switch self {
    case .systemTooOld(let system):
      Reason(
        "system-too-old", "re-engagement needs iOS \(ReengagementTap.firstSystem.text), and the device has iOS \(system.text)")
    case .notAClick: Reason("re-engagement-needs-a-click", "only taps are re-engagement, not views")
    case .notEligible: Reason("not-eligible-for-re-engagement", "the ad's eligible-for-re-engagement is not true")
    case .otherApp(let item): Reason("other-app", "the ad is for app \(item)")
    case .cooldown(let end):
      Reason("cooldown", "AttributionCooldown in the app's Info.plist excludes conversions until \(end.text)")
    }
  }

  package var change: String {
    switch self {
    case .systemTooOld: "update the device to iOS \(ReengagementTap.firstSystem.text)"
    case .notAClick: "tap the ad"
    case .notEligible: "sign the ad with \"eligible-for-re-engagement\":true"
    case .otherApp(let item): "install app \(item)"
    case .cooldown(let end): "tap the ad from \(end.text) on, or shorten AttributionCooldown"
    }
  }
}
