import PCMCore
import Testing

@testable import PCMPages

/// The views as they are recorded, with text from outside escaped.
@Suite struct PageViewTests {
  private static let hostile = "<script>alert(1)</script>\"'&"
  private static let start = Instant(milliseconds: 1_770_000_000_000)
  private static let time = "2026-02-02T02:40:00.000Z"

  private static func summary(_ name: String) -> BrowserSummary {
    BrowserSummary(
      [
        "name": .string(name), "storage": "durable", "clock": ["mode": "manual", "now": .string(time)],
        "labels": ["team": .string(name)],
      ], logEnd: 12)
  }

  private static func row(_ name: String) -> BrowserRow {
    BrowserRow(
      [
        "name": .string(name), "storage": "durable", "clock": ["mode": "manual", "now": .string(time)],
        "labels": ["team": .string(name)],
      ],
      counts: [
        .init("report", "failed", 0, isPartial: false), .init("report", "delivered", 100, isPartial: true),
        .init("click", "discarded", 1, isPartial: false),
      ], next: ("report", start), lastEvent: "click-stored")
  }

  private static func messages(_ text: String) -> String {
    let jws = [(["kid": .string(text)] as JSON).bytes, Array("{}".utf8)].map { Base64URL.encode($0) }.joined(separator: ".")
    let times = ["dns": "0.001000", "connect": "0.002500", "tls": "0.009000", "firstByte": "0.012000", "total": "0.012400"]
    let attempt: JSON = [
      "at": .string(time), "httpStatus": 400, "error": ["detail": .string(text)],
      "timings": .object(times.map { .init($0.key, .string("PT\($0.value)S")) }), "response": ["body": .string(text)],
    ]
    let message: JSON = [
      "id": "report-7", "recipient": "source", "url": .string("https://news.example/\(text)"), "dueAt": .string(time),
      "state": "failed", "body": ["jws-string": .string(jws), "text": .string(text)],
      "attempts": [.verbatim(attempt.text)],
    ]
    return MessageView.markup(message, head: "POST https://news.example/\(text)\naccept: */*").text
  }

  private static func cards(_ text: String) -> String {
    let extras = JSON.object([.init("class_type", "pcm_ad"), .init(text, .string(text))])
    let counts: JSON = ["impressions": 2, "clicks": 1]
    let shown: JSON = [
      "id": "card-2", "idString": .string(text), "reasons": [], "classType": "pcm_ad", "ad": "event-attribution",
      "metadata": ["title": .string(text), "cardDescription": .null, "image": .string(text), "extras": .verbatim(extras.text)],
      "analytics": counts,
    ]
    let dropped: JSON = [
      "id": "card-3", "idString": .null, "reasons": [["code": "card-class-unknown", "detail": .string(text)]],
      "classType": .null, "ad": .null, "metadata": .null, "analytics": counts,
    ]
    return CardsView.markup([(text, shown), (text, dropped)], of: text, hasMore: true).text
  }

  private static func tracking(_ text: String) -> String {
    let app: JSON = [
      "bundleIdentifier": .string(text), "status": 0, "statusName": "notDetermined", "promptDisplayed": .bool(true),
      "usageDescription": .string(text), "advertisingIdentifier": "00000000-0000-0000-0000-000000000000",
      "heldEvents": [["event": .string(text)]],
    ]
    let request: JSON = [
      "id": "sdk-request-9", "at": .string(time), "event": .string(text), "state": "failed", "url": .string(text),
      "body": ["event": .string(text)],
    ]
    return TrackingView.markup(apps: [app], requests: [request], of: "checkout").text
  }

  private static func apps(_ text: String) -> String {
    let finding: JSON = ["code": .string(text), "detail": .string(text)]
    return AppsView.markup([
      ["bundleIdentifier": .string(text), "reportEndpoint": .string(text), "findings": .array([finding])]
    ]).text
  }

  private static func network(_ text: String) -> String {
    let site: JSON = ["host": .string(text), "behavior": ["report": .string(text)]]
    let attachment: JSON = ["id": .string(text), "state": .string(text)]
    return NetworkView.markup(mode: "real", forwarded: [(text, text)], sites: [site], attachments: [attachment]).text
  }

  private static func explanation(_ text: String) -> String {
    func rule(_ name: String, _ verdict: String, _ saw: JSON, _ why: JSON) -> JSON {
      ["rule": .string(name), "verdict": .string(verdict), "saw": saw, "reason": ["detail": why], "change": why]
    }
    let rules = [
      rule("measurement-enabled", "passed", ["enabled": .bool(true)], .null),
      rule("tap-verified", "failed", ["text": .string(text)], .string(text)), rule("has-endpoint", "not-reached", .null, .null),
    ]
    let step: JSON = ["id": .string(text), "at": .string(time), "outcome": "discarded", "rules": .array(rules)]
    return ItemView.markup(["subject": ["id": .string(text)], "summary": .string(text), "steps": [step]], step: text).text
  }

