import Foundation
import HTTPSupport
import HTTPTypes
import Testing

/// Content cards through the API: the answers, the list of an app, and feeds that no app can receive.
@Suite struct CardRouteTests {
  private static let cards = "/v1/devices/test/apps/com.example.news/cards"
  private static let ad = """
    {"idString":"stand","created":1795168800,"dismissible":true,"title":"<b>Stand</b>","urlString":"https://shop.example/stand",\
    "extras":{"class_type":"PCM_ad","attribution_source_id":"4","attribution_destination":"https://shop.example"}}
    """

  private static func feed(_ cards: String...) -> String { #"{"cards":[\#(cards.joined(separator: ","))]}"# }

  @Test func aClickLinksWhatTheCardCountedWithWhatAttributionMadeOfIt() async throws {
    try await API.test { api in
      let received = try await api.call(.put, Self.cards, Self.feed(Self.ad))
      #expect(
        received.text
          == #"{"bundleIdentifier":"com.example.news","at":"2026-11-20T10:00:00.000Z","shownCount":1,"droppedCount":0,"removedCount":0,"cards":[{"id":"card-2","idString":"stand","outcome":"shown","reasons":[]}]}"#
      )
      let click = try await api.call(.post, "\(Self.cards)/stand/clicks", #"{"tapVerified":false}"#)
      #expect(click.status == 200)
      #expect(try click.member("outcome") == "counted" && click.member("openedURL") == "https://shop.example/stand")
      let attribution = try click.member("attribution", as: [String: Any].self)
      #expect(attribution["operation"] as? String == "event-attribution" && attribution["outcome"] as? String == "discarded")
      #expect(attribution["id"] as? String == "click-3")
      let explanation = try await api.call(.get, "/v1/devices/test/explain?about=card-2")
      let failure = try explanation.member("firstFailure", as: [String: Any].self)
      #expect(failure["rule"] as? String == "tap-is-verified" && failure["id"] as? String == "click-3")
      let items = try await api.items(Self.cards)
      let card = try #require(items.first)
      #expect(card["classType"] as? String == "pcm_ad" && card["ad"] as? String == "event-attribution")
      #expect((card["metadata"] as? [String: Any])?["title"] as? String == "<b>Stand</b>")
      #expect((card["analytics"] as? [String: Any])?["clicks"] as? Int == 1)
    }
  }

  /// The guide's use cases: a tile in a feed, a message center with a full page and a web view, and a card with a discount.
  @Test func theGuidesUseCasesHaveTheirKeys() async throws {
    try await API.test { api in
      let feed = try Data(contentsOf: API.fixtures.appendingPathComponent("device/cards/guide.json"))
      let received = try await api.call(.put, Self.cards, bytes: Array(feed), type: "application/json")
      #expect(try received.member("shownCount", as: Int.self) == 4)
      let maps = try await api.items(Self.cards).compactMap { $0["metadata"] as? [String: Any] }
      let names = [
        "idString", "created", "class_type", "dismissible", "extras", "urlString", "title", "cardDescription", "image",
      ]
      #expect(maps.allSatisfy { Set($0.keys) == Set(names) })
      #expect(
        maps.map { ($0["extras"] as? [String: Any])?.keys.sorted() ?? [] } == [
          ["class_type", "tile_deeplink", "tile_id", "tile_title"], ["class_type", "message_header"],
          ["class_type", "message_header", "message_title"], ["class_type", "discount_percentage"],
        ])
      #expect(maps.map { $0["title"] as? String } == [nil, "Desks", "Terms", "10 percent off"])
      #expect(maps.map { $0["cardDescription"] as? String } == [nil, "Our new desks", "<p>Terms</p>", "At the checkout"])
      #expect(maps.last?["dismissible"] as? Bool == false)
      for (id, action) in [("tile", "clicks"), ("full-page", "clicks"), ("web-view", "dismissals"), ("offer", "impressions")] {
        let answer = try await api.call(.post, "\(Self.cards)/\(id)/\(action)")
        #expect(try answer.member("outcome") == "counted" && answer.object["attribution"] is NSNull, "\(id): \(answer.text)")
      }
    }
  }

