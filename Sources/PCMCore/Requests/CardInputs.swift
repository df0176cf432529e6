extension OperationCatalog {
  static let cards: [any OperationInput.Type] = [
    CardFeedInput.self, CardImpressionInput.self, CardClickInput.self, CardDismissalInput.self,
  ]
}

/// How an app compares the class of a card with the names that it knows (content cards reference, section B2).
package enum CardLanguage: String, Hashable, Sendable, CaseIterable {
  /// In lower case.
  case swift
  /// As it is.
  case objectiveC = "objective-c"
}

/// The body of `PUT …/apps/{bundleIdentifier}/cards`.
package struct CardFeedInput: OperationInput {
  /// The cards as they are written: objects.
  package var cards: [JSON] = []
  package var classKey = CardFeedInput.standardClassKey
  package var classTypes: [String]?
  package var language = CardLanguage.swift

  /// The key of the guide.
  package static let standardClassKey = "class_type"
  /// The class of an ad.
  package static let adClass = "pcm_ad"
  /// The classes of the guide, and the class of an ad.
  package static let standardClassTypes = [
    "coupon_code", "home_tile", "message_full_page", "message_webview", "ad_banner", adClass,
  ]
  /// The members of a card that are times.
  package static let timeNames = ["created", "createdAt", "ca", "expiresAt", "expiredAt", "expire_at", "ea"]
  /// The maximum number of objects and arrays within each other in a card: a journal has more around it.
  package static let maximumDepth = 16

  package static let name = "cards"
  package static let method = "PUT"
  package static let path = "/v1/devices/:device/apps/:bundleIdentifier/cards"
  package static let bodyLimit = 1_048_576
  package static let summary = "Replaces the content cards of an app"

  package static let form: OperationForm? = OperationForm(
    "try-cards", "Content cards", "The app receives a feed of cards. The first one is an ad.", button: "Replace the cards",
    [
      "bundleIdentifier": "com.example.news",
      "cards": """
      [
        {
          "idString": "stand", "created": 1795168800, "dismissible": true, "title": "Tablet Stand Deluxe",
          "urlString": "https://shop.example/stand",
          "extras": { "class_type": "pcm_ad", "attribution_source_id": "4", "attribution_destination": "https://shop.example" }
        },
        {
          "idString": "coupon", "created": 1795168800, "dismissible": false,
          "extras": { "class_type": "coupon_code", "discount_percentage": "10" }
        }
      ]
      """,
      "classTypes": #"["coupon_code", "pcm_ad"]"#,
    ])

  package static let definition = BodyDefinition<Self>(
    "The feed of content cards that an app receives. It replaces the cards of an earlier feed; a card with the same ID keeps its "
      + "counts.",
    [
      .required(
        "cards", \.cards,
        .list(
          of: .card, "an array of objects",
          keywords: [.init("items", ["$ref": "#/components/schemas/CardObject"]), .init("maxItems", 250)]),
        "The cards in their order: objects as the REST API takes them, with the names of the SDKs' fields, or as the server sends "
          + "them to the SDKs; at most 250. A card that cannot be read is dropped, and no other"),
      .defaulted(
        "classKey", \.classKey, .string("a string with a key of the extras", upTo: 255),
        "The key of the extras in which the app looks for the class of a card; `class_type` when absent"),
      .optional(
        "classTypes", \.classTypes,
        .list(of: .text, "an array of strings", keywords: [.init("items", ["type": "string"]), .init("maxItems", 100)]),
        "The classes that the app knows. When absent, the guide's and `pcm_ad`; with another `classKey`, all"),
      .defaulted(
        "language", \.language, .choice(CardLanguage.self),
        "How the app compares classes: `swift`, in lower case, or `objective-c`, as it is; `swift` when absent"),
    ])

  package init() {}

  /// Returns the known name of a class; nil when the class is unknown.
  package func classType(of text: String?) -> String? {
    guard let text, !text.isEmpty else { return nil }
    let standard = classKey == Self.standardClassKey ? Self.standardClassTypes : nil
    guard let known = classTypes ?? standard else { return text }
    let name = language == .swift ? text.lowercased() : text
    return known.first { $0.utf8.elementsEqual(name.utf8) }
  }
}

