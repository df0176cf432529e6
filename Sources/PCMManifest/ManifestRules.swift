package import PCMCore

/// The titles of the findings in a manifest, for the catalog of rules.
extension ManifestFinding {
  /// A title for each code, in the order of the codes.
  package static let titles: [RuleTitle] = endpoint(.report) + app + endpoint(.copy) + keys + adNetworks + configuration + notes

  private enum EndpointKey { case report, copy }

  /// The findings about a key with an endpoint. Both keys have the same.
  private static func endpoint(_ key: EndpointKey) -> [RuleTitle] {
    let isReport = key == .report
    let name = isReport ? "NSAdvertisingAttributionReportEndpoint" : "AttributionCopyEndpoint"
    let (prefix, messages) = isReport ? ("endpoint", "Reports") : ("copy-endpoint", "Copies of postbacks")
    let origin = isReport ? RuleOrigin.apple(name) : .apple("AdAttributionKit: Configuring an advertised app (\(name))")
    func title(_ code: String, _ text: String, _ origin: RuleOrigin, _ change: String) -> RuleTitle {
      RuleTitle(reason: "\(prefix)-\(code)", text, origin, change: change)
    }
    func ignored(_ code: String, _ part: String) -> RuleTitle {
      title(
        "\(code)-ignored", "\(name) has no \(part), which is ignored.", origin,
        "write the domain alone, as in https://example.com")
    }
    let scheme =
      isReport ? RuleOrigin.assumption("Apple documents an https URL (\(name)), and WebKit checks no scheme") : origin
    return [
      title("not-a-string", "\(name) is a string.", origin, "change the type of the value to a string"),
      title(
        "unresolved-build-setting", "\(name) is no build setting. Xcode replaces it in the built app.",
        .ours("the value is not known"), "pass the Info.plist of the built app"),
      title(
        "not-a-url", "\(name) is an absolute URL with a valid host.", origin, "write the domain, as in https://example.com"),
      title("not-https", "\(name) has the scheme https.", scheme, "write https:// before the domain"),
      title(
        "is-an-address", "\(name) has a domain and no IP address.", origin,
        "write a domain, and map it to the address with --connect-to for tests"),
      title(
        "without-registrable-domain", "\(name) has a registrable domain: a public suffix and one more label.", origin,
        "write the domain alone, as in https://example.com"),
      title(
        "padded", "\(name) has no space at an end.", .ours("some URL parsers do not ignore it"),
        "remove the space or line break"),
      title(
        "host-not-ascii", "\(name) has its host in ASCII.", .ours("parsers differ in the host that they read"),
        "write the host in the form that requests have (Punycode)"),
      title(
        "host-unclear", "\(name) has two slashes after the scheme, and no tab, line break, or backslash.",
        .ours("Foundation's URL finds no host in other forms, or another one"), "write the domain, as in https://example.com"),
      title(
        "subdomain-ignored", "\(name) has no subdomain. \(messages) go to the registrable domain.", origin,
        "write the domain alone, as in https://example.com"),
    ] + [("path", "path"), ("query", "query"), ("fragment", "fragment"), ("port", "port")].map { ignored($0.0, $0.1) }
      + [ignored("credentials", "user name and no password")]
  }

  private static let app = [
    RuleTitle(
      reason: "endpoint-missing",
      "The Info.plist has NSAdvertisingAttributionReportEndpoint. Without it, clicks are discarded.",
      .apple("NSAdvertisingAttributionReportEndpoint"), change: "add the key with the domain alone, as in https://example.com"),
    RuleTitle(
      reason: "endpoint-absent",
      "The Info.plist has no NSAdvertisingAttributionReportEndpoint, and the app takes no part in clicks.",
      .apple("NSAdvertisingAttributionReportEndpoint"), change: "add the key if the app should take part"),
    RuleTitle(
      reason: "endpoint-key-misspelled", "The key NSAdvertisingAttributionReportEndpoint is spelled so.",
      .apple("NSAdvertisingAttributionReportEndpoint"), change: "rename the key"),
    RuleTitle(
      reason: "mac-catalyst", "The app is for iPhone or iPad, and not for Mac Catalyst.", .apple("UIEventAttribution"),
      change: "pass the Info.plist of the iOS build"),
    RuleTitle(
      reason: "visionos", "The app is for visionOS. Clicks are accepted.",
      .assumption("Apple lists visionOS for UIEventAttribution; whether Safari measures the click is not established"),
      change: "test on iPhone or iPad"),
    RuleTitle(
      reason: "minimum-os-version-too-low", "MinimumOSVersion is 14.5 or later. Earlier systems do not measure clicks.",
      .apple("UIEventAttribution"), change: "require iOS 14.5, or expect fewer reports"),
    RuleTitle(
      reason: "bundle-identifier-invalid", "CFBundleIdentifier has letters, digits, hyphens, periods, and underscores.",
      .apple("CFBundleIdentifier"), change: "write the bundle identifier of the app"),
    RuleTitle(
      reason: "duplicate-keys", "The manifest has each key once. Parsers use one of several values.",
      .ours("parsers use one of the values without notice"), change: "keep the intended value"),
  ]

