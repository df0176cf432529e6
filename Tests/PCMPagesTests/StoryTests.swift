import PCMCore
import Testing

@testable import PCMPages

/// The answer and the story of a browser, from its events and records.
@Suite struct StoryTests {
  private static let start = Instant(milliseconds: 1_770_000_000_000)

  private static func event(_ sequence: Int64, _ kind: String, _ detail: JSON, hours: Int64 = 0) -> JSON {
    [
      "sequence": .number(sequence), "at": .string((start + .hours(hours)).text), "kind": .string(kind),
      "detail": .verbatim(detail.text),
    ]
  }

  private static let discarded = event(
    2, "click-discarded",
    [
      "via": "event-attribution", "destinationSite": "shop.example",
      "reasons": [["code": "tap-not-verified", "detail": "the tap was not verified"]],
    ])
  private static let stored = event(
    3, "click-stored",
    [
      "clickId": "click-3", "via": "event-attribution", "sourceSite": "news.example", "destinationSite": "shop.example",
      "sourceIdentifier": 4, "expiresAt": .string((start + .hours(168)).text), "reasons": [],
    ], hours: 1)

  private static func report(_ id: Int64, _ state: String, _ recipient: String = "source", error: String? = nil) -> JSON {
    let attempt: JSON = [
      "at": .string((start + .hours(30)).text), "httpStatus": error == nil ? 200 : 500,
      "error": error.map { ["code": "status", "detail": .string($0)] } ?? .null, "timings": ["total": "PT0.008400S"],
    ]
    return [
      "id": .string("report-\(id)"), "recipient": .string(recipient), "state": .string(state),
      "dueAt": .string((start + .hours(40)).text),
      "attempts": .array(state == "scheduled" ? [] : [.verbatim(attempt.text)]),
      "body": ["source_site": "news.example", "attributed_on_site": "shop.example", "source_id": 4, "trigger_data": 12],
    ]
  }

  private static func history(_ events: [JSON] = [], reports: [JSON] = []) -> BrowserHistory {
    var history = BrowserHistory()
    for event in events { history.add(event: event) }
    for report in reports { history.add(report: report) }
    return history
  }

  private static func answer(_ history: BrowserHistory, isManual: Bool = true) -> AnswerView {
    AnswerView(history, apps: [:], now: start + .hours(2), isManual: isManual)
  }

  /// The sentence without markup.
  private static func words(_ answer: AnswerView) -> String {
    answer.markup.text.replacing(#/<[^>]*>/#, with: "").split(whereSeparator: \.isWhitespace).joined(separator: " ")
  }

  @Test func theAnswerSaysTheStateOfEachHistory() {
    #expect(Self.words(Self.answer(Self.history())).hasPrefix("Nothing happened yet."))
    #expect(
      Self.words(Self.answer(Self.history([Self.stored])))
        == "1 click waits for a triggering event until 2026-02-09T02:40:00Z. Nothing is due.")
    #expect(
      Self.words(Self.answer(Self.history([Self.discarded])))
        == "1 click discarded: the tap was not verified. Nothing is due.")
    let failed = Self.report(8, "failed", "destination", error: "the endpoint answered 500")
    let all = Self.history([Self.discarded, Self.stored], reports: [Self.report(7, "delivered"), failed])
    #expect(
      Self.words(Self.answer(all))
        == "1 report failed: the endpoint answered 500. 1 report delivered. 1 click discarded: the tap was not verified. Nothing is due."
    )
    #expect(Self.answer(all).featured == "report-8")
    let waiting = Self.history([Self.stored], reports: [Self.report(7, "scheduled"), Self.report(8, "scheduled")])
    let next = "Next: Report to news.example is due in 1 d 14 h, at 2026-02-03T18:40:00Z, and 1 later."
    #expect(Self.words(Self.answer(waiting)) == "\(next) Go there")
    #expect(Self.words(Self.answer(waiting, isManual: false)) == next)
    #expect(Self.answer(waiting).featured == "report-8")
  }

  @Test func theStoryHasOneRowForEachItemInTheOrderOfTime() {
    let history = Self.history([Self.discarded, Self.stored], reports: [Self.report(7, "delivered")])
    func rows(_ view: Markup) -> [String] {
      view.text.matches(of: #/data-key="row-([^"]*)"/#).map { String($0.1) }
    }
    let whole = StoryView.markup(history, apps: [:], isMessages: false, containing: "")
    #expect(rows(whole) == ["click-2-0", "click-3-0", "report-7-2"])
    #expect(whole.text.contains("report-7 · source_id 4 · trigger_data 12 · 200 in 8 ms"))
    #expect(whole.text.contains("click-2 · tap-not-verified"))
    #expect(whole.text.matches(of: /<li class="date">/).count == 2)
    let reports = StoryView.markup(history, apps: [:], isMessages: true, containing: "")
    #expect(rows(reports) == ["report-7-2"] && reports.text.contains("href=\"#view=reports&amp;why=report-7\""))
    #expect(rows(StoryView.markup(history, apps: [:], isMessages: false, containing: "TAP-NOT")) == ["click-2-0"])
    let newest = StoryView.markup(history, apps: [:], isMessages: false, containing: "", most: 1)
    #expect(rows(newest) == ["report-7-2"] && newest.text.contains("2 earlier items match."))
    #expect(StoryView.markup(history, apps: [:], isMessages: false, containing: "nope").text.contains("Nothing matches."))
  }
}
