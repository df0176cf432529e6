package import PCMCore

/// The cards of a feed, in any of the supported spellings (content cards reference, section B1).
package struct CardFeed: Hashable, Sendable {
  package struct Item: Hashable, Sendable {
    package let card: SentCard
    /// The name of the card's class in the app; nil for an unknown class.
    package let classType: String?
    /// The size of the stored card in bytes.
    package let size: Int
  }

  package let items: [Item]

  package static let maximumCount = 250
  /// The maximum size of a card in bytes.
  package static let maximumCardSize = 16_384
  private static let maximumClassCount = 100

  /// Reads a feed. An error concerns the whole feed. An unreadable card remains in the feed, with its fault.
  package static func read(_ input: CardFeedInput) -> (feed: CardFeed, errors: [InputError]) {
    guard input.cards.count <= maximumCount else {
      let detail = "the feed has \(input.cards.count) cards; send at most \(maximumCount)"
      return (CardFeed(items: []), [InputError(["cards"], detail, .outOfRange)])
    }
    var (items, errors, places): ([Item], [InputError], [String: Int]) = ([], [], [:])
    let classCount = input.classTypes?.count ?? 0
    if classCount > maximumClassCount {
      let detail = "the list has \(classCount) classes; send at most \(maximumClassCount)"
      errors.append(InputError(["classTypes"], detail, .outOfRange))
    }
    for (index, json) in input.cards.enumerated() {
      let size = json.text.utf8.count
      var reader = CardReader(json, classKey: input.classKey)
      var card = reader.card()
      if size > maximumCardSize { reader.add("the card has \(size) bytes; send at most \(maximumCardSize)") }
      if json.depth > CardFeedInput.maximumDepth {
        reader.add("the card has more than \(CardFeedInput.maximumDepth) levels of objects and arrays")
      }
      // Swift compares strings by canonical equivalence, but IDs differ if their bytes differ.
      if let name = card.card.idString.map(PercentEncoding.component.encode) {
        if let other = places[name] { reader.addID("the ID is also the ID of card \(other + 1) of the feed") }
        places[name] = places[name] ?? index
      }
      card = reader.judged(card)
      let classType = input.classType(of: card.card.givenClass)
      if classType == CardFeedInput.adClass { card.addNotesOnParameters() }
      items.append(Item(card: card, classType: classType, size: card.card.fault?.utf8.count ?? size))
    }
    return (CardFeed(items: items), errors)
  }
}

/// A card as the sender specifies it.
package struct SentCard: Hashable, Sendable {
  package fileprivate(set) var card = ContentCard()
  /// Whether the card is an object of the REST API, whose missing members the SDK's service adds.
  fileprivate var isRESTObject = false
  /// Seconds; nil without a limit.
  fileprivate var timeToLive: Int64?

  /// The maximum life of a REST object in seconds: 30 days.
  fileprivate static let longestLife: Int64 = 2_592_000

  /// The prefix of the ID for a REST object without an ID. The number of the card follows.
  private static let ownIDs = "rest-"

  fileprivate static func isOwnID(_ id: String) -> Bool {
    id.hasPrefix(ownIDs) && Int64(id.dropFirst(ownIDs.count)) != nil
  }

  /// The catalog's entries for the notes on a card.
  static let notes = [
    RuleTitle(
      reason: "card-time-in-milliseconds",
      "A time of a card is in milliseconds. The SDKs and the server have seconds; it is read as milliseconds.",
      .ours("as seconds, the time would be after the year 9999"), change: "send the time in seconds"),
    RuleTitle(
      reason: "card-parameter-misspelled",
      "The extras of an ad have a name that is nearly the name of a measurement parameter. It is ignored.",
      .ours("the names of the parameters are a convention of this project"), change: "correct the name"),
  ]

  fileprivate mutating func addNotesOnParameters() {
    let notes = card.misspellings().map { Reason("card-parameter-misspelled", $0) }
    if !notes.isEmpty { card.notes = (card.notes ?? []) + notes }
  }

  /// Returns the card as the app receives it. A REST object expires after at most 30 days.
  ///
  /// - Parameter number: The number of the card.
  package func received(as number: Int64, at now: Instant) -> ContentCard {
    guard isRESTObject else { return card }
    var card = card
    card.idString = card.idString ?? "\(Self.ownIDs)\(number)"
    if let expiresAt = card.expiresAt, expiresAt > now + .seconds(Self.longestLife) {
      let fault = "a card of the REST API expires at most 30 days after it is sent, and not at \(expiresAt.text)"
      return ContentCard(unreadable: fault, idString: card.idString)
    }
    card.created = card.created ?? now.milliseconds / 1_000
    card.isDismissible = card.isDismissible ?? true
    card.extras = card.extras ?? "{}"
    if let timeToLive { card.expiresAt = now + .seconds(timeToLive) }
    return card
  }
}

