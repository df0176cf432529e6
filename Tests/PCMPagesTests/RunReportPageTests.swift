import PCMPages
import Testing

/// The report of scenarios, in one file and with text from outside escaped.
@Suite struct RunReportPageTests {
  private static let start: Int64 = 1_770_000_000_000

  private static func timeline(_ text: String) -> TimelineView {
    let items: [TimelineView.Item] = [
      .init(.click, id: "click-1", start: start, end: start + 604_800_000, title: text, row: 0),
      .init(.attributed, id: "triggering-event-2", start: start + 10_800_000, title: text, row: 1),
      .init(.delivered, id: "report-4", start: start + 108_000_000, title: text, row: 2),
    ]
    return TimelineView(
      lanes: [.init(title: text, items: items)], now: start + 172_800_000, range: nil, width: 900, omitted: 0)
  }

  private static func page(_ text: String) -> RunReportPage {
    let steps = [RunReportPage.Step(name: text, passed: true), RunReportPage.Step(name: text, passed: false)]
    let failure = RunReportPage.Failure(
      step: text, mismatches: [.init(place: text, detail: text, expected: text, actual: text)], explanation: [text, text])
    return RunReportPage(files: [
      .init(path: "1.yaml", name: text, steps: steps, outcome: .passed, command: "", timeline: timeline(text)),
      .init(path: "2.yaml", name: text, steps: steps, outcome: .failed(failure), command: text, timeline: timeline(text)),
      .init(path: "3.yaml", name: "", steps: [], outcome: .unreadable([text]), command: "", timeline: nil),
    ])
  }

  @Test func theReportIsAsRecorded() throws {
    try GoldenPage.expect(Self.page("text").content.text, isAs: "run.html")
  }

  @Test func failuresAreFirst() throws {
    let html = Self.page("text").html { _ in "hash" }
    let places = try ["<code>2.yaml", "<code>3.yaml", "<code>1.yaml"].map { try #require(html.firstRange(of: $0)).lowerBound }
    #expect(places == places.sorted())
    #expect(html.contains("<title>Unreadable: 3 scenarios</title>"))
    #expect(RunReportPage(files: []).html { _ in "hash" }.contains("<title>Passed: 0 scenarios</title>"))
  }

  @Test(arguments: ["<script>alert(1)</script>", "\"><img src=x onerror=alert(1)>", "</style></pre></main>", "</a><a href=x>"])
  func textIsEscaped(_ text: String) {
    let (clean, html) = (Self.page("text").html { _ in "hash" }, Self.page(text).html { _ in "hash" })
    #expect(html.count { $0 == "<" } == clean.count { $0 == "<" }, "\(html)")
    #expect(html.count { $0 == "\"" } == clean.count { $0 == "\"" }, "\(html)")
    #expect(!Self.page(text).content.text.contains(text))
  }

  /// The policy allows the style by its hash only, and a timeline contains no link that leads nowhere.
  @Test func theReportIsInOneFile() {
    var hashed: [String] = []
    let html = Self.page("text").html { style in
      hashed.append(style)
      return "hash"
    }
    #expect(html.contains("content=\"default-src 'none'; style-src 'sha256-hash'\""))
    #expect(hashed.count == 1 && html.contains("<style>\(hashed[0])</style>"))
    for sign in ["http://", "https://", "<script", "src=", "url(", "@import", "<link", " style=", "<a ", "<button"] {
      #expect(!html.contains(sign), "\(sign)")
    }
  }
}
