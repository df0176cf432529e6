import PCMPages
import Testing

/// The report endpoint's page and its parts, with text from outside escaped.
@Suite struct ReceiverViewTests {
  private static func received(_ text: String) -> ReceivedView {
    ReceivedView(
      [
        .init(
          number: 7, at: 1_770_000_000_000, kind: "report", verdict: "accepted", tone: .good, target: text,
          facts: [.init("Source token", text)], head: text, body: text,
          decoded: .init(header: text, payload: text))
      ], hasMore: true, isFiltered: false)
  }

  private static func faults(_ text: String) -> FaultsView { FaultsView([.init(title: "status", facts: [text, text])]) }

  @Test func theViewsAreAsRecorded() throws {
    try GoldenPage.expect(ReceiverPage(kinds: ["report", "postback"], faults: ["status"]).html, isAs: "receive.html")
    try GoldenPage.expect(Self.received("news.example/report").markup.text, isAs: "received.html")
    try GoldenPage.expect(Self.faults("on report").markup.text, isAs: "faults.html")
    try GoldenPage.expect(DocumentationPage.html, isAs: "docs.html")
  }

  @Test(arguments: ["<script>alert(1)</script>", "\"><img src=x onerror=alert(1)>", "</pre></details>"])
  func textFromOutsideIsEscaped(_ text: String) {
    for (view, clean) in [
      (Self.received(text).markup.text, Self.received("text").markup.text),
      (Self.faults(text).markup.text, Self.faults("text").markup.text),
    ] {
      #expect(view.count { $0 == "<" } == clean.count { $0 == "<" }, "\(view)")
      #expect(view.count { $0 == "\"" } == clean.count { $0 == "\"" }, "\(view)")
    }
  }
}
