package import PCMCore
internal import PCMCrypto

/// An ad considered for an install, with its outcome (won, runner-up, lost, or not considered) and the reason.
package struct InstallCandidate: Sendable {
  package let kept: KeptImpression
  let install: Install
  /// Whether a production ad for the app is eligible.
  var hasProduction = false
  /// The place, starting at 1 for the winner; nil for an ad that was not considered.
  package internal(set) var place: Int?
  /// The network of the winner; nil for the winner and for an ad that was not considered.
  var winningNetwork: String?
  /// The networks of the runners-up before the ad.
  var runnerUpNetworks: [String] = []
  /// The reason the ad has no postback; nil if it has a postback.
  package private(set) var rejection: Violation?
  /// The evaluated rules. For ads after the winner, they include the rules about their place.
  package private(set) var evaluation = RuleEvaluation()

  /// The stable name of the outcome.
  package var outcome: String {
    guard let place else { return "not-considered" }
    return place == 1 ? "won" : rejection == nil ? "runner-up" : "lost"
  }

  /// Applies the rules for the winner, or the rules for later ads.
  mutating func judge() {
    let isWinner = winningNetwork == nil
    var evaluation = RuleEvaluation(
      of: isWinner ? DeviceRuleBook.installWinner : DeviceRuleBook.installRunnerUp, keepsInputs: install.keepsInputs)
    rejection = evaluation.firstViolation(of: isWinner ? Self.rules : Self.laterRules, to: self)
    self.evaluation = evaluation
  }

  package static let rules: [Rule<InstallCandidate>] = appRules + timeRules + [developmentRule]
  /// The rules for ads after the winner.
  static let laterRules = rules + placeRules

  private static let appRules: [Rule<InstallCandidate>] = [
    Rule(
      .appIsSignedByAStore,
      inputs: [
        "signing": { .string($0.install.app.signing.rawValue) },
        "developmentImpression": { .bool($0.impression.isDevelopment) },
        "developerMode": { .bool($0.install.device.isInDeveloperMode(at: $0.install.now)) },
      ]
    ) { candidate in
      let install = candidate.install
      return candidate.impression.counts(for: install.app, on: install.device, at: install.now)
        ? nil : .appNotFromStore(install.app.bundleIdentifier)
    },
    Rule(
      "framework-serves-marketplace",
      "The framework serves the app's marketplace. SKAdNetwork serves the App Store. AdAttributionKit serves every marketplace.",
      .interoperability,
      reasons: ["other-marketplace": "install the app from the App Store, or display an AdAttributionKit ad"],
      inputs: [
        "framework": { .string($0.impression.framework.rawValue) }, "marketplace": { .shown($0.install.marketplace) },
      ]
    ) { candidate in
      let marketplace = candidate.install.marketplace
      guard candidate.impression.framework == .skadnetwork, marketplace != Install.appStore else { return nil }
      return Violation(
        "other-marketplace", "the app comes from \(marketplace.shown), and SKAdNetwork measures only the App Store")
    },
    Rule(
      .versionIsSupported,
      inputs: [
        "version": { .string($0.impression.version?.rawValue) }, "sourceAppSDK": { .string($0.impression.sourceSDK?.text) },
        "systemVersion": { .string($0.install.device.system.text) },
      ]
    ) { candidate in
      let (impression, system) = (candidate.impression, candidate.install.device.system)
      guard let version = impression.version else { return .systemTooOld(system) }
      return VersionEligibility.violation(version, sdk: impression.sourceSDK, system: system)
    },
  ]

  private static let timeRules: [Rule<InstallCandidate>] = [
    Rule(
      "interaction-is-not-ignored",
      "The advertised app does not ignore the interaction. ignoreInteractionType excludes views or clicks of one ad network.",
      .attributionRules,
      reasons: ["interaction-ignored": "remove ignoreInteractionType from the ad network's AttributionWindows"],
      inputs: [
        "framework": { .string($0.impression.framework.rawValue) },
        "adNetworkIdentifier": { .string($0.impression.adNetworkIdentifier) },
        "interaction": { .string($0.impression.interaction.rawValue) },
      ]
    ) { candidate in
      let (impression, install) = (candidate.impression, candidate.install)
      let (interaction, network) = (impression.interaction, impression.adNetworkIdentifier)
      guard impression.framework == .adattributionkit,
        install.app.adAttribution.ignores(interaction, network: network, on: install.device.system)
      else { return nil }
      return Violation(
        "interaction-ignored",
        "ignoreInteractionType in the app's Info.plist excludes each \(interaction.rawValue) of \(network)",
        change: "remove ignoreInteractionType from the AttributionWindows of \(network)")
    },
    Rule(
      "install-is-in-the-window",
      "The app is installed in time after the interaction. 24 hours after a view and 30 days after a click. AttributionWindows "
        + "changes these times for AdAttributionKit.", .attributions,
      reasons: ["impression-expired": "install the app earlier"],
      inputs: [
        "recordedAt": { .instant($0.impression.recordedAt) }, "window": { .string($0.window.text) },
        "installedAt": { .instant($0.install.now) },
      ]
    ) { candidate in
      let (window, now) = (candidate.window, candidate.install.now)
      let end = candidate.impression.recordedAt + window
      guard now > end else { return nil }
      let late = (now - end).words
      return Violation(
        "impression-expired",
        "a \(candidate.impression.interaction.rawValue) counts for \(window.words); this one expired at \(end.text), \(late) "
          + "before the install", change: "install the app at least \(late) earlier")
    },
    Rule(
      .appHasNoCooldown,
      inputs: [
        "framework": { .string($0.impression.framework.rawValue) }, "cooldownEndsAt": { .instant($0.cooldownEnd) },
        "installedAt": { .instant($0.install.now) },
      ]
    ) { candidate in
      guard candidate.impression.framework == .adattributionkit, let end = candidate.cooldownEnd, candidate.install.now < end
      else { return nil }
      return .cooldown(until: end, "install the app")
    },
  ]

  private static let developmentRule = Rule<InstallCandidate>(
    "production-precedes-development",
    "No production ad for the app is eligible. Ads for tests are ignored when any production ad can win.",
    .developerMode, reasons: ["development-impression-ignored": "remove the production ads, or let them expire"],
    inputs: [
      "developmentImpression": { .bool($0.impression.isDevelopment) }, "productionImpression": { .bool($0.hasProduction) },
    ]
  ) { candidate in
    guard candidate.impression.isDevelopment, candidate.hasProduction else { return nil }
    return Violation(
      "development-impression-ignored", "the ad serves only for tests, and a production ad for the app is eligible")
  }

  /// The first version with postbacks for runners-up, and its first system.
  private static let firstVersion = SKAdNetworkVersion.v3
  private static let firstSystem = VersionEligibility.first(firstVersion)

  /// The rules about the place after the winner.
  static let placeRules: [Rule<InstallCandidate>] = [
    Rule(
      "ad-is-among-the-first-six",
      "The ad is among the first six. Clicks come before views, and later ads before earlier ones, of both frameworks together.",
      .interoperability, reasons: ["beyond-six": "display the ad later than the others, or as a click"],
      inputs: ["place": { .number($0.place.map { Int64($0) }) }]
    ) { candidate in
      // The winner and the five following ads.
      guard let place = candidate.place, place > 6 else { return nil }
      return Violation(
        "beyond-six", "6 ads are considered, and this one has place \(place)")
    },
    Rule(
      "system-has-runners-up",
      "The system and the version have postbacks for runners-up. iOS \(firstSystem.text), and version \(firstVersion.rawValue) or "
        + "AdAttributionKit.", .attributions,
      reasons: [
        "system-too-old": "update the device to iOS \(firstSystem.text)",
        "runner-up-version": "sign the ad for version \(firstVersion.rawValue) or later",
      ],
      inputs: [
        "version": { .string($0.impression.version?.rawValue) }, "systemVersion": { .string($0.install.device.system.text) },
      ]
    ) { candidate in
      if candidate.install.device.system < firstSystem {
        return Violation(
          "system-too-old",
          "only winners receive postbacks before iOS \(firstSystem.text); this is iOS \(candidate.install.device.system.text)")
      }
      guard let version = candidate.impression.version, version < firstVersion else { return nil }
      return Violation(
        "runner-up-version",
        "only winners receive postbacks before version \(firstVersion.rawValue), and the ad has version \(version.rawValue)")
    },
    Rule(
      "network-has-not-won", "The ad network has not won. A network receives one postback for an install.", .attributions,
      reasons: ["network-won": oneForEachNetwork],
      inputs: [
        "adNetworkIdentifier": { .string($0.network) }, "winningNetwork": { .string($0.winningNetwork) },
      ]
    ) { candidate in
      guard candidate.network == candidate.winningNetwork else { return nil }
      return Violation("network-won", "\(candidate.network) has the winning ad", change: oneForEachNetwork)
    },
    Rule(
      "network-is-runner-up-once",
      "The ad network has no better runner-up. A network receives one postback for an install.", .attributions,
      reasons: ["network-already-runner-up": oneForEachNetwork],
      inputs: [
        "adNetworkIdentifier": { .string($0.network) },
        "runnerUpNetworks": { .array($0.runnerUpNetworks.map { .string($0) }) },
      ]
    ) { candidate in
      guard candidate.runnerUpNetworks.contains(candidate.network) else { return nil }
      return Violation(
        "network-already-runner-up", "another ad of \(candidate.network) has a better place", change: oneForEachNetwork)
    },
  ]

  private static let oneForEachNetwork = "nothing: a network receives one postback for an install"

  var isEligible: Bool { Self.rules.allSatisfy { $0.violation(self) == nil } }

  private var impression: AdImpression { kept.impression }
  private var cooldownEnd: Instant? { install.app.adAttribution.cooldownEnd(install.past, on: install.device.system) }

  /// The attribution window. The windows in the app's Info.plist apply only to AdAttributionKit.
  private var window: Interval {
    guard impression.framework == .adattributionkit else {
      return AppAdAttribution.standardWindow(impression.interaction)
    }
    return install.app.adAttribution.window(
      impression.interaction, network: impression.adNetworkIdentifier, on: install.device.system)
  }

  private var network: String { impression.adNetworkIdentifier }
}

extension AdImpression {
  /// Returns whether the ad counts for an app with the app's signing. A store must have signed the app, for installs and for
  /// re-engagement, except for development ads in developer mode.
  func counts(for app: DeviceApp, on device: Device, at now: Instant) -> Bool {
    app.signing == .store || (isDevelopment && device.isInDeveloperMode(at: now))
  }
}
