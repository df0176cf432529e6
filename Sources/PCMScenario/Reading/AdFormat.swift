import PCMCore

/// The format of the device's part in a scenario: its ad networks, ads, and apps.
package enum AdFormat {
  /// The registration of an ad network.
  package static let adNetwork: Shape = .object(
    ObjectShape("An ad network, as it is registered with Apple.", network))

  static let namedAdNetwork: Shape = .object(
    ObjectShape(
      "An ad network, as it is registered with Apple.",
      [.optional("adNetworkIdentifier", .text, "The identifier; `example123.skadnetwork` when absent")] + network))

  private static let network: [ObjectShape.Member] = [
    .optional("publicKey", .nullable(.text), "The key that verifies the network's ads; the published test key when absent"),
    .optional(
      "postbackURL", .nullable(.text),
      "Where the network receives postbacks; `https://example123.example/postbacks` for `example123.skadnetwork` when absent"),
  ]

  static let app: Shape = .object(ObjectShape("An app with the values of its manifest.", appMembers))

  static let registration: Shape = .oneOf([
    .object(
      ObjectShape(
        "An app with the file of its manifest.",
        [.required("manifest", .text, "The path of an Info.plist, relative to the scenario's folder"), name])),
    .object(
      ObjectShape("An app with the text of its manifest.", [.required("plist", .text, "An XML property list"), name])),
    namedApp,
  ])

  /// An app with the values of its manifest.
  package static let namedApp: Shape = .object(
    ObjectShape(
      "An app with the values of its manifest.",
      [
        .required("bundleIdentifier", .text, "Its `CFBundleIdentifier`")
      ] + appMembers))

  /// The bundle identifier of an app with the file of its manifest.
  package static let name = ObjectShape.Member.optional(
    "bundleIdentifier", .text, "Its `CFBundleIdentifier`, if the manifest lacks it or has a build setting in its place")

  /// The members of an app except its bundle identifier.
  private static let appMembers: [ObjectShape.Member] =
    [
      .optional("reportEndpoint", .nullable(.text), "The URL of its reports; when absent, the manifest has no such key"),
      .optional(
        "adNetworks", .list(.text, 0...1_000),
        "The ad networks that its Info.plist lists, for SKAdNetwork and AdAttributionKit"),
      .optional("infoPlist", .any, "Further keys of its Info.plist, an object"),
    ] + build

  /// The values of an app that its manifest does not contain.
  package static let build: [ObjectShape.Member] = [
    .optional("itemIdentifier", .nullable(.integer), "Its identifier in the App Store"),
    .optional("sdkVersion", .nullable(.text), "The version of the iOS SDK with which it was built, a string"),
    .optional("signing", .nullable(.text), "`store` or `development`; `store` when absent"),
    .optional(
      "platform", .nullable(.text), "`ios`, `mac-catalyst`, `app-clip`, or `visionos`; as its Info.plist says when absent"),
  ]

  static let impression: Shape = .object(
    ObjectShape(
      "An app displays an ad. With `signedBy`, the scenario signs the values, and absent ones are filled in.",
      members(of: .body(ImpressionInput.self)) + signing))

  /// The ad of a content card. The app of the card displays it.
  static let adOfCard: Shape = .object(
    ObjectShape(
      "The ad of a card.",
      members(of: .body(ImpressionInput.self)).filter { $0.name != "bundleIdentifier" } + signing + [
        .optional("bundleIdentifier", .text, "The bundle identifier of the card's app")
      ]))

  private static let signing: [ObjectShape.Member] = [
    .optional("signedBy", .choice(["test"]), "Signs the ad with the published test key"),
    .optional(
      "framework", .choice(AdFramework.allCases.map(\.rawValue)),
      "The framework of a signed ad: `skadnetwork` when absent; `adattributionkit` creates `jws`"),
    .optional(
      "eligibleForReengagement", .flag, "The `eligible-for-re-engagement` of a signed ad of AdAttributionKit"),
    .optional("signedAs", changes, "The values that are signed instead of the ad's values"),
  ]

  private static let changes: Shape = .object(
    ObjectShape(
      "Values that an ad network signs instead of the ad's values, and its faults.",
      appValues + faults + [
        .optional("keyIdentifier", .text, "The `kid` in the header of a JSON Web Signature"),
        .optional("payload", .any, "Members of the payload of a JSON Web Signature, as they are written; null removes one"),
      ]))

  private static let commonValues: [ObjectShape.Member] = [
    .optional("adNetworkIdentifier", .text, "The identifier of the ad network"),
    .optional("sourceIdentifier", .integer, "The source identifier"),
    .optional("advertisedAppStoreItemIdentifier", .integer, "The identifier of the advertised app"),
    .optional("adImpressionIdentifier", .text, "The UUID of the impression"),
    .optional("timestamp", .integer, "When the ad was signed, in milliseconds since 1970"),
  ]

  private static let appValues: [ObjectShape.Member] =
    commonValues + [
      .optional("version", .text, "The version of SKAdNetwork"),
      .optional("adCampaignIdentifier", .integer, "The campaign"),
      .optional("sourceAppStoreItemIdentifier", .integer, "The identifier of the displaying app"),
    ]

  private static let webAdValues: [ObjectShape.Member] =
    commonValues + [.optional("sourceDomain", .text, "The source domain")]

  private static let faults: [ObjectShape.Member] = [
    .optional("fidelityType", .integer, "The fidelity type: 1 for ads that StoreKit renders, 0 for view-through ads"),
    .optional("separator", .text, "The separator instead of U+2063"),
    .optional("key", .choice(["other"]), "Signs with a key that is not the network's"),
    .optional("forged", .yes, "One bit of the signature is flipped"),
  ]

  static let webAd: Shape = .named("webAd", .object(ObjectShape("The values of a web ad.", webAdValues)))

  static let webAdChanges: Shape = .named(
    "webAdChanges",
    .object(
      ObjectShape(
        "Values that an ad network signs instead of the web ad's values, and its faults.", webAdValues + faults)))

  /// The members with which a step refers to an ad displayed by an earlier step.
  static let displayedAd: [ObjectShape.Member] = [
    .optional("step", .text, "The name of the step that displayed the ad; the latest step that did so when absent"),
    .optional("impressionId", .text, "The ad's ID in the API, as in the history of a browser"),
  ]

  static let impressionEnd: Shape = .object(
    ObjectShape("The ad whose view ends.", displayedAd, rules: [.atMostOne(displayedAd.map(\.name))]))

  static let impressionTap: Shape = .object(
    ObjectShape(
      "The ad, and how the user taps it.", displayedAd + members(of: .body(ImpressionTapInput.self)),
      rules: [.atMostOne(displayedAd.map(\.name))]))

  private static func members(of shape: Shape) -> [ObjectShape.Member] {
    guard case .object(let object) = shape else { return [] }
    return object.members
  }
}
