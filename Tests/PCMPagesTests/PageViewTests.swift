import PCMPages
import Testing

/// The views as they are recorded, with text from outside escaped.
@Suite struct PageViewTests {
  private static let hostile = "<script>alert(1)</script>\"'&"
  private static let start: Int64 = 1_770_000_000_000
  private static let hour: Int64 = 3_600_000

  private static func summary(_ name: String) -> BrowserSummary {
    BrowserSummary(
      name: name, path: "/browsers/checkout", isManual: true, storage: "durable",
      labels: [.init("team=\(name)", path: "/#filter=team")], now: start,
      counts: [.init("Clicks", 3), .init("Delivered", 500, isPartial: true)], lastEvent: "click-stored", logEnd: 12)
  }

  private static func message(_ text: String) -> MessagesView.Message {
    let phases =
      [("DNS", 1_000), ("Connect", 2_500), ("TLS", 9_000), ("First byte", 12_000), ("Body", 12_400)] as [(String, Int64)]
    let attempt = MessagesView.Attempt(
      at: "2026-02-02T02:40:00.000Z", outcome: "Status 400", isDelivered: false,
      phases: phases.map { MessagesView.Phase($0.0, end: $0.1) }, response: text)
    return MessagesView.Message(
      id: "report-7", recipient: "Source", url: "https://news.example/\(text)", due: start, state: "failed",
      head: "POST https://news.example/\(text)\naccept: */*", body: text, decoded: .init(header: text, payload: text),
      attempts: [attempt])
  }

  private static func explanation(_ text: String) -> ExplanationView {
    ExplanationView(
      subject: text, summary: text,
      steps: [
        .init(
          title: text, at: start, outcome: "discarded",
          rules: [
            .init(name: "measurement-enabled", verdict: .passed, values: ["enabled: true"], reason: "", change: ""),
            .init(name: "tap-verified", verdict: .failed, values: [text], reason: text, change: text),
            .init(name: "has-endpoint", verdict: .notReached, values: [], reason: "", change: ""),
          ])
      ])
  }

  private static func entries(_ text: String) -> LogView {
    LogView(
      [.init(sequence: 4, at: start, kind: "click-stored", brief: text, detail: text, subjects: ["click-4"])], omitted: 2,
      isFiltered: false)
  }

  private static func lane(_ title: String) -> TimelineView.Lane {
    TimelineView.Lane(
      title: title,
      items: [
        .init(.click, id: "click-1", start: start, end: start + 168 * hour, title: title, row: 0),
        .init(.attributed, id: "triggering-event-2", start: start + 3 * hour, title: title, row: 1),
        .init(.unmatched, id: "triggering-event-6", start: start + 9 * hour, title: title, row: 1),
        .init(.rejected, id: "triggering-event-7", start: start + 20 * hour, title: title, row: 1),
        .init(
          .window, id: "report-4", start: start + 27 * hour, end: start + 51 * hour, title: title, row: 2,
          recipient: "source"),
        .init(.delivered, id: "report-4", start: start + 30 * hour, title: title, row: 2, recipient: "source"),
        .init(.scheduled, id: "report-5", start: start + 49 * hour, title: title, row: 3, recipient: title),
      ])
  }

  private static func deviceLane(_ title: String) -> TimelineView.Lane {
    TimelineView.Lane(
      title: title,
      items: [
        .init(.ad, id: "impression-10", start: start, title: title, row: 0),
        .init(.install, id: "install-11", start: start + hour, title: title, row: 0),
        .init(.conversion, id: "conversion-12", start: start + 2 * hour, end: start + 50 * hour, title: title, row: 1),
        .init(.value, id: "conversion-12", start: start + 3 * hour, title: title, row: 1),
        .init(.delivered, id: "postback-13", start: start + 80 * hour, title: title, row: 2, recipient: "ad network"),
        .init(
          .delivered, id: "postback-14", start: start + 80 * hour, title: title, row: 3, recipient: "developer", isCopy: true),
      ])
  }

  private static func rules(_ text: String) -> RulesPage {
    let rule = RulesPage.Rule(name: text, text: text, origin: text, inputs: [text])
    return RulesPage([.init(title: text, rules: [rule]), .init(title: text, rules: [rule])])
  }

