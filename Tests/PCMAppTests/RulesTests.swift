import PCMCore
import PCMEndpoint
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
    let text = RulesText(isColored: false).details(RuleCatalog.topics(named: "same-site"), of: "same-site")
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

  @Test("The code of a reason shows this reason alone, and the name of a rule shows all its reasons")
  func oneReason() {
    func reasons(_ name: String) -> [String] {
      RulesText(isColored: false).details(RuleCatalog.topics(named: name), of: name).split(separator: "\n")
        .filter { $0.contains("    reason ") }.map { String($0.dropFirst(14)) }
    }
    #expect(Set(reasons("tap-not-verified")) == ["tap-not-verified"])
    for rule in RuleCatalog.topics.flatMap(\.rules) {
      for code in rule.title.reasons.compactMap(\.code) where code != rule.name { #expect(Set(reasons(code)) == [code]) }
    }
  }

  @Test(
    "Words find rules, checks, and outcomes that contain all of them",
    arguments: [
      ("redirect", "pixel-redirects", true), ("certificate", "expired", true), ("tap verif", "tap-is-verified", false),
      ("TAP-NOT-VERIF", "tap-is-verified", false), ("opens controls UIEventAttribution xyz", nil, false),
    ] as [(String, String?, Bool)])
  func words(_ text: String, _ name: String?, _ hasOutcomes: Bool) {
    let words = text.split(separator: " ").map(String.init)
    let (topics, outcomes) = (RuleCatalog.topics(containing: words), EndpointOutcomes.topics(containing: words))
    let rules = RulesText(isColored: false)
    let output = rules.list(topics) + rules.outcomes(outcomes)
    #expect(topics.isEmpty == (name == nil))
    #expect(outcomes.isEmpty == !hasOutcomes)
    if let name { #expect(output.contains(name)) }
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
