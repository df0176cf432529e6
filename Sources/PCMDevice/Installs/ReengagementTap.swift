package import PCMCore
internal import PCMSignatures

/// A tap on an AdAttributionKit ad for an app that is installed (AdAttributionKit reference, sections 2, 3, and 8).
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
  /// The country of the install, which a re-engagement has, too (AdAttributionKit reference, section 13); nil if unknown.
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
        "advertisedAppStoreItemIdentifier": { .number($0.impression.advertisedAppStoreItemIdentifier) },
        "itemIdentifier": { .number($0.app.itemIdentifier) },
      ]
    ) { tap in
      tap.impression.advertisedAppStoreItemIdentifier == tap.app.itemIdentifier
        ? nil : .otherApp(tap.impression.advertisedAppStoreItemIdentifier)
    },
    Rule(
      "app-is-signed-by-a-store",
      inputs: [
        "signing": { .string($0.app.signing.rawValue) }, "developmentImpression": { .bool($0.impression.isDevelopment) },
        "developerMode": { .bool($0.device.isInDeveloperMode(at: $0.now)) },
      ]
    ) { tap in
      tap.impression.counts(for: tap.app, on: tap.device, at: tap.now)
        ? nil : .appNotFromStore(bundleIdentifier: tap.app.bundleIdentifier)
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
    guard let url else { return ReengagementDecision(rejection: violation, openedURL: nil, note: nil) }
    guard url.isUniversalLink else {
      return ReengagementDecision(rejection: violation, openedURL: nil, note: .urlDropped(url.text))
    }
    // The parameter is present even when a cooldown prevents the conversion.
    let isReengagement =
      switch violation {
      case nil, .cooldown: true
      case .systemTooOld, .notAClick, .notEligible, .otherApp, .appNotFromStore: false
      }
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
  /// Why the tap is not a conversion; nil if it is one.
  package let rejection: ReengagementRejection?
  /// The URL with which the app opens; nil if it opens without one.
  package let openedURL: String?
  package let note: ReengagementNote?
}

/// A finding about a tap on an ad for an installed app.
package enum ReengagementNote: Hashable, Sendable {
  /// The URL is not a universal link of the app.
  case urlDropped(String)

  package var reason: Reason {
    switch self {
    case .urlDropped(let url):
      Reason(
        "re-engagement-url-dropped", "\(url.shown) is not a universal link of the app, which opens without a URL")
    }
  }
}

/// Why a tap on an ad for an installed app is not a conversion.
package enum ReengagementRejection: Hashable, RuleViolation {
  case systemTooOld(OSVersion)
  case notAClick
  case notEligible
  case otherApp(Int64)
  case appNotFromStore(bundleIdentifier: String)
  case cooldown(until: Instant)

  package var reason: Reason {
    switch self {
    case .systemTooOld(let system):
      Reason(
        "system-too-old", "re-engagement needs iOS \(ReengagementTap.firstSystem.text), and the device runs iOS \(system.text)")
    case .notAClick: Reason("re-engagement-needs-a-click", "a view is not a re-engagement")
    case .notEligible: Reason("not-eligible-for-re-engagement", "the ad's eligible-for-re-engagement is not true")
    case .otherApp(let item): Reason("other-app", "the ad is for app \(item)")
    case .appNotFromStore(let app): .appNotFromStore(app)
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
    case .appNotFromStore: "install an app that is signed by a store, or switch on developer mode and use 0 as the source app"
    case .cooldown(let end): "tap the ad from \(end.text) on, or shorten AttributionCooldown"
    }
  }
}
