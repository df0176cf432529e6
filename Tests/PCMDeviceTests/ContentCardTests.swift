import PCMCore
import Testing

@testable import PCMDevice

/// The spellings of a card's fields, its class, and what an app needs (content cards reference, sections B1 and B2).
@Suite struct ContentCardTests {
  /// Reads a feed, which a test writes as JSON.
  private static func read(_ cards: String, _ rest: String = "") throws -> (feed: CardFeed, errors: [InputError]) {
    CardFeed.read(try CardFeedInput(json: Array(#"{"cards":[\#(cards)]\#(rest)}"#.utf8)))
  }

  private static func card(_ json: String, _ rest: String = "") throws -> FeedCard {
    let (feed, errors) = try read(json, rest)
    #expect(errors.isEmpty, "\(errors)")
    let item = try #require(feed.items.first)
    return FeedCard(
      number: 7, bundleIdentifier: "com.example.news", place: 0, card: item.card.received(as: 7, at: Sample.now),
      classType: item.classType)
  }

  /// The reason for which an app drops a card; nil for a card that it shows.
  private static func reason(_ card: FeedCard, at now: Instant = Sample.now) -> String? {
    var evaluation = RuleEvaluation()
    return evaluation.firstViolation(of: CardSituation.shownRules, to: CardSituation(card, at: now))?.reason.code
  }

  private static let whole = #""created":1.5,"dismissible":false,"extras":{"class_type":"home_tile","price":9.99}"#

  @Test(
    "Each field has its names in every SDK",
    arguments: [
      #"{"idString":"a","created":2,"dismissible":true,"urlString":"https://a.example/","extras":{"k":"v"},"title":"t","cardDescription":"d","image":"i","pinned":true,"viewed":true,"expiresAt":1900000000,"type":"ABKCaptionedImageContentCard"}"#,
      #"{"id":"a","createdAt":2.0,"isDismissible":true,"url":"https://a.example/","extras":{"k":"v"},"title":"t","description":"d","image":"i","isPinned":true,"isViewed":true,"expiredAt":1900000000,"type":"captionedImage"}"#,
    ])
  func spellings(_ json: String) throws {
    let card = try Self.card(json).card
    #expect(card.idString == "a" && card.created == 2 && card.isDismissible == true && card.extras == #"{"k":"v"}"#)
    #expect(card.url == "https://a.example/" && card.title == "t" && card.cardDescription == "d" && card.image == "i")
    #expect(card.isPinned && card.isViewed && !card.isControl && card.subtype == .captionedImage)
    #expect(card.expiresAt == Instant(milliseconds: 1_900_000_000_000))
  }

  @Test("An object of the REST API has what the service of the SDK adds")
  func restObject() throws {
    let card = try Self.card(
      #"{"type":"BANNER","title":"t","image_url":"i","ios_uri":"https://a.example/","time_to_live":60,"extra":{"class_type":"ad_banner"}}"#
    )
    #expect(card.card.idString == "rest-7" && card.card.created == Sample.now.milliseconds / 1_000)
    #expect(card.card.isDismissible == true && card.card.expiresAt == Sample.now + .seconds(60))
    #expect(Self.reason(card) == nil)
    #expect(card.card.metadata["title"] == .null && card.card.metadata["image"] == "i", "a banner has only an image")
    #expect(try Self.card(#"{"type":"CLASSIC","expire_at":"2026-11-20T10:00:00Z"}"#).card.expiresAt != nil)
    let days30 = Sample.now + .seconds(2_592_000)
    for (expiry, isTooLong) in [(days30, false), (days30 + Sample.millisecond, true)] {
      let item = try Self.read(#"{"type":"CLASSIC","expire_at":"\#(expiry.text)"}"#).feed.items.first
      #expect(item?.card.livesTooLong(at: Sample.now) == isTooLong)
    }
  }

  @Test(
    "The language decides how the class is compared",
    arguments: [
      ("home_tile", "swift", "home_tile"), ("Home_Tile", "swift", "home_tile"), ("home_tile", "objective-c", "home_tile"),
      ("Home_Tile", "objective-c", nil), ("", "swift", nil), ("", "objective-c", nil), ("other", "swift", nil),
    ] as [(String, String, String?)])
  func classes(_ given: String, _ language: String, _ known: String?) throws {
    let card = try Self.card(
      #"{"idString":"a","created":1,"dismissible":true,"extras":{"class_type":"\#(given)"}}"#, #","language":"\#(language)""#)
    #expect(card.classType == known)
    #expect(Self.reason(card) == (known == nil ? "card-class-unknown" : nil))
  }

  @Test("A name in upper case is never found in lower case")
  func upperCaseName() throws {
    let json = #"{"idString":"a","created":1,"dismissible":true,"extras":{"class_type":"Tile"}}"#
    #expect(try Self.card(json, #","classTypes":["Tile"]"#).classType == nil)
    #expect(try Self.card(json, #","classTypes":["Tile"],"language":"objective-c""#).classType == "Tile")
  }

  @Test(
    "An app drops a card without a field that it needs, or with one of another type",
    arguments: [
      (#"{\#(whole)}"#, "card-field-missing"), (#"{"idString":5,\#(whole)}"#, "card-field-missing"),
      (#"{"idString":"a","dismissible":true,"extras":{"class_type":"home_tile"}}"#, "card-field-missing"),
      (#"{"idString":"a","created":"1","dismissible":true,"extras":{"class_type":"home_tile"}}"#, "card-field-missing"),
      (#"{"idString":"a","created":1,"dismissible":1,"extras":{"class_type":"home_tile"}}"#, "card-field-missing"),
      (#"{"idString":"a","created":1,"dismissible":true}"#, "card-class-unknown"),
      (#"{"idString":"a","created":1,"dismissible":true,"extras":["class_type"]}"#, "card-class-unknown"),
      (#"{"idString":"a","removed":true,\#(whole)}"#, "card-dismissed"),
      (#"{"idString":"a","isRemoved":false,\#(whole)}"#, nil),
      (#"{"idString":"a","title":null,"expiresAt":null,"removed":null,\#(whole)}"#, nil),
      (#"{"idString":"a","isControl":true}"#, "control-group"), (#"{"id":"a","type":"control"}"#, "control-group"),
      (#"{"idString":"a","expiresAt":1,\#(whole)}"#, "card-expired"), (#"{"idString":"a","expiresAt":0,\#(whole)}"#, nil),
      (#"{"idString":"a","expiresAt":-1,\#(whole)}"#, nil), (#"{"idString":"a","expiresAt":1e17,\#(whole)}"#, nil),
    ] as [(String, String?)])
  func dropped(_ json: String, _ reason: String?) throws {
    #expect(try Self.reason(Self.card(json)) == reason)
  }

  @Test("A card of the control group is not shown, and its impression counts apart")
  func controlGroup() throws {
    var evaluation = RuleEvaluation()
    let card = try Self.card(#"{"idString":"a","isControl":true}"#)
    #expect(evaluation.firstViolation(of: CardSituation.impressionRules, to: CardSituation(card, at: Sample.now)) == nil)
  }

  @Test("An impression is ignored until ten seconds after the last one")
  func gap() throws {
    var card = try Self.card(#"{"idString":"a",\#(Self.whole)}"#)
    card.count(.impression, at: Sample.now)
    func reason(after interval: Interval) -> String? {
      var evaluation = RuleEvaluation()
      let situation = CardSituation(card, at: Sample.now + interval)
      return evaluation.firstViolation(of: CardSituation.impressionRules, to: situation)?.reason.code
    }
    #expect(reason(after: .seconds(10) - Sample.millisecond) == "impression-too-recent")
    #expect(reason(after: .seconds(10)) == nil)
  }

  @Test("The map has the guide's names, and false stays false")
  func metadata() throws {
    let metadata = try Self.card(#"{"idString":"a",\#(Self.whole)}"#).card.metadata
    #expect(
      metadata.text
        == #"{"idString":"a","created":1,"class_type":"home_tile","dismissible":false,"extras":{"class_type":"home_tile","price":"9.99"},"urlString":null,"title":null,"cardDescription":null,"image":null}"#
    )
  }

  private static let deep = String(repeating: "[", count: 16) + String(repeating: "]", count: 16)

  @Test(
    "What a feed cannot contain is an error at its place",
    arguments: [
      (#"{"idString":"a"},{"id":"a"}"#, "cards/1/id"), (#"{"idString":"a","id":"b"}"#, "cards/0/id"),
      (#"{"title":5}"#, "cards/0/title"), (#"{"type":"VIDEO"}"#, "cards/0/type"), (#"{"type":5}"#, "cards/0/type"),
      (#"{"type":"BANNER"}"#, "cards/0/image_url"), (#"{"type":"CLASSIC","time_to_live":2592001}"#, "cards/0/time_to_live"),
      (#"{"type":"CLASSIC","time_to_live":9007199254740993}"#, "cards/0/time_to_live"),
      (#"{"type":"CLASSIC","time_to_live":5,"expire_at":"2026-11-20T10:00:00Z"}"#, "cards/0/time_to_live"),
      (#"{"expiresAt":1e300}"#, "cards/0/expiresAt"), (#"{"extras":\#(deep)}"#, "cards/0"),
      (#"{"expire_at":"soon"}"#, "cards/0/expire_at"), (#"{"idString":""}"#, "cards/0/idString"),
      (#"{"id":""}"#, "cards/0/id"), (#"{"idString":"rest-1"}"#, "cards/0/idString"),
      (#"{"idString":"\#(String(repeating: "a", count: 256))"}"#, "cards/0/idString"),
      (#"{"isControl":"yes"}"#, "cards/0/isControl"), (#"{"pinned":1}"#, "cards/0/pinned"),
      (#"{"removed":0}"#, "cards/0/removed"),
      (#"{"urlString":{}}"#, "cards/0/urlString"), (#"{"image_url":[]}"#, "cards/0/image_url"),
      (#"{"title":"\#(String(repeating: "a", count: 16_384))"}"#, "cards/0"),
    ])
  func errors(_ cards: String, _ path: String) throws {
    #expect(try Self.read(cards).errors.map { $0.path.joined(separator: "/") } == [path])
  }

  @Test("IDs that only look alike are two")
  func equivalentIDs() throws {
    #expect(try Self.read(#"{"idString":"\u00e9"},{"idString":"e\u0301"}"#).errors.isEmpty)
  }

  @Test("A feed has at most 250 cards")
  func count() throws {
    func errors(_ count: Int) throws -> [[String]] {
      try Self.read((1...count).map { #"{"idString":"\#($0)"}"# }.joined(separator: ",")).errors.map(\.path)
    }
    #expect(try errors(250).isEmpty)
    #expect(try errors(10_000) == [["cards"]])
  }

  @Test(
    "The extras describe an ad",
    arguments: [
      (#"{}"#, nil), (#"{"attribution_source_id":"4"}"#, "event-attribution"),
      (#"{"attribution_source_id":4}"#, "event-attribution"),
      (#"{"attribution_source_id":"256"}"#, "invalid"), (#"{"attribution_source_id":9007199254740993}"#, "invalid"),
      (#"{"attribution_source_id":["4"]}"#, "invalid"), (#"{"attribution_source_id":null}"#, nil), (#"{"jws":{}}"#, "invalid"),
      (#"{"attribution_destination":"https://shop.example"}"#, "invalid"),
      (#"{"jws":"a.b.c"}"#, "impression"), (#"{"jws":"\#(String(repeating: "a", count: 4_097))"}"#, "invalid"),
      (#"{"adNetworkIdentifier":"a.skadnetwork","sourceIdentifier":"12","timestamp":"5"}"#, "impression"),
      (#"{"adNetworkIdentifier":"a.skadnetwork","sourceIdentifier":"many"}"#, "invalid"),
      (#"{"jws":"a.b.c","attribution_source_id":"4"}"#, "invalid"),
    ] as [(String, String?)])
  func ads(_ extras: String, _ name: String?) throws {
    let card = try Self.card(#"{"idString":"a","urlString":"https://shop.example/","extras":\#(extras)}"#)
    #expect(card.ad?.name == name, "\(extras)")
  }

  @Test("Parameters that cannot be used are named as in the card")
  func unusableParameters() throws {
    func reason(_ extras: String) throws -> String? {
      let card = try Self.card(#"{"idString":"a","urlString":"ftp:x","extras":\#(extras)}"#)
      guard case .invalid(let reason)? = card.ad else {
        let errors = ["destinationURL", "openedURL", "presentation"].map { InputError([$0], "wrong") }
        return card.refusal(errors).detail
      }
      return reason.detail
    }
    let range = "use an integer from 0 to 255"
    #expect(try reason(#"{"attribution_source_id":"300"}"#) == #"attribution_source_id is "300"; \#(range)"#)
    #expect(try reason(#"{"attribution_source_id":["4"]}"#) == #"attribution_source_id is ["4"]; \#(range)"#)
    #expect(try reason(#"{"attribution_destination":"x"}"#) == "extras has no attribution_source_id; \(range)")
    #expect(try reason(#"{"jws":{}}"#) == "extras: jws must be a string, a compact JSON Web Signature")
    #expect(try reason(#"{"attribution_source_id":4}"#) == "urlString: wrong; presentation: wrong")
    #expect(
      try reason(#"{"attribution_source_id":4,"attribution_destination":"x"}"#)
        == "attribution_destination: wrong; urlString: wrong; presentation: wrong")
  }

  @Test("An event attribution has the card's URL and the values of the extras")
  func eventAttribution() throws {
    let card = try Self.card(
      #"{"idString":"a","urlString":"https://shop.example/stand","extras":{"attribution_source_id":"4","attribution_destination":"https://shop.example","source_description":"d","purchaser":"p"}}"#
    )
    guard case .eventAttribution(let input)? = card.ad else {
      Issue.record("no event attribution")
      return
    }
    #expect(input.sourceIdentifier == 4 && input.destinationURL == "https://shop.example" && input.purchaser == "p")
    #expect(input.openedURL == "https://shop.example/stand" && input.sourceDescription == "d")
  }
}