  @Test func theListHasPages() async throws {
    try await API.test { api in
      let cards = (1...5).map { #"{"idString":"\#($0)"}"# }.joined(separator: ",")
      try await api.call(.put, Self.cards, #"{"cards":[\#(cards)]}"#)
      let items = try await api.items("\(Self.cards)?limit=2")
      #expect(items.compactMap { $0["idString"] as? String } == ["1", "2", "3", "4", "5"])
      #expect(items.allSatisfy { $0["outcome"] as? String == "dropped" && $0["metadata"] is String == false })
    }
  }

  @Test func anIDMayHaveAnyCharacters() async throws {
    try await API.test { api in
      let card = #"{"idString":"a/b %41 é","created":1,"dismissible":true,"extras":{"class_type":"coupon_code"}}"#
      try await api.call(.put, Self.cards, Self.feed(card))
      let impression = try await api.call(.post, "\(Self.cards)/a%2Fb%20%2541%20%C3%A9/impressions")
      #expect(try impression.member("outcome") == "counted" && impression.member("idString") == "a/b %41 é")
      #expect(try await api.call(.post, "\(Self.cards)/a/impressions").status == 404)
    }
  }

  @Test func theAppInAPathHasNoPartOfACard() async throws {
    try await API.test { api in
      try await api.call(.put, Self.cards, Self.feed(#"{"idString":"x/cards/a","created":1}"#))
      let app = "/v1/devices/test/apps/com.example.news%2Fx"
      #expect(try await api.call(.post, "\(app)/cards/a/clicks").status == 404)
      #expect(try await api.call(.put, "\(app)/cards", Self.feed()).status == 404)
    }
  }

  /// Text that is markup, an attribute, a control character, a direction, or an address of a script.
  private static let hostile = #"</li><script>alert(1)</script>\" onclick=alert(1) ' & \u0007\u202e javascript:alert(1)"#

  @Test func hostileTextIsShownAsText() async throws {
    try await API.test { api in
      let names = [
        "idString", "title", "cardDescription", "image", "urlString", "unknown", "linkText",
      ]
      let texts = names.map { #""\#($0)":"\#(Self.hostile)""# }.joined(separator: ",")
      let extras = #""extras":{"class_type":"coupon_code","\#(Self.hostile)":"\#(Self.hostile)","jws":"\#(Self.hostile)"}"#
      let unknown = #"{"idString":"b","extras":{"class_type":"\#(Self.hostile)"}}"#
      let feed = Self.feed(#"{\#(texts),"created":1,"dismissible":true,\#(extras)}"#, unknown)
      let received = try await api.call(.put, Self.cards, feed)
      #expect(received.status == 200, "\(received.text)")
      let card = try #require(try await api.items(Self.cards).first)
      let name = try #require(card["idString"] as? String)
      let title = (card["metadata"] as? [String: Any])?["title"] as? String
      #expect(name.contains("<script>") && title == name, "an answer has the text as it is")
      let part = try await api.call(.get, "/browsers/test/cards").text
      #expect(part.contains("&lt;script&gt;") && part.contains("Dropped"))
      for sign in ["<script", "\" onclick", "\u{7}", "\u{202e}"] { #expect(!part.contains(sign), "\(sign) in \(part)") }
      let path = try #require(part.firstMatch(of: #/data-card="([^"]*clicks)"/#).map { String($0.1) })
      #expect(try await api.call(.post, path).member("outcome") == "counted")
      for path in ["log", "item?about=card-2", "timeline", "story"] {
        let view = try await api.call(.get, "/browsers/test/\(path)")
        #expect(view.status == 200 && !view.text.contains("<script"), "\(path)")
      }
    }
  }

  @Test(arguments: [
    (#"{"cards":[{"title":"\ud800"}]}"#, ["/cards/0"]), (#"{"cards":[{"id":"a"},{"a":{"b":1,"b":2}}]}"#, ["/cards/1/a/b"]),
    (#"{"cards":[5]}"#, ["/cards/0"]), (#"{"cards":{}}"#, ["/cards"]),
    (#"{"cards":[null]}"#, ["/cards/0"]), (#"{"cards":null}"#, ["/cards"]), (#"{}"#, ["/cards"]),
    (#"{"cards":[],"language":"kotlin"}"#, ["/language"]), (#"{"cards":[],"classTypes":[1]}"#, ["/classTypes/0"]),
    (#"{"cards":[],"classKey":5}"#, ["/classKey"]),
  ])
  func anErrorNamesThePlace(_ body: String, _ pointers: [String]) async throws {
    try await API.test { api in
      let answer = try await api.call(.put, Self.cards, body)
      #expect(answer.status == 422, "\(answer.text)")
      #expect(try answer.pointers == pointers, "\(answer.text)")
    }
  }

  @Test func aNoteOnACardDoesNotDropIt() async throws {
    try await API.test { api in
      let card = #"{"id":"a","created":1795168800250,"dismissible":true,"extras":{"class_type":"coupon_code"}}"#
      let answer = try await api.call(.put, Self.cards, Self.feed(card))
      #expect(answer.text.contains(#""outcome":"shown","reasons":[{"code":"card-time-in-milliseconds""#), "\(answer.text)")
      let item = try #require(try await api.items(Self.cards).first)
      #expect(item["outcome"] as? String == "shown" && (item["reasons"] as? [Any])?.count == 1)
      #expect((item["metadata"] as? [String: Any])?["created"] as? Int == 1_795_168_800)
      #expect(try await api.call(.get, "/v1/devices/test/explain?about=card-2").text.contains("shows it: created is"))
      #expect(try await api.call(.get, "/browsers/test/cards").text.contains("Shown"))
    }
  }

  @Test func aLargeOrDeepFeedIsRejected() async throws {
    try await API.test { api in
      let cards = (1...10_000).map { #"{"idString":"\#($0)"}"# }.joined(separator: ",")
      let answer = try await api.call(.put, Self.cards, #"{"cards":[\#(cards)]}"#)
      #expect(answer.status == 422)
      #expect(try answer.pointers == ["/cards"])
      let large = try await api.call(.put, Self.cards, String(repeating: " ", count: 1_048_577))
      #expect(large.status == 413)
      for (levels, status) in [(10, 200), (20, 200), (100, 400)] {
        let extras = String(repeating: #"{"a":"#, count: levels) + "1" + String(repeating: "}", count: levels)
        let nested = try await api.call(.put, Self.cards, Self.feed(#"{"extras":\#(extras)}"#))
        #expect(nested.status == status, "\(levels): \(nested.text)")
      }
    }
  }

  @Test func aDeviceHasAtMostAThousandCards() async throws {
    try await API.test { api in
      let feed = #"{"cards":[\#((1...250).map { #"{"idString":"\#($0)"}"# }.joined(separator: ","))]}"#
      for number in 1...5 {
        let app = "/v1/devices/test/apps/com.example.app\(number)"
        try await api.call(.put, app, #"{"reportEndpoint":"https://news.example"}"#)
        #expect(try await api.call(.put, "\(app)/cards", feed).status == (number < 5 ? 200 : 409))
      }
    }
  }

  @Test func unknownAppsAndCardsAreNotFound() async throws {
    try await API.test { api in
      let other = "/v1/devices/test/apps/com.example.none/cards"
      for path in [other, Self.cards] {
        let click = try await api.call(.post, "\(path)/a/clicks", "{}")
        #expect(click.status == 404)
      }
      let feed = try await api.call(.put, other, Self.feed())
      #expect(feed.status == 404 && feed.text.contains("PUT …/apps/com.example.none registers it"), "\(feed.text)")
      #expect(try await api.call(.get, other).status == 404)
    }
  }
}
