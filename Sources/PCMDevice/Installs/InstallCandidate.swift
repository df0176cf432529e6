package import PCMCore
package import PCMSignatures

/// An ad that may have led to an install.
package struct InstallCandidate: Sendable {
  package let kept: KeptImpression
  package let install: Install
  /// Whether a production ad for the app is eligible.
  package let hasProduction: Bool

  package init(_ kept: KeptImpression, install: Install, hasProduction: Bool) {
    self.kept = kept
    self.install = install
    self.hasProduction = hasProduction
  }

  package static let rules: [Rule<InstallCandidate, InstallRejection>] = appRules + timeRules + [developmentRule]

  private static let appRules: [Rule<InstallCandidate, InstallRejection>] = [
    Rule(
      "app-is-signed-by-a-store",
      inputs: [
        "signing": { .string($0.install.app.signing.rawValue) },
        "developmentImpression": { .bool($0.impression.isDevelopment) },
        "developerMode": { .bool($0.isInDeveloperMode) },
      ]
    ) { candidate in
      let install = candidate.install
      return candidate.impression.counts(for: install.app, on: install.device, at: install.now)
        ? nil : .appNotFromStore(bundleIdentifier: install.app.bundleIdentifier)
    },
    Rule(
      "framework-serves-marketplace",
      inputs: [
        "framework": { .string($0.impression.framework.rawValue) }, "marketplace": { .shown($0.install.marketplace) },
      ]
    ) { candidate in
      guard candidate.impression.framework == .skadnetwork, candidate.install.marketplace != Install.appStore else {
        return nil
      }
      return .otherMarketplace(candidate.install.marketplace)
    },
    Rule(
      "version-is-supported",
      inputs: [
        "version": { .string($0.impression.version?.rawValue) }, "sourceAppSDK": { .string($0.impression.sourceSDK?.text) },
        "systemVersion": { .string($0.install.device.system.text) },
      ]
    ) { candidate in
      let (impression, system) = (candidate.impression, candidate.install.device.system)
      guard let version = impression.version else {
        return system < AdAttributionKitAd.firstSystem ? .systemTooOld(system) : nil
      }
      return VersionEligibility.violation(version, sdk: impression.sourceSDK, system: system).map {
        .versionNotSupported(version, $0)
      }
    },
  ]

  private static let timeRules: [Rule<InstallCandidate, InstallRejection>] = [
    Rule(
      "interaction-is-not-ignored",
      inputs: [
        "framework": { .string($0.impression.framework.rawValue) },
        "adNetworkIdentifier": { .string($0.impression.adNetworkIdentifier) },
        "interaction": { .string($0.impression.interaction.rawValue) },
      ]
    ) { candidate in
      let (impression, install) = (candidate.impression, candidate.install)
      guard impression.framework == .adattributionkit,
        install.app.adAttribution.ignores(
          impression.interaction, network: impression.adNetworkIdentifier, on: install.device.system)
      else { return nil }
      return .interactionIgnored(impression.interaction, network: impression.adNetworkIdentifier)
    },
    Rule(
      "install-is-in-the-window",
      inputs: [
        "recordedAt": { .instant($0.impression.recordedAt) }, "window": { .string($0.window.text) },
        "installedAt": { .instant($0.install.now) },
      ]
    ) { candidate in
      let end = candidate.impression.recordedAt + candidate.window
      guard candidate.install.now > end else { return nil }
      return .expired(at: end, window: candidate.window, candidate.impression.interaction, installedAt: candidate.install.now)
    },
    Rule(
      "app-has-no-cooldown",
      inputs: [
        "framework": { .string($0.impression.framework.rawValue) }, "cooldownEndsAt": { .instant($0.cooldownEnd) },
        "installedAt": { .instant($0.install.now) },
      ]
    ) { candidate in
      guard candidate.impression.framework == .adattributionkit, let end = candidate.cooldownEnd, candidate.install.now < end
      else { return nil }
      return .cooldown(until: end)
    },
  ]

  private static let developmentRule = Rule<InstallCandidate, InstallRejection>(
    "production-precedes-development",
    inputs: [
      "developmentImpression": { .bool($0.impression.isDevelopment) }, "productionImpression": { .bool($0.hasProduction) },
    ]
  ) { candidate in
    candidate.impression.isDevelopment && candidate.hasProduction ? .developmentOnly : nil
  }

  func decide(_ evaluation: inout RuleEvaluation) -> InstallRejection? {
    evaluation.firstViolation(of: Self.rules, to: self)
  }

  var isEligible: Bool { Self.rules.allSatisfy { $0.violation(self) == nil } }

  private var impression: AdImpression { kept.impression }
  private var isInDeveloperMode: Bool { install.device.isInDeveloperMode(at: install.now) }
  private var cooldownEnd: Instant? { install.app.adAttribution.cooldownEnd(install.past, on: install.device.system) }

  /// The windows of the app's Info.plist apply to AdAttributionKit.
  private var window: Interval {
    guard impression.framework == .adattributionkit else {
      return AppAdAttribution.standardWindow(impression.interaction)
    }
    return install.app.adAttribution.window(
      impression.interaction, network: impression.adNetworkIdentifier, on: install.device.system)
  }
}