/// The body of `POST …/cards/{idString}/impressions`.
package struct CardImpressionInput: OperationInput {
  package static let name = "card-impression"
  package static let path = "/v1/devices/:device/apps/:bundleIdentifier/cards/:idString/impressions"
  package static let summary = "Displays a content card"

  package static let form: OperationForm? = OperationForm(
    "try-card-impression", "Impression of a card", "The app displays the card, and logs it.", button: "Log the impression",
    .exampleCard)

  package static let definition = BodyDefinition<Self>("No members.", [])

  package init() {}
}

/// The body of `POST …/cards/{idString}/clicks`.
package struct CardClickInput: OperationInput {
  package var tapVerified = true
  package var presentation = AppTap.Presentation.openURL
  package var landingURL: String?

  package static let name = "card-click"
  package static let path = "/v1/devices/:device/apps/:bundleIdentifier/cards/:idString/clicks"
  package static let summary = "Clicks a content card"

  package static let form: OperationForm? = OperationForm(
    "try-card-click", "Click on a card",
    "The app logs the click, and opens the URL of the card with its measurement parameters.",
    button: "Click the card", .exampleCard)

  package static let definition = BodyDefinition<Self>(
    "A user clicks a content card. The members are about a card that is an ad.",
    [
      .defaulted(
        "tapVerified", \.tapVerified, .flag, "Whether a `UIEventAttributionView` covered the card; true when absent"),
      .defaulted(
        "presentation", \.presentation, .choice(AppTap.Presentation.self, component: "Presentation"),
        "How the app opens the URL of a web ad; `openURL` when absent"),
      .optional(
        "landingURL", \.landingURL, .url,
        "The URL that the main frame commits, after redirects; the card's URL when absent"),
    ])

  package init() {}
}

/// The body of `POST …/cards/{idString}/dismissals`.
package struct CardDismissalInput: OperationInput {
  package static let name = "card-dismissal"
  package static let path = "/v1/devices/:device/apps/:bundleIdentifier/cards/:idString/dismissals"
  package static let summary = "Dismisses a content card"

  package static let form: OperationForm? = OperationForm(
    "try-card-dismissal", "Dismissal of a card", "A user dismisses the card, and the app logs it.", button: "Dismiss the card",
    .exampleCard)

  package static let definition = BodyDefinition<Self>("No members.", [])

  package init() {}
}

extension [String: String] {
  /// A card in the form of the feed.
  fileprivate static var exampleCard: Self { ["bundleIdentifier": "com.example.news", "idString": "stand"] }
}

extension BodyValue<JSON> {
  /// A content card with any members, each once.
  fileprivate static let card = BodyValue(
    description: ValueDescription(
      kind: .object(BodyDescription(text: "A content card.", members: [])), expected: "an object"),
    read: { (reader) throws(MalformedJSON) in
      guard let value = try reader.anyObject() else { return nil }
      guard let path = value.pathOfDuplicate else { return value.withWholeNumbers() }
      return reader.add(InputError(path, "\(path.last ?? "") is given twice; give it once", .duplicateMember))
    }, json: { $0 })
}

extension JSON {
  /// Returns the value with numbers that a journal and a scenario can contain. A number of a card is in seconds, and loses a
  /// fraction. A number within a member becomes text, as in a map of strings. A value that is too deep becomes empty.
  fileprivate func withWholeNumbers(isMember: Bool = true, at depth: Int = 1) -> JSON {
    let isTooDeep = depth > CardFeedInput.maximumDepth
    return switch self {
    case .array where isTooDeep: .array([])
    case .object where isTooDeep: .object([])
    case .verbatim(let text):
      (isMember ? Double(text).flatMap { Int64(exactly: $0.rounded(.down)) } : nil).map { .number($0) } ?? .string(text)
    case .array(let items): .array(items.map { $0.withWholeNumbers(isMember: false, at: depth + 1) })
    case .object(let members):
      .object(
        members.map { member in
          let isMember = isMember && member.value.members.isEmpty
          return .init(member.name, member.value.withWholeNumbers(isMember: isMember, at: depth + 1))
        })
    case .null, .bool, .number, .string: self
    }
  }
}