  private static func log(_ text: String) -> String {
    let detail: JSON = ["clickId": "click-4", "sourceSite": .string(text), "reasons": [["code": .string(text)]]]
    let event: JSON = [
      "sequence": 4, "at": .string(time), "kind": "click-stored", "detail": .verbatim(detail.text),
    ]
    return LogView.markup([event], omitted: 2, isFiltered: false).text
  }

  private static func lane(_ title: String) -> TimelineView.Lane {
    TimelineView.Lane(
      title: title,
      items: [
        .init(kind: .click, id: "click-1", start: start, end: start + .hours(168), title: title, row: 0),
        .init(kind: .attributed, id: "triggering-event-2", start: start + .hours(3), title: title, row: 1),
        .init(kind: .unmatched, id: "triggering-event-6", start: start + .hours(9), title: title, row: 1),
        .init(kind: .rejected, id: "triggering-event-7", start: start + .hours(20), title: title, row: 1),
        .init(
          kind: .window, id: "report-4", start: start + .hours(27), end: start + .hours(51), title: title, row: 2,
          recipient: "source"),
        .init(kind: .delivered, id: "report-4", start: start + .hours(30), title: title, row: 2, recipient: "source"),
        .init(kind: .scheduled, id: "report-5", start: start + .hours(49), title: title, row: 3, recipient: title),
      ])
  }

  private static func deviceLane(_ title: String) -> TimelineView.Lane {
    TimelineView.Lane(
      title: title,
      items: [
        .init(kind: .ad, id: "impression-10", start: start, title: title, row: 0),
        .init(kind: .install, id: "install-11", start: start + .hours(1), title: title, row: 0),
        .init(kind: .conversion, id: "conversion-12", start: start + .hours(2), end: start + .hours(50), title: title, row: 1),
        .init(kind: .value, id: "conversion-12", start: start + .hours(3), title: title, row: 1),
        .init(kind: .delivered, id: "postback-13", start: start + .hours(80), title: title, row: 2, recipient: "ad network"),
        .init(
          kind: .delivered, id: "postback-14", start: start + .hours(80), title: title, row: 3, recipient: "developer",
          isCopy: true),
      ])
  }

  private static func rules(_ text: String) -> String {
    let reasons = [text, nil].map { RuleReason(code: $0.map { "not-\($0)" }, change: text) }
    let rule = RuleHeading(RuleTitle(text, text, .apple(text), reasons: reasons), inputs: [text])
    return RulesPage.html([(text, [rule]), (text, [rule])])
  }

  private static func charts(_ text: String) -> String {
    func series(_ tone: Chart.Tone, _ values: [Int64]) -> Chart.Series {
      Chart.Series(title: text, tone: tone, values: values)
    }
    return BrowserCharts.markup(
      [
        Chart(
          title: text, note: text, heading: text, categories: [text, text],
          series: [series(.good, [3, 0]), series(.bad, [1, 2])], expectation: (text, 2.5)),
        Chart(
          title: text, note: text, heading: text, categories: [text], series: [series(.info, [1_530])], unit: .microseconds),
        Chart(title: text, note: text, heading: text, categories: [], series: [series(.info, [])]),
      ], width: 900
    ).text
  }

  private static func timeline(_ lanes: [TimelineView.Lane], width: Int = 900) -> TimelineView {
    TimelineView(lanes: lanes, now: start + .hours(40), range: nil, width: width, omitted: 0)
  }

  @Test func theViewsAreAsRecorded() throws {
    let list = HomePage.list([Self.row("checkout")], after: 2, total: 3, size: 2, filter: "")
    try GoldenPage.expect(list.text, isAs: "browsers.html")
    try GoldenPage.expect(Self.summary("checkout").markup.text, isAs: "summary.html")
    try GoldenPage.expect(Self.timeline([Self.lane("news.example → shop.example")]).markup.text, isAs: "timeline.html")
    let device = Self.timeline([Self.deviceLane("example123.skadnetwork → com.example.game")])
    try GoldenPage.expect(device.markup.text, isAs: "timeline-device.html")
    try GoldenPage.expect(Self.charts("Delays"), isAs: "charts.html")
    try GoldenPage.expect(Self.rules("tap-is-verified"), isAs: "rules.html")
    try GoldenPage.expect(Self.messages("{}"), isAs: "message.html")
    try GoldenPage.expect(Self.cards("stand"), isAs: "cards.html")
    try GoldenPage.expect(Self.tracking("com.example.game"), isAs: "tracking.html")
    try GoldenPage.expect(Self.apps("com.example.news"), isAs: "apps.html")
    try GoldenPage.expect(Self.network("shop.example"), isAs: "network.html")
    try GoldenPage.expect(Self.explanation("click-4"), isAs: "item.html")
    try GoldenPage.expect(Self.log("news.example"), isAs: "log.html")
    try GoldenPage.expect(HomePage.html, isAs: "home.html")
    try GoldenPage.expect(BrowserPage(name: "checkout").html, isAs: "browser.html")
  }

