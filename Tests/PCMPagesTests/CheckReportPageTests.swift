import PCMPages
import Testing

@Suite struct CheckReportPageTests {
  private static func page(_ text: String, tone: CheckReportPage.Tone = .bad, hidden: [String] = []) -> CheckReportPage {
    let exchange = CheckReportPage.Exchange(request: text, requestBody: text, answer: text, answerBody: text)
    let rule = CheckReportPage.Rule(
      id: text, title: text, verdict: text, tone: tone, origin: text, seen: text, exchanges: [exchange, exchange, exchange])
    return CheckReportPage(
      head: CheckReportPage.Head(
        host: text, endpoint: text, facts: [text, text], grade: CheckReportPage.Grade(text, tone),
        counts: [CheckReportPage.Count(3, text, tone), CheckReportPage.Count(0, "empty count", .quiet)]),
      fixes: [CheckReportPage.Fix(rule, advice: text, hidden: hidden)],
      rules: [
        rule,
        CheckReportPage.Rule(
          id: "other", title: text, verdict: text, tone: .good, origin: text, seen: "", exchanges: [exchange]),
      ])
  }

  @Test(arguments: ["<script>alert(1)</script>", "\"><img src=x onerror=alert(1)>", "a & b", "</pre></main>"])
  func textIsEscaped(_ text: String) {
    let clean = Self.page("text", hidden: ["text"]).html { _ in "hash" }
    let html = Self.page(text, hidden: [text]).html { _ in "hash" }
    #expect(html.count { $0 == "<" } == clean.count { $0 == "<" }, "\(html)")
    #expect(html.count { $0 == "\"" } == clean.count { $0 == "\"" }, "\(html)")
    #expect(!html.contains(text))
  }

  @Test func thePageLoadsNoExternalResources() {
    let html = Self.page("text", hidden: ["text"]).html { _ in "hash" }
    for sign in ["http://", "https://", "<script", "src=", "url(", "@import", "<link", "unsafe-inline", " style="] {
      #expect(!html.contains(sign), "\(sign)")
    }
    #expect(html.contains("default-src 'none'"))
  }

  @Test func emptySectionsAreOmitted() {
    let html = Self.page("text").html { _ in "hash" }
    #expect(!html.contains("empty count"))
    #expect(!html.contains("<dt>Hides</dt>"))
    #expect(!CheckReportPage(head: Self.head, fixes: [], rules: []).html { _ in "hash" }.contains("What to fix first"))
  }

  @Test(arguments: [(1, false), (5, false), (6, true)])
  func moreThanFiveHiddenRulesAreCollapsed(_ count: Int, _ isFolded: Bool) {
    let html = Self.page("text", hidden: (1...count).map { "hidden-\($0)" }).html { _ in "hash" }
    #expect(html.contains("<dt>Hides</dt>"))
    #expect(html.contains("<summary>\(count) rules that were not reached</summary>") == isFolded)
    for number in 1...count { #expect(html.contains("<code>hidden-\(number)</code>")) }
  }

  private static let head = CheckReportPage.Head(
    host: "ads.example", endpoint: "ads.example", facts: [], grade: CheckReportPage.Grade("Pass", .good), counts: [])

  /// Two exchanges are visible, and the others are collapsed. The table contains only rules that need no fix.
  @Test func eachExchangeAppearsOnce() {
    let html = Self.page("text").html { _ in "hash" }
    #expect(html.matches(of: /<div class="exchange">/).count == 4)
    #expect(html.contains("<summary>1 more exchange</summary>"))
    #expect(html.contains("<summary>1 exchange</summary>"))
    #expect(html.contains(##"<a href="#fix-text">"##))
    #expect(!html.contains(##"href="#fix-other""##))
  }

  @Test(arguments: ["good", "bad", "doubtful", "quiet"])
  func eachToneHasColorsForLightAndDarkMode(_ name: String) throws {
    let tone = try #require(CheckReportPage.Tone(rawValue: name))
    let html = Self.page("text", tone: tone).html { _ in "hash" }
    #expect(html.contains("<span class=\"badge \(name)\">"))
    #expect(html.contains(".\(name) { --tone: var(--\(name)); --tint: var(--\(name)-ground) }"))
    // Once for light and once for dark.
    #expect(html.matches(of: try Regex("--\(name): #[0-9a-f]+")).count == 2)
  }
}