/// Reads a card, and collects its faults and notes.
private struct CardReader {
  private let json: JSON
  private let classKey: String
  /// Whether the member names are the names in the server's response to the SDKs, as seen in a proxy.
  private let isFromServer: Bool
  private var faults: [String] = []
  private var notes: [Reason] = []
  private var hasInvalidID = false

  init(_ json: JSON, classKey: String) {
    self.json = json
    self.classKey = classKey
    isFromServer = ["ca", "ea", "tt", "ds", "tp", "db"].contains { json[$0] != nil }
  }

  /// Returns the card with its notes, or an unreadable card with its faults.
  func judged(_ sent: SentCard) -> SentCard {
    var sent = sent
    guard faults.isEmpty else {
      let id = hasInvalidID ? nil : sent.card.idString
      return SentCard(card: ContentCard(unreadable: faults.joined(separator: "; "), idString: id))
    }
    sent.card.notes = notes.isEmpty ? nil : notes
    return sent
  }

  mutating func add(_ fault: String) { faults.append(fault) }

  /// Adds a fault of the card's ID, which prevents the card from being stored.
  mutating func addID(_ fault: String) {
    hasInvalidID = true
    add(fault)
  }

  /// Returns the member with one of these names, oldest name first. Different values for two of the names are a fault.
  ///
  /// - Parameter short: The name in the server's response, which only cards from the server have.
  private mutating func member(_ names: [String], _ short: String? = nil) -> JSON.Member? {
    let names = names + (isFromServer ? [short].compactMap { $0 } : [])
    let given = names.compactMap { name in json[name].map { JSON.Member(name, $0) } }.filter { $0.value != .null }
    if let other = given.first(where: { $0.value != given[0].value }) { add("\(other.name) differs from \(given[0].name)") }
    return given.first
  }

  private mutating func optional<Value>(
    _ names: [String], short: String? = nil, _ expected: String, _ read: (JSON) -> Value?
  ) -> Value? {
    guard let member = self.member(names, short) else { return nil }
    if let value = read(member.value) { return value }
    add("\(member.name) must be \(expected), and is \(member.value.text.asShown(upTo: 60))")
    return nil
  }

  private mutating func text(_ names: String..., short: String? = nil) -> String? {
    optional(names, short: short, "a string") { $0.string }
  }

  private mutating func flag(_ names: String..., short: String? = nil) -> Bool? {
    optional(names, short: short, "true or false") { $0.flag }
  }

  mutating func card() -> SentCard {
    var sent = SentCard()
    (sent.card.subtype, sent.isRESTObject, sent.card.isControl) = kind()
    readID(&sent.card)
    sent.card.classKey = classKey == CardFeedInput.standardClassKey ? nil : classKey
    sent.card.created = member(["created", "createdAt"], "ca").flatMap { time($0) }?.seconds
    sent.card.isDismissible = member(["dismissible", "isDismissible", "dismissable"], "db")?.value.flag
    if let extras = member(["extras", "extra"], "e")?.value, case .object = extras { sent.card.extras = extras.text }
    if isFromServer {
      // The SDK adds missing members.
      sent.card.isDismissible = json["db"] == nil ? sent.card.isDismissible ?? false : sent.card.isDismissible
      sent.card.extras = json["e"] == nil ? sent.card.extras ?? "{}" : sent.card.extras
    }
    sent.card.url = text("urlString", "url", "ios_uri", short: "u")?.withoutUserInformation
    sent.card.title = text("title", short: "tt")
    sent.card.cardDescription = text("cardDescription", "description", short: "ds")
    sent.card.image = text("image", "imageUrl", "image_url", short: "i")
    sent.card.isPinned = flag("pinned", "isPinned", short: "p") ?? false
    sent.card.isViewed = flag("viewed", "isViewed", short: "v") ?? false
    sent.card.isRemoved = flag("isRemoved", "removed", short: "r") ?? false
    sent.card.isDismissed = flag("dismissed", "isDismissed", short: "d")
    sent.card.isControl = flag("isControl") ?? sent.card.isControl
    readExpiry(&sent)
    if sent.isRESTObject, sent.card.subtype != .classic, sent.card.image == nil {
      add("image_url is missing; a banner and a captioned image need it")
    }
    return sent
  }

