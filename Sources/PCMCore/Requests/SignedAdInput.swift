/// The body of `POST …/signed-ads`: the values of an ad that the service signs with the published test key.
package struct SignedAdInput: JSONBody {
  package var bundleIdentifier = ""
  package var framework: AdFramework?
  package var presentation: String?
  package var handlesView: Bool?
  package var eligibleForReengagement: Bool?
  package var version: String?
  package var adNetworkIdentifier: String?
  package var adCampaignIdentifier: Int64?
  package var sourceIdentifier: Int64?
  package var advertisedAppStoreItemIdentifier: Int64?
  package var adImpressionIdentifier: String?
  package var sourceAppStoreItemIdentifier: Int64?
  package var timestamp: Int64?

  private static let adText = BodyValue<String>.string(upTo: ImpressionInput.maximumTextSize)

  package static let definition = BodyDefinition<Self>(
    "The values of an ad that the service signs. Absent ones are filled in.",
    [
      .required(
        "bundleIdentifier", \.bundleIdentifier, .string(keywords: [.init("format", "bundle-identifier")]),
        "The bundle identifier of the registered app that will display the ad"),
      .optional(
        "framework", \.framework, .choice(AdFramework.self), "`skadnetwork` when absent; `adattributionkit` returns `jws`"),
      .optional("presentation", \.presentation, .word(ImpressionInput.presentations), "How the app will display the ad"),
      .optional("handleView", \.handlesView, .flag, "Whether the app will call `handleView()`"),
      .optional(
        "eligibleForReengagement", \.eligibleForReengagement, .flag,
        "The `eligible-for-re-engagement` of an ad of AdAttributionKit"),
      .optional("version", \.version, adText, "The version of SKAdNetwork; `4.0` when absent"),
      .optional("adNetworkIdentifier", \.adNetworkIdentifier, adText, "`example123.skadnetwork` when absent"),
      .optional(
        "adCampaignIdentifier", \.adCampaignIdentifier, .anyInteger(), "The campaign, up to version 3.0; 42 when absent"),
      .optional("sourceIdentifier", \.sourceIdentifier, .anyInteger(), "The source identifier; 5239 when absent"),
      .optional(
        "advertisedAppStoreItemIdentifier", \.advertisedAppStoreItemIdentifier, .anyInteger(),
        "The identifier of the advertised app in the App Store; 525463029 when absent"),
      .optional(
        "adImpressionIdentifier", \.adImpressionIdentifier, adText,
        "The UUID of the impression; when absent, one that depends on the seed and the number of the next event"),
      .optional(
        "sourceAppStoreItemIdentifier", \.sourceAppStoreItemIdentifier, .anyInteger(),
        "When absent, the identifier of the app in the App Store, or 0 for an app that is signed for development"),
      .optional(
        "timestamp", \.timestamp, .anyInteger(), "Milliseconds since 1970; the browser's time when absent"),
    ],
    rules: [
      .check { body in
        guard let presentation = body.presentation, !ImpressionInput.presentations.contains(presentation) else { return nil }
        let known = ImpressionInput.presentations.map { "\"\($0)\"" }.joined(separator: ", ")
        return InputError(["presentation"], "an ad is displayed as \(known)")
      }
    ])

  package init() {}
}
