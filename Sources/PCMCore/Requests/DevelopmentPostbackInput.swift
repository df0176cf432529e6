extension OperationCatalog {
  static let developmentPostbacks: [any OperationInput.Type] = [
    DevelopmentPostbackInput.self, SendDevelopmentPostbacksInput.self, ClearDevelopmentPostbacksInput.self,
  ]
}

/// The body of `POST …/development-postbacks`.
package struct DevelopmentPostbackInput: OperationInput {
  package var bundleIdentifier = ""
  package var url: String?
  package var conversionType: String?
  package var interactionType: InteractionType?
  package var sourceIdentifier: Int64 = 1_234
  package var publisherItemIdentifier: Int64 = 0
  package var marketplace: String?
  package var country: String?
  package var didWin = true
  package var sequenceIndex: Int64 = 0
  package var fineValue: Int64?
  package var coarseValue: String?
  package var crowdTiers = CrowdTiers()
  package var secondCrowdTiers: CrowdTiers?
  package var thirdCrowdTiers: CrowdTiers?
  package var windows: Int64?
  package var conversionTag: String?
  package var send = SendTime.now

  /// When the postbacks are sent.
  package enum SendTime: String, Hashable, Sendable, CaseIterable {
    case now
    /// After each window, or the call with which the app locks it.
    case later
  }

  package static let name = "development-postback"
  package static let path = "/v1/devices/:device/development-postbacks"
  package static let summary = "Creates postbacks in the settings"

  package static let form: OperationForm? = OperationForm(
    "try-development", "Development postbacks",
    "A developer creates postbacks in the settings, without an ad. Those that wait for a value are sent after their windows.",
    button: "Create the postbacks",
    ["bundleIdentifier": "com.example.game", "url": "", "fineValue": "42", "windows": "1", "conversionTag": ""])

  package static let conversionTypes = ["download", "redownload", "re-engagement"]

  package static let definition = BodyDefinition<Self>(
    "Postbacks that a developer creates in the settings, Development Postbacks, without an ad. One is sent at once when "
      + "`windows` and `send` are absent.",
    [
      .required(
        "bundleIdentifier", \.bundleIdentifier, .string(keywords: [.init("format", "bundle-identifier")]),
        "The bundle identifier of the advertised app, which is installed"),
      .optional(
        "url", \.url, .url, "Where the postback is sent, an https URL; the copy URL of the app's Info.plist when absent"),
      .optional("conversionType", \.conversionType, .word(conversionTypes), "`download` when absent"),
      .optional("interactionType", \.interactionType, .choice(InteractionType.self), "`click` when absent"),
      .defaulted(
        "sourceIdentifier", \.sourceIdentifier,
        .integer(
          "an integer from 10 to 9999", in: 10...9_999, keywords: [.init("minimum", 10), .init("maximum", 9_999)]),
        "The source identifier; the tier shows two to four of its digits. 1234 when absent"),
      .defaulted(
        "publisherItemIdentifier", \.publisherItemIdentifier,
        .integer(
          "an integer from 0 on", in: 0...9_007_199_254_740_991,
          keywords: [.init("minimum", 0), .init("maximum", 9_007_199_254_740_991)]),
        "The app that displayed the ad; 0 when absent"),
      .optional(
        "marketplace", \.marketplace, .bundleIdentifier,
        "The bundle identifier of the marketplace; `com.apple.AppStore` when absent"),
      .optional("country", \.country, .country, "The country of the install; when absent, the country of the app's install"),
      .defaulted("didWin", \.didWin, .flag, "Whether the ad won; true when absent"),
      .defaulted(
        "sequenceIndex", \.sequenceIndex,
        .integer("an integer from 0 to 2", in: 0...2, keywords: [.init("minimum", 0), .init("maximum", 2)]),
        "The number of the conversion window; 0 when absent"),
      .optional(
        "fineValue", \.fineValue,
        .integer("an integer from 0 to 63", in: 0...63, keywords: [.init("minimum", 0), .init("maximum", 63)]),
        "The fine value, for the first window in tiers 2 and 3"),
      .optional(
        "coarseValue", \.coarseValue, .word(ConversionValueInput.coarseValues),
        "The coarse value, for tier 1 and for later windows"),
      .defaulted(
        "crowdTiers", \.crowdTiers, .object("an object with tiers", component: "CrowdTiers"),
        "The crowd of the postback; the highest tiers when absent"),
      .optional(
        "secondCrowdTiers", \.secondCrowdTiers, .object("an object with tiers", component: "CrowdTiers"),
        "The crowd of the second of three postbacks; `crowdTiers` when absent"),
      .optional(
        "thirdCrowdTiers", \.thirdCrowdTiers, .object("an object with tiers", component: "CrowdTiers"),
        "The crowd of the third of three postbacks; the crowd of the second one when absent"),
      .optional(
        "windows", \.windows, .integer("1 or 3", in: 1...3, keywords: [.init("enum", [1, 3])]),
        "The number of conversion windows, each with a postback from `sequenceIndex` 0 on; 1 when absent"),
      .optional(
        "conversionTag", \.conversionTag, .string(upTo: 255),
        "The tag with which the app updates the conversion while it waits"),
      .defaulted(
        "send", \.send, .choice(SendTime.self),
        "`later`: each postback waits for the end of its window, or until the app locks it; `now` when absent"),
    ])

  package init() {}
}

/// The body of `POST …/development-postbacks/send`.
package struct SendDevelopmentPostbacksInput: OperationInput {
  package static let name = "send-development-postbacks"
  package static let path = "/v1/devices/:device/development-postbacks/send"
  package static let summary = "Sends the postbacks of the settings whose windows ended or that the app locked"

  package static let definition = BodyDefinition<Self>("No members.", [])

  package init() {}
}

/// The body of `POST …/development-postbacks/clear`.
package struct ClearDevelopmentPostbacksInput: OperationInput {
  package static let name = "clear-development-postbacks"
  package static let path = "/v1/devices/:device/development-postbacks/clear"
  package static let summary = "Clears the postbacks of the settings"

  package static let definition = BodyDefinition<Self>("No members.", [])

  package init() {}
}
