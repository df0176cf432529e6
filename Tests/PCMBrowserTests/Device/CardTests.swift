import BrowserSupport
import PCMBrowser
import PCMCore
import PCMCrypto
import PCMDevice
import Testing

/// A card in an app: the app's counts, and the outcomes of attribution (content cards reference, sections B3 and B4).
@Suite struct CardTests {
  private static let app = Scene.app

  private static func card(_ id: String, _ extras: String, _ rest: String = "") -> String {
    #"{"idString":"\#(id)","created":1,"dismissible":true,"urlString":"https://shop.example/stand","extras":{"class_type":"pcm_ad"\#(extras.isEmpty ? "" : ",")\#(extras)}\#(rest)}"#
  }

  private static let ad = #""attribution_source_id":"4","attribution_destination":"https://shop.example""#

  private static func put(_ cards: [String], in browser: Browser, app: String = app) async throws -> CardFeedOutcome {
    try await browser.perform(CardFeedInput(json: Array(#"{"cards":[\#(cards.joined(separator: ","))]}"#.utf8)), on: app)
  }

  private static func click(
    _ id: String, in browser: Browser, _ change: (inout CardClickInput) -> Void = { _ in }
  ) async throws -> CardOutcome {
    var input = CardClickInput()
    change(&input)
    return try await browser.perform(input, on: "\(app)/\(id)")
  }

  @Test("A feed with any numbers is in the history")
  func history() async throws {
    let scene = try await Scene()
    let card = #"{"idString":"a","created":1.5,"dismissible":true,"extras":{"class_type":"pcm_ad","price":9.99,"n":1e300}}"#
    _ = try await Self.put([card], in: scene.browser)
    let feed = try #require(try await scene.browser.history().last?.action.value["cards"])
    #expect(feed.text.contains(#""created":1,"#) && feed.text.contains(#""price":"9.99","n":"1e300""#), "\(feed.text)")
  }

  @Test("A click opens the URL with the event attribution of the extras, and one transaction has both")
  func click() async throws {
    let scene = try await Scene()
    _ = try await Self.put([Self.card("a", Self.ad)], in: scene.browser)
    let outcome = try await Self.click("a", in: scene.browser)
    #expect(outcome.event.kind == .cardCounted && outcome.card.analytics.clicks == 1)
    let attribution = try #require(outcome.event.attribution)
    #expect(attribution.operation == "event-attribution" && attribution.outcome == "stored")
    let stored = try #require(try await scene.measurements().unattributed.first)
    #expect(attribution.record == RecordName.click(stored.id) && stored.click.sourceID == 4)
    #expect(try await scene.kinds() == [.appRegistered, .cardReceived, .clickStored, .cardCounted])
    let calls = try await scene.browser.history().map(\.action.name)
    #expect(calls == ["app", "cards", "card-click"], "the click is one call")
    let step = try await scene.browser.history().last?.action
    #expect(step?.value["bundleIdentifier"] == .string(Self.app) && step?.value["idString"] == "a")
  }

  @Test("A removed app has no cards when it is registered again")
  func removedApp() async throws {
    let scene = try await Scene()
    _ = try await Self.put([Self.card("a", "")], in: scene.browser)
    try await scene.browser.remove(app: Self.app)
    _ = try await scene.browser.register(
      Scene.manifest(of: Self.app, endpoint: "https://news.example", sites: scene.environment.sites))
    #expect(try await scene.browser.cards(of: Self.app, after: -1, limit: 10).cards.isEmpty)
  }

  /// The values of an ad as the extras of a card, which are texts.
  private static func extras(_ ad: ImpressionInput) -> String {
    ad.json.members.filter { $0.name != "bundleIdentifier" && $0.name != "handleView" }.map { member in
      "\(JSON.string(member.name).text):\(JSON.string(member.value.string ?? member.value.text).text)"
    }.joined(separator: ",")
  }

  @Test("The impression of a card starts the view of its ad, and the dismissal ends it")
  func view() async throws {
    let scene = try await DeviceScene()
    let card = Self.card("a", Self.extras(try scene.ad(fidelity: .viewThrough)))
    _ = try await Self.put([card], in: scene.browser)
    let shown = try await scene.browser.perform(CardImpressionInput(), on: "\(Self.app)/a")
    #expect(shown.event.attribution?.outcome == "started", "\(shown.json.text)")
    try await scene.scene.advance(.seconds(10))
    let again = try await scene.browser.perform(CardImpressionInput(), on: "\(Self.app)/a")
    #expect(again.event.kind == .cardCounted && again.event.attribution == nil, "the ad is displayed once")
    let ended = try await scene.browser.perform(CardDismissalInput(), on: "\(Self.app)/a")
    #expect(ended.event.attribution?.operation == "impression-end" && ended.event.attribution?.outcome == "recorded")
    #expect(try await scene.browser.impressions().kept.count == 1)
  }
}