  @Test func textFromOutsideIsEscaped() {
    func views(_ text: String) -> [String] {
      [
        Self.summary(text).markup.text, HomePage.list([Self.row(text)], total: 1, size: 50, filter: text).text,
        HomePage.list([], total: 0, size: 50, filter: text).text,
        Self.timeline([Self.lane(text)]).markup.text, Self.messages(text), Self.explanation(text), Self.log(text),
        BrowserPage(name: text).html, Self.rules(text), Self.timeline([Self.deviceLane(text)]).markup.text, Self.charts(text),
        Self.cards(text), Self.tracking(text), Self.apps(text), Self.network(text),
      ]
    }
    for (view, clean) in zip(views(Self.hostile), views("text")) {
      #expect(!view.contains("<script>"), "\(view)")
      #expect(view.count { $0 == "<" } == clean.count { $0 == "<" }, "\(view)")
      #expect(view.count { $0 == "\"" } == clean.count { $0 == "\"" }, "\(view)")
    }
  }

  @Test func theFailedRuleIsFirstAndOthersAreCollapsed() throws {
    let view = Self.explanation("click-4")
    let failed = try #require(view.firstRange(of: "✕ Failed"))
    for folded in ["<summary>1 rule passed</summary>", "<summary>1 rule not reached</summary>"] {
      #expect(failed.upperBound < (try #require(view.firstRange(of: folded))).lowerBound)
    }
    #expect(view.matches(of: /<details/).count == 2)
    #expect(!view.contains("<details open"))
  }

  @Test func aFilterWithoutAMatchSaysSo() {
    let browsers = HomePage.list([], total: 0, size: 50, filter: "nope").text
    #expect(browsers.contains("No name or label contains “nope”.") && browsers.contains("data-reset=\"browsers\""))
    #expect(HomePage.list([], total: 0, size: 50, filter: "").text.contains("Create one above"))
    #expect(LogView.markup([], omitted: 0, isFiltered: true).text.contains("No events match."))
    #expect(LogView.markup([], omitted: 0, isFiltered: false).text.contains("No events yet."))
    #expect(ReceivedView.markup([], hasMore: false, isFiltered: true).text.contains("No requests of this kind."))
    #expect(ReceivedView.markup([], hasMore: false, isFiltered: false).text.contains("No requests yet."))
  }

  @Test func theLanesOfMessagesHaveTheNamesOfTheirRecipients() {
    let names = [Self.timeline([Self.lane("destination"), Self.deviceLane("device")])].flatMap { timeline in
      timeline.markup.text.matches(of: #/class="recipient" x="4" y="[0-9]+">([^<]*)</#).map { String($0.1) }
    }
    #expect(names == ["source", "destination", "ad network", "developer"])
  }

  /// A step of an example sends a form of the page, so that it makes no calls of another kind.
  @Test func theStepsOfTheExamplesAreFormsOfThePage() {
    let page = BrowserPage(name: "x").html
    let steps = page.matches(of: #/<li data-form="([^"]*)"/#).map(\.1)
    #expect(steps.count == 10)
    for step in steps { #expect(page.contains("<form id=\"\(step)\" data-try")) }
    #expect(page.matches(of: /<li data-move="P/).count == 4)
  }

  @Test func noViewHasInlineScriptOrStyle() {
    for text in [
      HomePage.html, Self.rules("text"), BrowserPage(name: "x").html,
      Self.timeline([Self.lane("text")]).markup.text, Self.messages("text"),
      Self.charts("text"), Self.cards("text"), Self.tracking("text"), Self.apps("text"), Self.network("text"),
    ] {
      for sign in ["style=", "<style", "onclick", "onload", "javascript:", "http://", "<script>", "Markup("] {
        #expect(!text.contains(sign), "\(sign)")
      }
    }
  }

  @Test("The labels of the time do not overlap", arguments: [240, 304, 420, 584, 900, 1_300])
  func labels(_ width: Int) throws {
    for hours in stride(from: 6, through: 1_000, by: 7) as StrideThrough<Int64> {
      let end = Self.start + .hours(hours)
      let click = HistoryItem(kind: .click, id: "click-1", start: Self.start, end: end, title: "Click", row: 0)
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
    let clicks = (0..<1_000).map { number -> HistoryItem in
      .init(kind: .click, id: "click-\(number)", start: Self.start + .minutes(Int64(number)), title: "Click", row: 0)
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
