/// The member `device` of a device in the API, as a change. A nil property stays as it is.
package struct DeviceChange: JSONBody {
  package var systemVersion: String?
  package var country: String?
  package var developerMode: Bool?
  package var testingProfile: Bool?
  package var minimumViewTime: Interval?
  package var conversionWindowStart: ConversionWindowStart?
  package var sourceDomain: SourceDomainChoice?
  package var postbackKeys: PostbackKeyChoice?
  package var escapedSlashes: Bool?

  package static let definition = BodyDefinition<Self>(
    "The properties of the device to change.",
    [
      .optional(
        "systemVersion", \.systemVersion,
        .string(
          "a version of iOS such as \"18.6\"", keywords: [.init("pattern", #"^[0-9]{1,4}(\.[0-9]{1,4}){0,2}$"#)]),
        "The version of iOS; `18.6` in a new device"),
      .optional(
        "country", \.country, .country,
        "The country of the App Store account, two letters; `US` in a new device"),
      .optional(
        "developerMode", \.developerMode, .flag,
        "On: ads whose source app is 0 count, with windows of three minutes. From iOS 18 on; it ends after two weeks"),
      .optional(
        "testingProfile", \.testingProfile, .flag,
        "On: the timer takes five minutes instead of 24 hours. Before iOS 18; it ends after two weeks"),
      .optional(
        "minimumViewTime", \.minimumViewTime, .duration(in: .seconds(0)...(.hours(1))),
        "How long a view-through ad of SKAdNetwork must be displayed, up to PT1H; in a new device the time of the system: PT2S, and "
          + "PT3S before iOS 15.4"),
      .optional(
        "conversionWindowStart", \.conversionWindowStart, .choice(ConversionWindowStart.self),
        "When the conversion windows begin, for later conversions; `launch` in a new device. Apple's pages disagree: the first "
          + "launch, or the first update, which counts for 60 days after an install"),
      .optional(
        "sourceDomain", \.sourceDomain, .choice(SourceDomainChoice.self),
        "The site that `source_domain` of a web ad names; `displaying-site` in a new device"),
      .optional(
        "postbackKeys", \.postbackKeys, .choice(PostbackKeyChoice.self),
        "The keys that sign postbacks of AdAttributionKit; `test` in a new device. `test-second-development` signs development "
          + "postbacks with the second test key. `apple-identifiers` is a fault: the test keys under Apple's key identifiers"),
      .optional(
        "escapedSlashes", \.escapedSlashes, .flag,
        "Whether postbacks have `\\/` for a slash, as by Apple's serializer; true in a new device"),
    ])

  package init() {}

  package var isEmpty: Bool { self == DeviceChange() }
}

/// The body of `PUT …/ad-networks/{id}`.
package struct AdNetworkInput: JSONBody {
  package var publicKey = ""
  package var postbackURL = ""

  package static let definition = BodyDefinition<Self>(
    "An ad network as it is registered with Apple.",
    [
      .required(
        "publicKey", \.publicKey, .string("a string with a public key", keywords: [.init("format", "p256-public-key")]),
        "The key that verifies the network's ads: a SubjectPublicKeyInfo on P-256, as PEM or as Base64 of DER"),
      .required("postbackURL", \.postbackURL, .url, "Where the network receives postbacks: an https URL"),
    ])

  package init() {}
}

extension OperationCatalog {
  static let appAds: [any OperationInput.Type] = [
    ImpressionInput.self, ImpressionEndInput.self, ImpressionTapInput.self, InstallInput.self, LaunchInput.self,
    ConversionValueInput.self,
  ]
}

/// The body of `POST …/impressions`.
package struct ImpressionInput: OperationInput {
  package var bundleIdentifier = ""
  package var presentation: String?
  package var jws: String?
  package var handlesView = false
  package var version: String?
  package var adNetworkIdentifier: String?
  package var adCampaignIdentifier: Int64?
  package var sourceIdentifier: Int64?
  package var advertisedAppStoreItemIdentifier: Int64?
  package var adImpressionIdentifier: String?
  package var sourceAppStoreItemIdentifier: Int64?
  package var timestamp: Int64?
  package var signature: String?

  package static let presentations = ["storekit-rendered", "view-through", "custom-rendered"]

  /// The maximum size of `jws` in bytes. An ad of AdAttributionKit has about 600.
  package static let maximumJWSSize = 4_096
  /// The maximum size of each other text in bytes. The longest, a signature, has 96.
  package static let maximumTextSize = 1_024

  private static let adText = BodyValue<String>.string(upTo: maximumTextSize)

  package static let name = "impression"
  package static let path = "/v1/devices/:device/impressions"
  package static let summary = "Displays an ad in an app"

  package static let definition = BodyDefinition<Self>(
    "An app displays an ad. An ad of AdAttributionKit has `jws`; an ad of SKAdNetwork has the other values, each as passed to "
      + "StoreKit.",
    [
      .required(
        "bundleIdentifier", \.bundleIdentifier, .string(keywords: [.init("format", "bundle-identifier")]),
        "The bundle identifier of the registered app that displays the ad"),
      .optional(
        "presentation", \.presentation, .word(presentations),
        "`storekit-rendered` when absent for SKAdNetwork, which also has `view-through`; `custom-rendered` when absent for "
          + "AdAttributionKit, which also has `storekit-rendered`"),
      .optional(
        "jws", \.jws, .string("a string, a compact JSON Web Signature", upTo: maximumJWSSize),
        "The compact JSON Web Signature of AdAttributionKit"),
      .defaulted(
        "handleView", \.handlesView, .flag,
        "Whether the app calls `handleView()`, from iOS 26.2 on, in place of `beginView()` and `endView()`: the view is recorded "
          + "at once. Only for an ad of AdAttributionKit that the app renders; false when absent"),
      .optional("version", \.version, adText, "The version of SKAdNetwork, such as `4.0`; absent for 1.0"),
      .optional("adNetworkIdentifier", \.adNetworkIdentifier, adText, "The identifier of the ad network, in lower case"),
      .optional("adCampaignIdentifier", \.adCampaignIdentifier, .anyInteger(), "The campaign, 1 to 100, up to version 3.0"),
      .optional("sourceIdentifier", \.sourceIdentifier, .anyInteger(), "The source identifier, 0 to 9999, in version 4.0"),
      .optional(
        "advertisedAppStoreItemIdentifier", \.advertisedAppStoreItemIdentifier, .anyInteger(),
        "The identifier of the advertised app in the App Store"),
      .optional("adImpressionIdentifier", \.adImpressionIdentifier, adText, "The UUID of the impression"),
      .optional(
        "sourceAppStoreItemIdentifier", \.sourceAppStoreItemIdentifier, .anyInteger(),
        "The identifier of the displaying app in the App Store, or 0 for a test, from version 2.0 on"),
      .optional("timestamp", \.timestamp, .anyInteger(), "When the ad was signed, in milliseconds since 1970"),
      .optional("signature", \.signature, adText, "The signature of the ad network, Base64 of DER"),
    ])

  package init() {}
}

/// The body of `POST …/impressions/{impression}/end`.
package struct ImpressionEndInput: OperationInput {
  package static let name = "impression-end"
  package static let path = "/v1/devices/:device/impressions/:impression/end"
  package static let summary = "Ends the view of an ad"

  package static let definition = BodyDefinition<Self>("No members.", [])

  package init() {}
}

/// The body of `POST …/impressions/{impression}/tap`.
package struct ImpressionTapInput: OperationInput {
  package var tapVerified = true
  package var reengagementURL: String?
  /// Nil: true for every http or https URL.
  package var isUniversalLink: Bool?
  package var crowdTiers = CrowdTiers()

  package static let name = "impression-tap"
  package static let path = "/v1/devices/:device/impressions/:impression/tap"
  package static let summary = "Taps an ad of AdAttributionKit"

  package static let definition = BodyDefinition<Self>(
    "A user taps an ad of AdAttributionKit.",
    [
      .defaulted(
        "tapVerified", \.tapVerified, .flag,
        "Whether a `UIEventAttributionView` covered the ad. Only for an ad that the app renders; true when absent"),
      .optional(
        "reengagementURL", \.reengagementURL, .url,
        "The argument of `handleTap(reengagementURL:)`, for an app that is installed"),
      .optional(
        "universalLink", \.isUniversalLink, .flag,
        "Whether `reengagementURL` is a universal link of the advertised app; when absent, whether it is an http or https URL"),
      .defaulted(
        "crowdTiers", \.crowdTiers, .object("an object with tiers", component: "CrowdTiers"),
        "The crowd of a re-engagement; the highest tiers when absent"),
    ])

  package init() {}
}

/// The crowd of a conversion, as Apple would determine it: an input, because a test has no crowd (SKAdNetwork reference,
/// section 6).
package struct CrowdTiers: JSONBody, Codable {
  /// The tiers, 0 to 3, of the source identifier's last two, three, and four digits.
  package var twoDigits: Int64 = 3
  package var threeDigits: Int64 = 3
  package var fourDigits: Int64 = 3
  /// The tier of the country.
  package var country: Int64 = 3
  /// Whether the crowd meets the privacy threshold of SKAdNetwork 2.0 to 3.0, which have no tiers.
  package var meetsThreshold = true

  private static let tier = BodyValue<Int64>.integer(
    "an integer from 0 to 3", in: 0...3, keywords: [.init("minimum", 0), .init("maximum", 3)])

  package static let definition = BodyDefinition<Self>(
    "The postback data tiers of a conversion, which Apple determines from the crowd of similar conversions. 3 when absent.",
    [
      .defaulted("twoDigits", \.twoDigits, tier, "The tier of the last two digits of the source identifier"),
      .defaulted("threeDigits", \.threeDigits, tier, "The tier of the last three digits"),
      .defaulted("fourDigits", \.fourDigits, tier, "The tier of all four digits"),
      .defaulted("country", \.country, tier, "The tier of the country"),
      .defaulted(
        "meetsThreshold", \.meetsThreshold, .flag,
        "Whether the crowd meets the privacy threshold of SKAdNetwork 2.0 to 3.0; true when absent"),
    ])

  package init() {}
}

/// The body of `POST …/installs`.
package struct InstallInput: OperationInput {
  package var bundleIdentifier = ""
  package var redownload: Bool?
  package var marketplace: String?
  package var country: String?
  package var crowdTiers = CrowdTiers()

  package static let name = "install"
  package static let path = "/v1/devices/:device/installs"
  package static let summary = "Installs an app"

  package static let form: OperationForm? = OperationForm(
    "try-install", "Install", "A user installs the advertised app. The device compares the ads, and one wins.",
    button: "Install the app", ["bundleIdentifier": "com.example.game", "country": ""])

  package static let definition = BodyDefinition<Self>(
    "A user installs an app.",
    [
      .required(
        "bundleIdentifier", \.bundleIdentifier, .string(keywords: [.init("format", "bundle-identifier")]),
        "The bundle identifier of the registered app"),
      .optional(
        "redownload", \.redownload, .flag,
        "Whether the account had the app before; when absent, whether it was installed on this device before"),
      .optional(
        "marketplace", \.marketplace, .bundleIdentifier,
        "The bundle identifier of the marketplace; `com.apple.AppStore` when absent"),
      .optional(
        "country", \.country, .country,
        "The country of the install; the device's country when absent"),
      .defaulted(
        "crowdTiers", \.crowdTiers, .object("an object with tiers", component: "CrowdTiers"),
        "The crowd of the install; the highest tiers when absent"),
    ])

  package init() {}
}

/// The body of `POST …/launches`.
package struct LaunchInput: OperationInput {
  package var bundleIdentifier = ""

  package static let name = "launch"
  package static let path = "/v1/devices/:device/launches"
  package static let summary = "Opens an installed app"

  package static let form: OperationForm? = OperationForm(
    "try-launch", "Launch", "A user opens the app. The first launch starts the conversion windows.", button: "Open the app",
    ["bundleIdentifier": "com.example.game"])

  package static let definition = BodyDefinition<Self>(
    "A user opens an app that is installed.",
    [
      .required(
        "bundleIdentifier", \.bundleIdentifier, .string(keywords: [.init("format", "bundle-identifier")]),
        "The bundle identifier of the app")
    ])

  package init() {}
}

/// The body of `POST …/conversion-values`.
package struct ConversionValueInput: OperationInput {
  package var bundleIdentifier = ""
  package var framework = AdFramework.skadnetwork
  package var fineValue: Int64?
  package var coarseValue: String?
  package var lockWindow = false
  package var conversionTypes: [String]?
  package var conversionTag: String?

  package static let coarseValues = ["low", "medium", "high"]
  package static let types = ["install", "reengagement"]

  package static let name = "conversion-value"
  package static let path = "/v1/devices/:device/conversion-values"
  package static let summary = "Reports a conversion value from an app"

  package static let form: OperationForm? = OperationForm(
    "try-value", "Conversion value", "The app reports a value for the current window.", button: "Report the value",
    ["bundleIdentifier": "com.example.game", "fineValue": "42", "coarseValue": ""])

  package static let definition = BodyDefinition<Self>(
    "An app reports a conversion value. Without a value, it only registers its install.",
    [
      .required(
        "bundleIdentifier", \.bundleIdentifier, .string(keywords: [.init("format", "bundle-identifier")]),
        "The bundle identifier of the app"),
      .defaulted(
        "framework", \.framework, .choice(AdFramework.self),
        "The framework whose call the app makes. The calls of `skadnetwork` reach both; `skadnetwork` when absent"),
      .optional("fineValue", \.fineValue, .anyInteger("an integer from 0 to 63"), "The fine value, 0 to 63"),
      .optional("coarseValue", \.coarseValue, .word(coarseValues), "The coarse value"),
      .defaulted("lockWindow", \.lockWindow, .flag, "Whether the call ends the current window; false when absent"),
      .optional(
        "conversionTypes", \.conversionTypes,
        .list(
          of: .word(types), "an array of \"install\" and \"reengagement\"",
          keywords: [
            .init("items", ["type": "string", "enum": .array(types.map { .string($0) })]), .init("minItems", 1),
          ]),
        "The types of conversions to update, with AdAttributionKit; all when absent"),
      .optional("conversionTag", \.conversionTag, .text, "The tag of the re-engagement to update, with AdAttributionKit"),
    ])

  package init() {}
}

extension BodyValue<String> {
  static let country = string(
    "a country code of two letters such as \"US\"", keywords: [.init("pattern", "^[A-Z]{2}$")])
}

extension BodyValue<Int64> {
  /// The integers that every JSON parser preserves.
  private static let exact: ClosedRange<Int64> = -9_007_199_254_740_991...9_007_199_254_740_991

  /// An integer that an app passes to a framework. The framework rejects the call if the value is invalid.
  static func anyInteger(_ expected: String = "an integer") -> BodyValue {
    integer(
      expected, in: exact,
      keywords: [.init("minimum", .number(exact.lowerBound)), .init("maximum", .number(exact.upperBound))])
  }
}