/// Why an ad is not considered for an install.
package enum InstallRejection: Hashable, RuleViolation {
  case appNotFromStore(bundleIdentifier: String)
  case otherMarketplace(String)
  case systemTooOld(OSVersion)
  case versionNotSupported(SKAdNetworkVersion, VersionIneligibility)
  case interactionIgnored(InteractionType, network: String)
  case expired(at: Instant, window: Interval, InteractionType, installedAt: Instant)
  case cooldown(until: Instant)
  case developmentOnly

  package var reason: Reason {
    switch self {
    case .appNotFromStore(let app): .appNotFromStore(app)
    case .otherMarketplace(let marketplace):
      Reason("other-marketplace", "the app comes from \(marketplace.shown), and SKAdNetwork measures only the App Store")
    case .systemTooOld(let system):
      Reason(
        "system-too-old",
        "AdAttributionKit needs iOS \(AdAttributionKitAd.firstSystem.text), and the device runs iOS \(system.text)")
    case .versionNotSupported(let version, let why): Reason("version-not-supported", why.detail(version))
    case .interactionIgnored(let interaction, let network):
      Reason(
        "interaction-ignored",
        "ignoreInteractionType in the app's Info.plist excludes each \(interaction.rawValue) of \(network)")
    case .expired(let instant, let window, let interaction, let installedAt):
      Reason(
        "impression-expired",
        "a \(interaction.rawValue) counts for \(window.words); this one expired at \(instant.text), "
          + "\((installedAt - instant).words) before the install")
    case .cooldown(let end):
      Reason("cooldown", "AttributionCooldown in the app's Info.plist excludes conversions until \(end.text)")
    case .developmentOnly:
      Reason("development-impression-ignored", "the ad serves only for tests, and a production ad for the app is eligible")
    }
  }

  package var change: String {
    switch self {
    case .appNotFromStore: "install an app that is signed by a store, or switch on developer mode and use 0 as the source app"
    case .otherMarketplace: "install the app from the App Store, or display an AdAttributionKit ad"
    case .systemTooOld: "update the device to iOS \(AdAttributionKitAd.firstSystem.text)"
    case .versionNotSupported(let version, let why): why.change(version)
    case .interactionIgnored(_, let network): "remove ignoreInteractionType from the AttributionWindows of \(network)"
    case .expired(let instant, _, _, let installedAt): "install the app at least \((installedAt - instant).words) earlier"
    case .cooldown(let end): "install the app from \(end.text) on, or shorten AttributionCooldown"
    case .developmentOnly: "remove the production ads, or let them expire"
    }
  }
}
