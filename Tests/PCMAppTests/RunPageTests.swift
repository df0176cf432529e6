import Foundation
import PCMCore
import PCMHTTP
import Testing

@testable import PCMApp
@testable import PCMPages
@testable import PCMScenario

/// The report of scenarios, in one file and with text from outside escaped.
@Suite struct RunPageTests {
  private static let start = Instant(milliseconds: 1_770_000_000_000)

  private static func timeline(_ text: String) -> TimelineView {
    let items: [HistoryItem] = [
      .init(kind: .click, id: "click-1", start: start, end: start + .days(7), title: text, row: 0),
      .init(kind: .attributed, id: "triggering-event-2", start: start + .hours(3), title: text, row: 1),
      .init(kind: .delivered, id: "report-4", start: start + .hours(30), title: text, row: 2),
    ]
    return TimelineView(
      lanes: [.init(title: text, items: items)], now: start + .hours(48), range: nil, width: 900, omitted: 0)
  }

  private static func page(_ text: String) -> RunSummary {
    let place = SourcePlace(line: 1, column: 1)
    let steps = [true, false].enumerated().map { index, passed in
      ScenarioResult.StepResult(number: index + 1, name: text, line: 1, passed: passed)
    }
    let mismatch = ScenarioResult.Mismatch(
      place: place, pointer: "", expected: .string(text), actual: .string(text), detail: text)
    let failure = ScenarioResult.Failure(step: 2, stepName: text, mismatches: [mismatch], explanation: [text, text])
    func played(_ failure: ScenarioResult.Failure?) -> Result<ScenarioResult, UnreadableScenario> {
      .success(ScenarioResult(name: text, rule: nil, seed: "text", steps: steps, failure: failure))
    }
    return RunSummary(files: [
      PlayedFile(path: "1.yaml", milliseconds: 0, result: played(nil), options: [], timeline: timeline(text)),
      PlayedFile(path: "2.yaml", milliseconds: 0, result: played(failure), options: [], timeline: timeline(text)),
      PlayedFile(path: "3.yaml", milliseconds: 0, result: .failure(UnreadableScenario(text)), options: [], timeline: nil),
    ])
  }

  @Test func theReportIsAsRecorded() throws {
    let file = URL(filePath: #filePath).appending(path: "../../../Fixtures/pages/run.html").standardized
    #expect(try String(contentsOf: file, encoding: .utf8) == Self.page("text").content.text + "\n")
  }

  @Test func failuresAreFirst() throws {
    let html = Self.page("text").html
    let places = try ["<code>2.yaml", "<code>3.yaml", "<code>1.yaml"].map { try #require(html.firstRange(of: $0)).lowerBound }
    #expect(places == places.sorted())
    #expect(html.contains("<title>Unreadable: 3 scenarios</title>"))
    #expect(RunSummary(files: []).html.contains("<title>Passed: 0 scenarios</title>"))
  }

  @Test(arguments: ["<script>alert(1)</script>", "\"><img src=x onerror=alert(1)>", "</style></pre></main>", "</a><a href=x>"])
  func textIsEscaped(_ text: String) {
    let (clean, html) = (Self.page("text").html, Self.page(text).html)
    #expect(html.count { $0 == "<" } == clean.count { $0 == "<" }, "\(html)")
    #expect(html.count { $0 == "\"" } == clean.count { $0 == "\"" }, "\(html)")
    #expect(!Self.page(text).content.text.contains(text))
  }

  /// The policy allows the style by its hash only, and a timeline contains no link that leads nowhere.
  @Test func theReportIsInOneFile() throws {
    let html = Self.page("text").html
    let style = try #require(html.firstMatch(of: /(?s)<style>(.*?)<\/style>/)?.1)
    #expect(html.contains("content=\"default-src 'none'; style-src 'sha256-\(PageHash.sha256(String(style)))'\""))
    for sign in ["http://", "https://", "<script", "src=", "url(", "@import", "<link", " style=", "<a ", "<button"] {
      #expect(!html.contains(sign), "\(sign)")
    }
  }
}
