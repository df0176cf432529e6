import PCMCore
import Testing

@testable import PCMDevice

/// The spellings of a card's fields, its class, and an app's requirements (content cards reference, sections B1 and B2).
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

  @Test("An object of the REST API has the additions of the SDK's service")
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
      let fault = try Self.card(#"{"type":"CLASSIC","expire_at":"\#(expiry.text)"}"#).card.fault
      #expect((fault != nil) == isTooLong)
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

  @Test(
    "A class or a key that is nearly right is named",
    arguments: [
      (#""class_type":"pcm-ad""#, #"the app knows no class "pcm-ad"; did you mean "pcm_ad"?"#),
      (#""class_type":"hometile""#, #"the app knows no class "hometile"; did you mean "home_tile"?"#),
      (#""class_type":"other""#, #"the app knows no class "other""#),
      (#""classType":"pcm_ad""#, "the extras of the card have no class_type, and classType is another name"),
      (#""other":"pcm_ad""#, "the extras of the card have no class_type"),
    ])
  func nearestClass(_ extras: String, _ detail: String) throws {
    let card = try Self.card(#"{"idString":"a","created":1,"dismissible":true,"extras":{\#(extras)}}"#)
    var evaluation = RuleEvaluation()
    let found = evaluation.firstViolation(of: CardSituation.shownRules, to: CardSituation(card, at: Sample.now))
    #expect(found?.reason.detail == detail)
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
      (#"{"idString":"a","dismissed":true,\#(whole)}"#, "card-dismissed"),
      (#"{"idString":"a","isDismissed":true,"removed":false,\#(whole)}"#, "card-dismissed"),
      (#"{"idString":"a","dismissed":false,\#(whole)}"#, nil),
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
    "A card that cannot be read has a fault, and the other cards have none",
    arguments: [
      (#"{"id":"good"}"#, "the ID is also the ID of card 1 of the feed"),
      (#"{"idString":"a","id":"b"}"#, "id differs from idString"),
      (#"{"title":5}"#, "title must be a string, and is 5"), (#"{"type":"VIDEO"}"#, "\"VIDEO\" is not a type of card"),
      (#"{"type":5}"#, "type must be a string"), (#"{"type":"BANNER"}"#, "image_url is missing"),
      (#"{"type":"CLASSIC","time_to_live":2592001}"#, "time_to_live must be"),
      (#"{"type":"CLASSIC","time_to_live":9007199254740993}"#, "time_to_live must be"),
      (#"{"type":"CLASSIC","time_to_live":5,"expire_at":"2026-11-20T10:00:00Z"}"#, "expire_at or time_to_live, not both"),
      (#"{"expiresAt":1e300}"#, "expiresAt must be a number of seconds"), (#"{"extras":\#(deep)}"#, "more than 16 levels"),
      (#"{"expire_at":"soon"}"#, "expire_at must be"), (#"{"idString":""}"#, "the ID of the card has 0 bytes"),
      (#"{"idString":"rest-1"}"#, "rest-1 has the form of an ID"),
      (#"{"idString":"\#(String(repeating: "a", count: 256))"}"#, "the ID of the card has 256 bytes"),
      (#"{"isControl":"yes"}"#, "isControl must be true or false"), (#"{"pinned":1}"#, "pinned must be true or false"),
      (#"{"removed":0}"#, "removed must be"), (#"{"dismissed":0}"#, "dismissed must be"),
      (#"{"urlString":{}}"#, "urlString must be a string"), (#"{"image_url":[]}"#, "image_url must be a string"),
      (#"{"title":"\#(String(repeating: "a", count: 16_384))"}"#, "bytes; send at most 16384"),
    ])
  func faults(_ card: String, _ fault: String) throws {
    let (feed, errors) = try Self.read(#"{"idString":"good",\#(Self.whole)},\#(card)"#)
    #expect(errors.isEmpty && feed.items.count == 2 && feed.items[0].card.card.fault == nil)
    let unreadable = feed.items[1].card.received(as: 7, at: Sample.now)
    #expect(unreadable.fault?.contains(fault) == true, "\(unreadable.fault ?? "")")
    #expect(unreadable.idString != "good" && unreadable.title == nil)
    let feedCard = FeedCard(number: 7, bundleIdentifier: "a", place: 1, card: unreadable, classType: nil)
    #expect(Self.reason(feedCard) == "card-unreadable")
  }

  @Test("A member of any type is read, or is the fault of its card")
  func anyType() throws {
    let names = [
      "idString", "id", "created", "createdAt", "dismissible", "extras", "extra", "urlString", "url", "ios_uri", "title",
      "description", "image", "imageUrl", "image_url", "pinned", "viewed", "isRemoved", "isControl", "type", "expiresAt",
      "expire_at", "time_to_live", "dismissed", "ca", "e", "db", "tp", "unknown",
    ]
    let values = [
      "null", "true", "0", "-1", "1.5", "1e300", "\"\"", "\"x\"", "[]", "[[[[]]]]", "{}", #"{"a":{"b":null}}"#, "1e-400",
      "9223372036854775807", "-9223372036854775808", "1e19", "123456789012345678901234567890", "0.1", "-0", "1E5",
    ]
    for name in names {
      for value in values { _ = try Self.reason(Self.card(#"{"\#(name)":\#(value)}"#)) }
    }
  }

  @Test(
    "Each SDK and the server have their types of cards",
    arguments: [
      ("Classic", .classic), ("Captioned", .captionedImage), ("Banner", .banner), ("captioned_image", .captionedImage),
      ("short_news", .classic), ("text_announcement", .classic), ("banner_image", .banner), ("TEXT_ANNOUNCEMENT", .classic),
      ("ABKBannerContentCard", .banner), ("ImageOnly", .banner), ("ClassicCard", .classic),
    ] as [(String, ContentCard.Subtype)])
  func types(_ type: String, _ subtype: ContentCard.Subtype) throws {
    let card = try Self.card(#"{"id":"a","type":"\#(type)",\#(Self.whole)}"#)
    #expect(card.card.subtype == subtype && !card.card.isControl && Self.reason(card) == nil, "\(card.card.fault ?? "")")
    for control in ["Control", "control", "ControlCard", "CONTROL"] {
      #expect(try Self.reason(Self.card(#"{"id":"a","type":"\#(control)"}"#)) == "control-group")
    }
  }

  @Test("A card of the server has short names, and the SDK adds missing fields")
  func serverCard() throws {
    let extras = #"{"class_type":"home_tile"}"#
    let card = try Self.card(
      #"{"id":"a","tp":"captioned_image","ca":2,"ea":1900000000,"tt":"t","ds":"d","u":"https://a.example/","i":"i","p":true,"v":true,"r":false,"d":false,"db":true,"e":\#(extras)}"#
    ).card
    #expect(card.idString == "a" && card.created == 2 && card.isDismissible == true && card.extras == extras)
    #expect(card.url == "https://a.example/" && card.title == "t" && card.cardDescription == "d" && card.image == "i")
    #expect(card.isPinned && card.isViewed && !card.isRemoved && card.subtype == .captionedImage)
    #expect(card.expiresAt == Instant(milliseconds: 1_900_000_000_000))
    let shortest = try Self.card(#"{"id":"a","ca":2,"ea":-1,"e":\#(extras)}"#)
    #expect(Self.reason(shortest) == nil && shortest.card.isDismissible == false && shortest.card.expiresAt == nil)
    #expect(try Self.reason(Self.card(#"{"id":"a","ca":2,"r":true,"e":\#(extras)}"#)) == "card-dismissed")
    #expect(try Self.reason(Self.card(#"{"id":"a","created":2,"dismissible":true,"extras":\#(extras),"r":5}"#)) == nil)
  }

  @Test(
    "A time is in seconds with or without a fraction, in milliseconds with a note, or an ISO 8601 text",
    arguments: [
      ("1795168800", nil), ("1795168800.25", nil), ("1795168800250", "card-time-in-milliseconds"),
      ("1795168800250.5", "card-time-in-milliseconds"), (#""2026-11-20T10:00:00Z""#, nil),
      (#""2026-11-20T12:00:00.250+02:00""#, nil),
    ] as [(String, String?)])
  func times(_ time: String, _ note: String?) throws {
    for name in ["created", "createdAt", "ca"] {
      let card = try Self.card(#"{"id":"a","\#(name)":\#(time),"dismissible":true,"extras":{"class_type":"home_tile"}}"#)
      #expect(card.card.created == 1_795_168_800 && Self.reason(card) == nil)
      #expect(card.reasons(nil).map(\.code) == [note].compactMap { $0 })
    }
    for name in ["expiresAt", "expiredAt", "expire_at"] {
      let expiry = try Self.card(#"{"id":"a","\#(name)":\#(time),\#(Self.whole)}"#).card.expiresAt
      #expect(expiry.map { $0.milliseconds / 1_000 } == 1_795_168_800)
    }
  }

  @Test(
    "An app may have its key of the class",
    arguments: [
      ("", nil), (#","classKey":"location""#, "wallet"), (#","classKey":"location","classTypes":["home"]"#, nil),
      (#","classKey":"location","classTypes":["wallet"]"#, "wallet"), (#","classKey":"slot""#, nil),
    ] as [(String, String?)])
  func classKey(_ rest: String, _ known: String?) throws {
    let card = try Self.card(#"{"id":"a","created":1,"dismissible":true,"extras":{"location":"Wallet"}}"#, rest)
    #expect(card.classType?.lowercased() == known)
    #expect(Self.reason(card) == (known == nil ? "card-class-unknown" : nil))
  }

  @Test(
    "A misspelled parameter of an ad names the nearest one",
    arguments: [
      (#""atribution_source_id":"4""#, "attribution_source_id", true),
      (#""attributionSourceId":"4""#, "attribution_source_id", true),
      (#""attribution_source_id":"4","attribution_destinaton":"https://shop.example""#, "attribution_destination", false),
      (#""attribution_destination":"https://shop.example","attribution_sourceid":"4""#, "attribution_source_id", true),
      (#""JWS":"a.b.c""#, "jws", true),
    ])
  func misspelled(_ extras: String, _ name: String, _ isInvalid: Bool) throws {
    let card = try Self.card(#"{"id":"a","created":1,"dismissible":true,"extras":{"class_type":"pcm_ad",\#(extras)}}"#)
    #expect(Self.reason(card) == nil)
    let notes = card.reasons(nil)
    #expect(notes.map(\.code) == ["card-parameter-misspelled"] && notes[0].detail.hasSuffix("use \(name)"), "\(notes)")
    if case .invalid(let reason)? = card.ad {
      #expect(isInvalid && reason.detail.contains("use \(name)"), "\(reason)")
    } else {
      #expect(!isInvalid)
    }
    let other = try Self.card(#"{"id":"a","created":1,"dismissible":true,"extras":{"class_type":"home_tile",\#(extras)}}"#)
    #expect(other.reasons(nil).isEmpty)
  }

  @Test("A name that belongs to the app is no misspelled parameter")
  func otherNames() throws {
    let extras = #"{"class_type":"pcm_ad","attribution_source_id":"4","purchaser":"p","purchase":"x","tile_id":"1"}"#
    let card = try Self.card(#"{"id":"a","created":1,"dismissible":true,"extras":\#(extras)}"#)
    #expect(card.reasons(nil).isEmpty)
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
