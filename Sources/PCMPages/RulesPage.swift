package import PCMCore

/// The page of the rules. The checks of an explanation link to it.
package enum RulesPage {
  /// The path of the page.
  package static let path = "/rules"

  /// - Parameter topics: The rules of each decision in their order. A rule or a reason of several decisions is the target of links
  ///   where it is listed first.
  package static func html(_ topics: [(title: String, rules: [RuleHeading])]) -> String {
    var named: Set<String> = []
    let parts = topics.map { topic -> Markup in
      let rules = topic.rules.map { entry($0, &named) }
      return "<section class=\"topic\" id=\"\(anchor(topic.title))\"><h2>\(topic.title)</h2>\n\(rules)</section>"
    }
    let links = topics.map { topic -> Markup in
      "<li><a href=\"#\(anchor(topic.title))\">\(topic.title)</a> <span class=\"soft\">\(topic.rules.count)</span></li>"
    }
    return PageFrame(
      title: "Rules – pcm-browser", scripts: [.rules],
      content: """
        <h1>Rules</h1>
        <p class="lead">The rules of each decision in their order, with the reasons of their violations and what to change. The first rule that fails decides. An explanation shows the values that each rule read.</p>
        <div class="row card middle"><label>Filter by words <input id="words" type="search" autocomplete="off"></label>
        <span class="badge quiet" id="found" role="status">\(topics.reduce(0) { $0 + $1.rules.count }) rules</span></div>
        <details class="card contents" open><summary>Contents</summary><nav aria-label="Contents"><ul>
        \(links)
        </ul></nav></details>
        \(parts)
        """
    ).html.text
  }

  private static func anchor(_ title: String) -> String { "topic-\(title.lowercased().replacing(" ", with: "-"))" }

  private static func entry(_ rule: RuleHeading, _ named: inout Set<String>) -> Markup {
    let id = target(rule.name, &named)
    let values: Markup = rule.inputs.isEmpty ? "" : "<p class=\"soft mono\">\(rule.inputs.joined(separator: " · "))</p>"
    let reasons = rule.title.reasons.map { reason(of: rule, $0, &named) }
    let source: Markup = rule.title.origin.map { "<p class=\"soft\">\($0.text)</p>" } ?? ""
    return """
      <details class="rule"\(id)><summary>\(rule.name.ruleTitle) <code class="soft">\(rule.name)</code></summary>
      <p>\(rule.title.text)</p>\(values)\(reasons)\(source)</details>
      """
  }

  /// A reason that no rule has, and a check, have the name of their entry.
  private static func reason(of rule: RuleHeading, _ reason: RuleReason, _ named: inout Set<String>) -> Markup {
    guard let code = reason.code, code != rule.name else { return "<p>Change: \(reason.change).</p>" }
    return "<p\(target(code, &named))><code>\(code)</code> Change: \(reason.change).</p>"
  }

  private static func target(_ name: String, _ named: inout Set<String>) -> Markup {
    named.insert(name).inserted ? " id=\"\(name)\"" : ""
  }
}

extension String {
  /// The name of a rule as words: "Tap is verified".
  var ruleTitle: String {
    let words = split(separator: "-").map { Self.spellings[String($0)] ?? String($0) }
    let text = words.joined(separator: " ").replacing("Safari view controller", with: "SFSafariViewController")
    let isName = Self.spellings.values.contains { text.hasPrefix($0) }
    return isName ? text : text.titled
  }

  /// The words of rules that are not written in lower case.
  private static let spellings = [
    "http": "HTTP", "https": "HTTPS", "id": "ID", "ipad": "iPad", "iphone": "iPhone", "json": "JSON", "jws": "JWS",
    "p256": "P-256", "safari": "Safari", "tls": "TLS", "url": "URL", "uuid": "UUID",
  ]
}
