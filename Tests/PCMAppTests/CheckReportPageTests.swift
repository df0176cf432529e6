import PCMCore
import Testing

@testable import PCMApp
@testable import PCMEndpoint

/// The results of a check as a page.
@Suite struct CheckReportPageTests {
  private static func html(_ text: String, hidden: Int = 0) -> String {
    let exchange = CheckReport.Evidence(
      request: text, requestHeaders: [text], requestBody: text, answer: text, answerHeaders: [text], answerBody: text)
    let (failed, passed) = (rule("failed", text), rule("passed", text))
    let hidden = (0..<hidden).map { SampleCheckReport.finding(rule("hidden-\($0)", text), .notReached("failed")) }
    return SampleCheckReport.report(
      [SampleCheckReport.finding(failed, .failed(text), [exchange, exchange, exchange])] + hidden
        + [SampleCheckReport.finding(passed, .passed, [exchange])]
    ).html
  }

  private static func rule(_ id: String, _ text: String) -> CheckRule {
    CheckRule(id, text, .error, .apple("page"), fix: text)
  }

  @Test(arguments: ["<script>alert(1)</script>", "\"><img src=x onerror=alert(1)>", "a & b", "</pre></main>"])
  func textIsEscaped(_ text: String) {
    let (clean, html) = (Self.html("text", hidden: 1), Self.html(text, hidden: 1))
    #expect(html.count { $0 == "<" } == clean.count { $0 == "<" }, "\(html)")
    #expect(html.count { $0 == "\"" } == clean.count { $0 == "\"" }, "\(html)")
    #expect(!html.contains(text))
  }

  @Test func thePageLoadsNoExternalResources() {
    let html = Self.html("text", hidden: 1)
    for sign in ["<script", "src=", "url(", "@import", "<link", "unsafe-inline", " style=", "href=\"http"] {
      #expect(!html.contains(sign), "\(sign)")
    }
    #expect(html.contains("default-src 'none'; style-src 'sha256-"))
  }

  @Test func emptySectionsAreOmitted() {
    #expect(!Self.html("text").contains("<dt>Hides</dt>"))
    #expect(!Self.html("text").contains("not applicable"))
    let passed = SampleCheckReport.report([SampleCheckReport.finding(Self.rule("passed", "text"), .passed)])
    #expect(!passed.html.contains("What to fix first"))
  }

  @Test(arguments: [(1, false), (5, false), (6, true)])
  func moreThanFiveHiddenRulesAreCollapsed(_ count: Int, _ isFolded: Bool) {
    let html = Self.html("text", hidden: count)
    #expect(html.contains("<dt>Hides</dt>"))
    #expect(html.contains("<summary>\(count) rules that were not reached</summary>") == isFolded)
    for number in 0..<count { #expect(html.contains("<code>hidden-\(number)</code>")) }
  }

  /// Two exchanges are visible, and the others are collapsed. The table contains only exchanges of rules that need no fix.
  @Test func eachExchangeAppearsOnce() {
    let html = Self.html("text")
    #expect(html.matches(of: /<div class="exchange">/).count == 4)
    #expect(html.contains("<summary>1 more exchange</summary>"))
    #expect(html.contains("<summary>1 exchange</summary>"))
    #expect(html.contains(##"<a href="#fix-failed">"##))
    #expect(!html.contains(##"href="#fix-passed""##))
  }

  @Test(arguments: ["good", "bad", "doubtful", "quiet"])
  func eachToneHasColorsForLightAndDarkMode(_ name: String) throws {
    let html = Self.html("text")
    #expect(html.contains(".\(name) { --tone: var(--\(name)); --tint: var(--\(name)-ground) }"))
    // Once for light and once for dark.
    #expect(html.matches(of: try Regex("--\(name): #[0-9a-f]+")).count == 2)
  }
}
