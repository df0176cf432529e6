import PCMCore
import PCMRules
import Testing

@testable import PCMApp

/// The output of `pcm-browser rules`.
@Suite struct RulesTests {
  @Test("The list has the name of each rule, and lines of at most 100 columns")
  func list() {
    let lines = RulesText(isColored: false).list(RuleCatalog.topics).split(separator: "\n")
    for rule in RuleCatalog.topics.flatMap(\.rules) { #expect(lines.contains("  \(rule.name)")) }
    #expect(lines.allSatisfy { $0.count <= TerminalText.width })
  }

  @Test("The details of a rule")
  func details() {
    let text = RulesText(isColored: false).details(RuleCatalog.topics(named: "same-site"))
    #expect(
      text == """
        Clicks on links

          destination-is-another-site
            requires  The destination is on another site than the page with the link.
            reads     sourceSite, destinationSite
            reason    same-site
            change    make attributiondestination another site than the page's
            origin    WebKit: HTMLAnchorElement.cpp

        """)
  }

  @Test(
    "An unknown name is an error with the nearest known name",
    arguments: [
      ("tap-is-verifed", "did you mean tap-is-verified?"), ("Same-Site", "did you mean same-site?"),
      ("lower-or-equal-prio", "did you mean lower-or-equal-priority?"),
      ("x", "pcm-browser rules lists all"),
    ])
  func unknown(_ name: String, _ end: String) {
    #expect(RulesCommand.unknown(name) == "no rule and no reason has the name \"\(name)\"; \(end)")
  }
}
