package import PCMCore

/// The page of the rules. The checks of an explanation link to it.
package enum RulesPage {
  /// The path of the page.
  package static let path = "/rules"

  /// - Parameter sections: The rules of each decision in their order. A rule that several decisions have is the target of links
  ///   where it is listed first.
  package static func html(_ sections: [(title: String, rules: [RuleHeading])]) -> String {
    var named: Set<String> = []
    let parts = sections.map { section -> Markup in
      let rules = section.rules.map { entry($0, isTarget: named.insert($0.name).inserted) }
      return "<section><h2>\(section.title)</h2>\n<dl class=\"catalog\">\n\(rules)\n</dl></section>"
    }
    return PageFrame(
      title: "Rules – pcm-browser",
      content: """
        <h1>Rules</h1>
        <p class="lead">The rules of each decision in their order. The first rule that fails decides. An explanation shows the values that each rule read.</p>
        \(parts)
        """
    ).html.text
  }

  private static func entry(_ rule: RuleHeading, isTarget: Bool) -> Markup {
    let id: Markup = isTarget ? " id=\"\(rule.name)\"" : ""
    let values: Markup = rule.inputs.isEmpty ? "" : "<p class=\"soft mono\">\(rule.inputs.joined(separator: " · "))</p>"
    let source: Markup = rule.title.section.map { "<p class=\"soft\">\($0.text)</p>" } ?? ""
    return """
      <dt\(id)>\(rule.name.ruleTitle) <code class="soft">\(rule.name)</code></dt><dd><p>\(rule.title.text)</p>\(values)\(source)</dd>
      """
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