  private static func charts(_ text: String) -> ChartsView {
    ChartsView(
      [
        Chart(
          title: text, note: text, heading: text, categories: [text, text],
          series: [.init(text, .good, [3, 0]), .init(text, .bad, [1, 2])], expectation: .init(text, 2.5)),
        Chart(
          title: text, note: text, heading: text, categories: [text], series: [.init(text, .info, [1_530])], unit: .microseconds
        ),
        Chart(title: text, note: text, heading: text, categories: [], series: [.init(text, .info, [])]),
      ], width: 900)
  }

  private static func timeline(_ lanes: [TimelineView.Lane], width: Int = 900) -> TimelineView {
    TimelineView(lanes: lanes, now: start + 40 * hour, range: nil, width: width, omitted: 0)
  }

  @Test func theViewsAreAsRecorded() throws {
    let list = BrowserList([BrowserCard(Self.summary("checkout"))], total: 3, filter: "")
    try GoldenPage.expect(list.markup.text, isAs: "browsers.html")
    try GoldenPage.expect(Self.summary("checkout").markup.text, isAs: "summary.html")
    try GoldenPage.expect(Self.timeline([Self.lane("news.example → shop.example")]).markup.text, isAs: "timeline.html")
    let device = Self.timeline([Self.deviceLane("example123.skadnetwork → com.example.game")])
    try GoldenPage.expect(device.markup.text, isAs: "timeline-device.html")
    try GoldenPage.expect(Self.charts("Delays").markup.text, isAs: "charts.html")
    try GoldenPage.expect(Self.rules("tap-is-verified").html, isAs: "rules.html")
    try GoldenPage.expect(MessagesView([Self.message("{}")]).markup.text, isAs: "messages.html")
    try GoldenPage.expect(Self.explanation("click-4").markup.text, isAs: "why.html")
    try GoldenPage.expect(Self.entries("news.example").markup.text, isAs: "log.html")
    try GoldenPage.expect(HomePage.html, isAs: "home.html")
    try GoldenPage.expect(
      BrowserPage(name: "checkout", path: "/browsers/checkout", apiPath: "/v1/browsers/checkout").html, isAs: "browser.html")
  }

  @Test func textFromOutsideIsEscaped() {
    func views(_ text: String) -> [String] {
      [
        BrowserList([BrowserCard(Self.summary(text))], total: 1, filter: text).markup.text,
        BrowserList([], total: 0, filter: text).markup.text, Self.timeline([Self.lane(text)]).markup.text,
        MessagesView([Self.message(text)]).markup.text, Self.explanation(text).markup.text, Self.entries(text).markup.text,
        BrowserPage(name: text, path: "/browsers/x", apiPath: "/v1/browsers/x").html, Self.rules(text).html,
        Self.timeline([Self.deviceLane(text)]).markup.text, Self.charts(text).markup.text,
      ]
    }
    for (view, clean) in zip(views(Self.hostile), views("text")) {
      #expect(!view.contains("<script>"), "\(view)")
      #expect(view.count { $0 == "<" } == clean.count { $0 == "<" }, "\(view)")
      #expect(view.count { $0 == "\"" } == clean.count { $0 == "\"" }, "\(view)")
    }
  }

  @Test func theFailedRuleIsFirstAndOthersAreCollapsed() throws {
    let view = Self.explanation("click-4").markup.text
    let failed = try #require(view.firstRange(of: "✕ Failed"))
    for folded in ["<summary>1 rule passed</summary>", "<summary>1 rule not reached</summary>"] {
      #expect(failed.upperBound < (try #require(view.firstRange(of: folded))).lowerBound)
    }
    #expect(view.matches(of: /<details/).count == 2)
    #expect(!view.contains("<details open"))
  }

  @Test func aFilterWithoutAMatchSaysSo() {
    let browsers = BrowserList([], total: 0, filter: "nope").markup.text
    #expect(browsers.contains("No name or label contains “nope”.") && browsers.contains("data-reset=\"browsers\""))
    #expect(BrowserList([], total: 0, filter: "").markup.text.contains("Create one above"))
    #expect(LogView([], omitted: 0, isFiltered: true).markup.text.contains("No events match."))
    #expect(LogView([], omitted: 0, isFiltered: false).markup.text.contains("No events yet."))
    #expect(ReceivedView([], hasMore: false, isFiltered: true).markup.text.contains("No requests of this kind."))
    #expect(ReceivedView([], hasMore: false, isFiltered: false).markup.text.contains("No requests yet."))
  }