  private mutating func readID(_ card: inout ContentCard) {
    card.idString = member(["idString", "id"])?.value.string
    guard let id = card.idString else { return }
    if !(1...255).contains(id.utf8.count) {
      addID("the ID of the card has \(id.utf8.count) bytes; use 1 to 255 bytes of UTF-8")
    }
    if SentCard.isOwnID(id) {
      addID("\(id.asShown(upTo: 40)) has the form of an ID that an object of the REST API receives; use another one")
    }
  }

  /// Returns the subtype, whether the type is from the REST API, and whether the card is a control card.
  private mutating func kind() -> (ContentCard.Subtype, isRESTObject: Bool, isControl: Bool) {
    guard let type = optional(["type"], short: "tp", "a string", { $0.string }) else { return (.classic, false, false) }
    var name = type.lowercased().filter { $0 != "_" && $0 != "-" }[...]
    if name.hasPrefix("abk") { name = name.dropFirst(3) }
    for suffix in ["card", "content"] where name.hasSuffix(suffix) { name = name.dropLast(suffix.count) }
    let isRESTObject = ["CLASSIC", "CAPTIONED_IMAGE", "BANNER"].contains(type)
    switch name {
    case "classic", "classicimage", "shortnews", "textannouncement": return (.classic, isRESTObject, false)
    case "captioned", "captionedimage": return (.captionedImage, isRESTObject, false)
    case "banner", "bannerimage", "imageonly": return (.banner, isRESTObject, false)
    case "control": return (.classic, false, true)
    default:
      add(
        "\"\(type.asShown(upTo: 40))\" is not a type of card; use CLASSIC, CAPTIONED_IMAGE, or BANNER, or a type of the SDKs, such "
          + "as Captioned")
      return (.classic, false, false)
    }
  }

  /// Reads the expiry of the card: an instant, or an interval after it is sent.
  private mutating func readExpiry(_ sent: inout SentCard) {
    let expiry = member(["expiresAt", "expiredAt", "expire_at"], "ea")
    if let expiry {
      let time = time(expiry)
      if time == nil {
        add("\(expiry.name) must be a number of seconds since 1970, or an ISO 8601 time such as 2026-11-20T10:00:00Z")
      }
      sent.card.expiresAt = time?.expiry
    }
    sent.timeToLive = optional(["time_to_live"], "a number of seconds, 1 to \(SentCard.longestLife)") { value in
      value.integer.flatMap { (1...SentCard.longestLife).contains($0) ? $0 : nil }
    }
    if let expiry, sent.card.expiresAt != nil, sent.timeToLive != nil {
      add("a card has \(expiry.name) or time_to_live, not both; remove one")
    }
  }

  /// Returns a time in seconds since 1970, in milliseconds, which adds a note, or in ISO 8601 format; nil for other values.
  private mutating func time(_ member: JSON.Member) -> CardTime? {
    if let text = member.value.string { return Instant(text: text).map(CardTime.instant) }
    guard let number = member.value.integer, CardTime.milliseconds.contains(number) else {
      return member.value.integer.map(CardTime.seconds)
    }
    notes.append(Reason("card-time-in-milliseconds", "\(member.name) is \(number), in milliseconds; the SDKs have seconds"))
    return .instant(Instant(milliseconds: number))
  }
}

/// A time of a card.
private enum CardTime {
  case seconds(Int64)
  case instant(Instant)

  /// The numbers that are milliseconds. As seconds, they would exceed the last time of a clock.
  static let milliseconds = (Instant.latest.milliseconds / 1_000 + 1)...Instant.latest.milliseconds

  /// The seconds since 1970, without a fraction.
  var seconds: Int64 {
    switch self {
    case .seconds(let seconds): seconds
    case .instant(let instant): instant.milliseconds / 1_000
    }
  }

  /// The expiry; nil for a card that does not expire, for 0, and for a time after the last time of a clock.
  var expiry: Instant? {
    switch self {
    case .instant(let instant): instant
    case .seconds(let seconds):
      seconds > 0 && seconds < Self.milliseconds.lowerBound ? Instant(milliseconds: seconds * 1_000) : nil
    }
  }
}

extension JSON {
  /// The nesting depth of arrays and objects.
  fileprivate var depth: Int {
    switch self {
    case .array(let items): 1 + (items.map(\.depth).max() ?? 0)
    case .object(let members): 1 + (members.map(\.value.depth).max() ?? 0)
    case .null, .bool, .number, .string, .verbatim: 0
    }
  }
}
