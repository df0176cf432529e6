package import PCMCore

/// The cards of a feed, read from any of their spellings (content cards reference, section B1).
package struct CardFeed: Hashable, Sendable {
  package struct Item: Hashable, Sendable {
    package let card: SentCard
    /// The name of the card's class in the app; nil for an unknown class.
    package let classType: String?
    /// The size of the card as it was written, in bytes.
    package let size: Int
  }

  package let items: [Item]

  package static let maximumCount = 250
  /// The maximum size of a card in bytes.
  package static let maximumCardSize = 16_384
  /// The maximum number of objects and arrays within each other: a journal has more around a card.
  private static let maximumDepth = 16
  private static let maximumClassCount = 100

  /// Reads a feed. The errors are empty for one that an app can receive.
  package static func read(_ input: CardFeedInput) -> (feed: CardFeed, errors: [InputError]) {
    guard input.cards.count <= maximumCount else {
      let detail = "the feed has \(input.cards.count) cards; send at most \(maximumCount)"
      return (CardFeed(items: []), [InputError(["cards"], detail, .outOfRange)])
    }
    var (items, errors, places): ([Item], [InputError], [String: Int]) = ([], [], [:])
    if input.classTypes.count > maximumClassCount {
      let detail = "the list has \(input.classTypes.count) classes; send at most \(maximumClassCount)"
      errors.append(InputError(["classTypes"], detail, .outOfRange))
    }
    for (index, json) in input.cards.enumerated() {
      let size = json.text.utf8.count
      var reader = CardReader(json)
      let card = reader.card()
      if size > maximumCardSize {
        reader.add("the card has \(size) bytes; send at most \(maximumCardSize)", .outOfRange)
      }
      if json.depth > maximumDepth {
        reader.add("the card has \(json.depth) levels of objects and arrays; send at most \(maximumDepth)", .outOfRange)
      }
      // A string is equal to another form of its characters, and an ID is not.
      if let name = card.card.idString.map(PercentEncoding.component.encode) {
        if let other = places[name] { reader.addID("the card has the ID of card \(other); each card needs another one") }
        places[name] = places[name] ?? index
      }
      errors += reader.errors.map { $0.within("\(index)").within("cards") }
      items.append(Item(card: card, classType: input.classType(of: card.card.givenClass), size: size))
    }
    return (CardFeed(items: items), errors)
  }
}

/// A card as it is sent to an app.
package struct SentCard: Hashable, Sendable {
  package fileprivate(set) var card = ContentCard()
  /// Whether it is an object of the REST API, to which the service of the SDK adds what it lacks.
  fileprivate var isRESTObject = false
  /// Seconds; nil without a limit.
  fileprivate var timeToLive: Int64?

  /// The longest life of an object of the REST API in seconds: 30 days.
  fileprivate static let longestLife: Int64 = 2_592_000

  /// The beginning of the ID that an object without one receives. The number of the card follows.
  private static let ownIDs = "rest-"

  fileprivate static func isOwnID(_ id: String) -> Bool {
    id.hasPrefix(ownIDs) && Int64(id.dropFirst(ownIDs.count)) != nil
  }

  /// Whether it is an object of the REST API that expires later than such an object can.
  package func livesTooLong(at now: Instant) -> Bool {
    isRESTObject && card.expiresAt.map { $0 > now + .seconds(Self.longestLife) } ?? false
  }

  /// Returns the card as the app receives it.
  ///
  /// - Parameter number: The number of the card.
  package func received(as number: Int64, at now: Instant) -> ContentCard {
    guard isRESTObject else { return card }
    var card = card
    card.idString = card.idString ?? "\(Self.ownIDs)\(number)"
    card.created = card.created ?? now.milliseconds / 1_000
    card.isDismissible = card.isDismissible ?? true
    card.extras = card.extras ?? "{}"
    if let timeToLive { card.expiresAt = now + .seconds(timeToLive) }
    return card
  }
}

/// Reads one card, and collects what is wrong with it.
private struct CardReader {
  private let json: JSON
  private(set) var errors: [InputError] = []

  init(_ json: JSON) { self.json = json }

  mutating func add(_ detail: String, _ code: InputError.Code = .invalidValue, at path: [String] = []) {
    errors.append(InputError(path, detail, code))
  }

  /// Adds an error of the card's ID.
  mutating func addID(_ detail: String, _ code: InputError.Code = .invalidValue) {
    add(detail, code, at: [json["idString"] == nil ? "id" : "idString"])
  }

  /// Returns the member with one of these names, oldest name first. Two with different values are an error.
  private mutating func member(_ names: [String]) -> JSON.Member? {
    let given = names.compactMap { name in json[name].map { JSON.Member(name, $0) } }.filter { $0.value != .null }
    if let other = given.first(where: { $0.value != given[0].value }) {
      add("\(other.name) differs from \(given[0].name); give one of them", .conflictingMembers, at: [other.name])
    }
    return given.first
  }