  @Test func theLanesOfMessagesHaveTheNamesOfTheirRecipients() {
    let names = [Self.timeline([Self.lane("destination"), Self.deviceLane("device")])].flatMap { timeline in
      timeline.markup.text.matches(of: #/class="recipient" x="4" y="[0-9]+">([^<]*)</#).map { String($0.1) }
    }
    #expect(names == ["source", "destination", "ad network", "developer"])
  }

  /// A step of an example sends a form of the page, so that it makes no calls of another kind.
  @Test func theStepsOfTheExamplesAreFormsOfThePage() {
    let page = BrowserPage(name: "x", path: "/browsers/x", apiPath: "/v1/browsers/x").html
    let steps = page.matches(of: #/<li data-form="([^"]*)"/#).map(\.1)
    #expect(steps.count == 10)
    for step in steps { #expect(page.contains("<form id=\"\(step)\" data-try")) }
    #expect(page.matches(of: /<li data-move="P/).count == 4)
  }

  @Test func noViewHasInlineScriptOrStyle() {
    for text in [
      HomePage.html, Self.rules("text").html, BrowserPage(name: "x", path: "/browsers/x", apiPath: "/v1/browsers/x").html,
      Self.timeline([Self.lane("text")]).markup.text, MessagesView([Self.message("text")]).markup.text,
      Self.charts("text").markup.text,
    ] {
      for sign in ["style=", "<style", "onclick", "onload", "javascript:", "http://", "<script>", "Markup("] {
        #expect(!text.contains(sign), "\(sign)")
      }
    }
  }

  @Test("The labels of the time do not overlap", arguments: [240, 304, 420, 584, 900, 1_300])
  func labels(_ width: Int) throws {
    for hours in stride(from: 6, through: 1_000, by: 7) as StrideThrough<Int64> {
      let end = Self.start + hours * Self.hour
      let click = TimelineView.Item(.click, id: "click-1", start: Self.start, end: end, title: "Click", row: 0)
      let view = Self.timeline([TimelineView.Lane(title: "pair", items: [click])], width: width).markup.text
      let labels = view.matches(of: #/<text x="([0-9]+)" y="14" text-anchor="(start|end)">([^<]*)</#).map { label in
        // A character has at most 7.5 of the 12 pixels of its height.
        let (place, length) = (Double(label.1) ?? 0, 7.5 * Double(label.3.count))
        return label.2 == "start" ? place...(place + length) : (place - length)...place
      }
      #expect(!labels.isEmpty)
      for (label, next) in zip(labels, labels.dropFirst()) {
        #expect(label.upperBound <= next.lowerBound, "\(hours) hours: \(label) and \(next)")
      }
    }
  }

  /// A thousand pairs are twelve lanes, and a thousand clicks of a pair are at most one mark for every eight pixels.
  @Test func aTimelineOfManyItemsIsSummarized() {
    let many = (0..<1_000).map { Self.lane("news.example → shop\($0).example") }
    let lanes = Self.timeline(many).markup.text
    #expect(lanes.contains("989 more pairs"))
    #expect(lanes.utf8.count < 60_000)
    let clicks = (0..<1_000).map { number -> TimelineView.Item in
      .init(.click, id: "click-\(number)", start: Self.start + Int64(number) * 60_000, title: "Click", row: 0)
    }
    let crowded = Self.timeline([TimelineView.Lane(title: "pair", items: clicks)]).markup.text
    #expect(crowded.matches(of: /data-key="click-/).count <= 900 / 8 + 1)
  }

  @Test(arguments: [0, 360, 100_000])
  func theWidthIsLimited(_ width: Int) {
    let text = Self.timeline([Self.lane("pair")], width: width).markup.text
    #expect(text.contains("width=\"\(min(max(width, 240), 4_000))\""))
  }
}