  private static let keys = [
    RuleTitle(
      reason: "reengagement-copies-without-endpoint",
      "An app that requests copies of postbacks about re-engagements has AttributionCopyEndpoint.",
      .apple("AdAttributionKit: Configuring an advertised app"), change: "add AttributionCopyEndpoint"),
    RuleTitle(
      reason: "key-misspelled", "The keys are spelled as Apple documents them.", .apple("Information Property List"),
      change: "rename the key"),
    RuleTitle(
      reason: "key-misplaced", "The keys are in the dictionaries that Apple documents.", .apple("Information Property List"),
      change: "move the key"),
    RuleTitle(
      reason: "wrong-type", "The values have the types that Apple documents. Others are ignored.",
      .apple("Information Property List"), change: "change the type of the value"),
    RuleTitle(
      reason: "unknown-member", "The dictionaries have the members that Apple documents. Others are ignored.",
      .apple("Information Property List"), change: "rename or remove the member"),
    RuleTitle(
      reason: "ad-attribution-kit-dictionary", "The manifest has no key AdAttributionKit, which Apple documents nowhere.",
      .apple("AdAttributionKit: Configuring an advertised app"), change: "write the URL as the value of AttributionCopyEndpoint"
    ),
  ]

  private static let adNetworks = [
    RuleTitle(
      reason: "ad-network-list-empty", "A list of ad networks has an identifier.", lists,
      change: "add the identifiers of the ad networks, or remove the key"),
    RuleTitle(
      reason: "ad-network-list-unusable", "A list of ad networks has an identifier that a device recognizes.", lists,
      change: "correct the entries"),
    RuleTitle(
      reason: "too-many-ad-networks", "A list has at most \(AdNetworkReview.countLimit) ad networks. Others are not read.",
      .ours("every input has a limit"), change: "remove the others"),
    RuleTitle(
      reason: "ad-network-identifier-missing", "Each item of SKAdNetworkItems has SKAdNetworkIdentifier.",
      .apple("SKAdNetworkItems"), change: "add the key, or remove the item"),
    RuleTitle(
      reason: "ad-network-identifier-invalid",
      "An ad network identifier has letters, digits, hyphens, periods, and underscores, and no space at an end.", registration,
      change: "copy the identifier from the ad network's documentation"),
    RuleTitle(
      reason: "ad-network-identifier-not-lowercase", "An ad network identifier is in lower case.", .apple("SKAdNetworkItems"),
      change: "write the identifier in lower case"),
    RuleTitle(
      reason: "ad-network-identifier-without-suffix",
      "An ad network identifier ends in \(AdNetworkIdentifier.suffixes.joined(separator: " or ")).", registration,
      change: "copy the identifier from the ad network's documentation"),
    RuleTitle(
      reason: "duplicate-ad-networks", "A list has each ad network once.", .ours("a duplicate has no effect"),
      change: "remove the duplicate"),
  ]

  private static let lists = RuleOrigin.apple("SKAdNetworkItems, AdNetworkIdentifiers")
  private static let registration = RuleOrigin.apple("StoreKit: Registering an ad network")
  private static let rules = RuleOrigin.apple("AdAttributionKit: Configuring attribution rules for your app")

  private static let configuration = [
    RuleTitle(
      reason: "attribution-window-out-of-range", "A window has 1 to 30 days after a click, or 1 to 7 days after a view.", rules,
      change: "write a number in the range"),
    RuleTitle(
      reason: "interaction-type-unknown", "ignoreInteractionType is view or click.", rules, change: "write view or click"),
    RuleTitle(
      reason: "interaction-type-under-global", "ignoreInteractionType is under the identifier of an ad network.", rules,
      change: "move it to the identifiers of ad networks"),
    RuleTitle(reason: "cooldown-out-of-range", "A cooldown has 0 to 720 hours.", rules, change: "write a number in the range"),
    RuleTitle(
      reason: "cooldown-spelled-twice", "The cooldown after a re-engagement has one key, re-engagement-cooldown-hours.", rules,
      change: "remove the other key"),
    RuleTitle(
      reason: "cooldown-spelling-uncertain",
      "The cooldown after a re-engagement has the key re-engagement-cooldown-hours. A slide of WWDC25 spells it otherwise.",
      rules,
      change: "rename the key to re-engagement-cooldown-hours"),
  ]

  private static let notes = [
    RuleTitle(
      reason: "skadnetwork-items", "SKAdNetworkItems serves installs of apps. It has no effect on clicks.",
      .apple("SKAdNetworkItems"), change: "nothing"),
    RuleTitle(
      reason: "ad-attribution-kit-keys", "The keys configure AdAttributionKit. They have no effect on clicks.",
      .apple("AdAttributionKit"), change: "nothing"),
    RuleTitle(
      reason: "tracking-usage-empty", "NSUserTrackingUsageDescription has a text.", .apple("NSUserTrackingUsageDescription"),
      change: "write a sentence about the purpose"),
    RuleTitle(
      reason: "config-plugins", "The Info.plist is the file of the built app, which config plugins have changed.",
      .ours("plugins are programs, and only their lists of ad networks and texts are read"),
      change: "pass the output of npx expo config --type introspect --json"),
  ]
}