  private mutating func optional<Value>(_ names: [String], _ expected: String, _ read: (JSON) -> Value?) -> Value? {
    guard let member = self.member(names) else { return nil }
    if let value = read(member.value) { return value }
    add("\(member.name) must be \(expected)", .wrongType, at: [member.name])
    return nil
  }

  private mutating func text(_ names: String...) -> String? { optional(names, "a string") { $0.string } }
  private mutating func flag(_ names: String...) -> Bool? { optional(names, "true or false") { $0.flag } }

  mutating func card() -> SentCard {
    var sent = SentCard()
    (sent.card.subtype, sent.isRESTObject, sent.card.isControl) = kind()
    sent.card.idString = member(["idString", "id"])?.value.string
    if let id = sent.card.idString, !(1...255).contains(id.utf8.count) {
      addID("the ID of the card has \(id.utf8.count) bytes; use 1 to 255 bytes of UTF-8", .outOfRange)
    }
    if let id = sent.card.idString, SentCard.isOwnID(id) {
      addID("\(id) has the form of an ID that an object of the REST API receives; use another one")
    }
    sent.card.created = member(["created", "createdAt"])?.value.integer
    sent.card.isDismissible = member(["dismissible", "isDismissible"])?.value.flag
    if let extras = member(["extras", "extra"])?.value, case .object = extras { sent.card.extras = extras.text }
    sent.card.url = text("urlString", "url", "ios_uri")?.withoutUserInformation
    sent.card.title = text("title")
    sent.card.cardDescription = text("cardDescription", "description")
    sent.card.image = text("image", "imageUrl", "image_url")
    sent.card.isPinned = flag("pinned", "isPinned") ?? false
    sent.card.isViewed = flag("viewed", "isViewed") ?? false
    sent.card.isRemoved = flag("isRemoved", "removed") ?? false
    sent.card.isControl = flag("isControl") ?? sent.card.isControl
    readExpiry(&sent)
    if sent.isRESTObject, sent.card.subtype != .classic, sent.card.image == nil {
      add("image_url is missing; a banner and a captioned image need it", .missing, at: ["image_url"])
    }
    return sent
  }

  /// Returns the subtype, whether the type is one of the REST API, and whether the card is one of the control group.
  private mutating func kind() -> (ContentCard.Subtype, isRESTObject: Bool, isControl: Bool) {
    switch text("type") {
    case nil: return (.classic, false, false)
    case "CLASSIC": return (.classic, true, false)
    case "CAPTIONED_IMAGE": return (.captionedImage, true, false)
    case "BANNER": return (.banner, true, false)
    case "ABKClassicContentCard", "classic", "classicImage": return (.classic, false, false)
    case "ABKCaptionedImageContentCard", "captionedImage": return (.captionedImage, false, false)
    case "ABKBannerContentCard", "banner", "imageOnly": return (.banner, false, false)
    case "control": return (.classic, false, true)
    case let other?:
      add(
        "\"\(other.asShown(upTo: 40))\" is not a type of card; use CLASSIC, CAPTIONED_IMAGE, or BANNER, or a type of the SDK, "
          + "such as captionedImage", at: ["type"])
      return (.classic, false, false)
    }
  }

  /// Reads when the card expires: at an instant, or a time after it is sent.
  private mutating func readExpiry(_ sent: inout SentCard) {
    let seconds = optional(["expiresAt", "expiredAt"], "a number of seconds since 1970") { $0.integer }
    let instant = optional(["expire_at"], "an ISO 8601 time such as 2026-11-20T10:00:00Z") { value in
      value.string.flatMap { Instant(text: $0) }
    }
    sent.timeToLive = optional(["time_to_live"], "a number of seconds, 1 to \(SentCard.longestLife)") { value in
      value.integer.flatMap { (1...SentCard.longestLife).contains($0) ? $0 : nil }
    }
    if instant != nil, sent.timeToLive != nil {
      add("a card has expire_at or time_to_live, not both; remove one", .conflictingMembers, at: ["time_to_live"])
    }
    sent.card.expiresAt = instant ?? seconds.flatMap(Self.instant)
  }

  /// Returns the instant; nil, for a card that does not expire, for 0 and for a time after the last one of a clock.
  private static func instant(_ seconds: Int64) -> Instant? {
    guard seconds > 0, seconds <= Instant.latest.milliseconds / 1_000 else { return nil }
    return Instant(milliseconds: seconds * 1_000)
  }
}

extension JSON {
  /// The number of arrays and objects within each other.
  fileprivate var depth: Int {
    switch self {
    case .array(let items): 1 + (items.map(\.depth).max() ?? 0)
    case .object(let members): 1 + (members.map(\.value.depth).max() ?? 0)
    case .null, .bool, .number, .string, .verbatim: 0
    }
  }
}
