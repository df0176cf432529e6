package import PCMCore
internal import PCMCrypto
internal import PCMVerify

/// The violations and rules of several decisions.
extension Violation {
  static func adNetworkNotRegistered(_ identifier: String, change: String? = nil, _ error: AppleError? = nil) -> Violation {
    Violation(
      "ad-network-not-registered", "no ad network \"\(identifier.shown)\" is registered",
      change: change ?? "register \(identifier) with its public key and its postback URL", error)
  }

  static func appNotFromStore(_ bundleIdentifier: String, change: String? = nil, _ error: AppleError? = nil) -> Violation {
    Violation(
      "app-not-from-store", "\(bundleIdentifier) is signed for development, so only test ads in developer mode count",
      change: change ?? "install an app that is signed by a store, or switch on developer mode and use 0 as the source app",
      error)
  }

  /// - Parameter verb: The action after the cooldown, such as `install the app`.
  static func cooldown(until end: Instant, _ verb: String) -> Violation {
    Violation(
      "cooldown", "AttributionCooldown in the app's Info.plist excludes conversions until \(end.text)",
      change: "\(verb) from \(end.text) on, or shorten AttributionCooldown")
  }

  /// A signature that does not verify over an SKAdNetwork text.
  ///
  /// - Parameter text: The signed text, with `|` between the values.
  static func signatureInvalid(over text: String, _ remedy: SignatureRemedy?, _ error: AppleError? = nil) -> Violation {
    let finding = remedy?.finding.map { ": \($0.asFragment)" } ?? ""
    let shown = text.asShown(upTo: ShownSize.signedText)
    return Violation(
      "signature-invalid", "the signature does not verify over \(shown), where | stands for U+2063\(finding)",
      change: remedy?.instruction.asFragment
        ?? "sign this text, with U+2063 for each |, with the private key that belongs to the registered key", error)
  }

  package static func tooManyImpressions(maximum: Int) -> Violation {
    Violation(
      "too-many-impressions", "the device keeps \(maximum) ads, the maximum", change: "let ads expire, or clear the data")
  }
}

extension RuleTitle {
  static let tooManyImpressions = RuleTitle(
    reason: "too-many-impressions", "The device keeps the maximum of ads. Views and clicks are not recorded until some expire.",
    .ours("memory is bounded"), change: "let ads expire, or clear the data")

  static let appRunsOnIPhone = RuleTitle(
    "app-runs-on-iphone-or-ipad",
    "The app runs on iPhone, iPad, or Apple Vision. In Mac Catalyst apps and App Clips, the calls do nothing.",
    .apple("StoreKit: SKAdNetwork"), reasons: ["platform-unsupported": "display the ad in an app for iPhone or iPad"])

  static let versionIsSupported = RuleTitle(
    "version-is-supported",
    "The system and the source app's SDK support the version. Both must be as new as the version. Version 1.0 needs the iOS "
      + "\(VersionEligibility.lastSDKOfVersion1.text) SDK or earlier, or iOS \(VersionEligibility.lastSystemOfVersion1) or "
      + "earlier. The rule is applied again when the advertised app is installed.", .releaseNotes,
    reasons: [
      "version-not-supported": "update the device, build the source app with a later SDK, or sign the ad for another version",
      "system-too-old": "update the device to iOS \(AdAttributionKitAd.firstSystem.text)",
    ])

  static let adNetworkIsDeclared = RuleTitle(
    "ad-network-is-declared",
    "The source app's Info.plist lists the ad network. SKAdNetwork reads SKAdNetworkItems, and AdAttributionKit "
      + "AdNetworkIdentifiers.", .apple("SKAdNetworkItems, AdNetworkIdentifiers"),
    reasons: [
      "ad-network-not-declared":
        "add the ad network to SKAdNetworkItems or AdNetworkIdentifiers of the source app, and register the app again"
    ])

  static let adNetworkIsRegistered = RuleTitle(
    "ad-network-is-registered",
    "The ad network is registered. Its key verifies the ad, and its URL receives the postbacks.", .registration,
    reasons: ["ad-network-not-registered": "register the ad network with its public key and its postback URL"])

  static let advertisedAppIsValid = RuleTitle(
    "advertised-app-is-valid", "The advertised app has an identifier of the App Store. The identifier is positive.",
    .signingStoreKitAds,
    reasons: ["advertised-app-invalid": "sign and pass the identifier of the advertised app in the App Store"])

  static let sourceAppDisplaysTheAd = RuleTitle(
    "source-app-displays-the-ad",
    "The ad is signed for the app that displays it. An app that is signed for development has the identifier 0. In developer "
      + "mode, every app may use 0.", .signingStoreKitAds,
    reasons: [
      "source-app-invalid": "sign and pass the identifier of the source app, or 0 for an app that is signed for development",
      "source-app-mismatch": "sign the ad for the app that displays it",
    ])

  static let viewIsLongEnough = RuleTitle(
    "view-is-long-enough",
    "The ad was displayed long enough: two seconds, and for SKAdNetwork before iOS \(ViewTime.firstSystemWithTwoSeconds.text) three. "
      + "For SKAdNetwork, minimumViewTime can replace the time.",
    .apple("AdAttributionKit: Presenting ads in your app; StoreKit: SKAdNetwork.endImpression(_:completionHandler:)"),
    reasons: ["view-too-short": "display the ad longer"])

  static let appIsSignedByAStore = RuleTitle(
    "app-is-signed-by-a-store",
    "The installed app is signed by a store. In developer mode, ads for tests count for an app that is signed for development, "
      + "too.", .releaseNotes,
    reasons: [
      "app-not-from-store": "install an app that is signed by a store, or switch on developer mode and use 0 as the source app"
    ])

  static let appHasNoCooldown = RuleTitle(
    "app-has-no-cooldown",
    "No cooldown of the app is running. AttributionCooldown excludes new AdAttributionKit conversions for up to "
      + "\(AppAdAttribution.Cooldowns.hours.upperBound) hours.", .attributionRules,
    reasons: ["cooldown": "wait until the cooldown ends, or shorten AttributionCooldown"])
}
