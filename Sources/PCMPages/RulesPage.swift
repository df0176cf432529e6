/// The page of the rules. The checks of an explanation link to it.
package struct RulesPage: Hashable, Sendable {
  /// The path of the page.
  package static let path = "/rules"

  private let sections: [Section]

  /// The rules of one decision, in their order.
  package struct Section: Hashable, Sendable {
    fileprivate let title: String
    fileprivate let rules: [Rule]

    package init(title: String, rules: [Rule]) {
      self.title = title
      self.rules = rules
    }
  }

  package struct Rule: Hashable, Sendable {
    fileprivate let name: String
    fileprivate let text: String
    fileprivate let origin: String
    fileprivate let inputs: [String]

    /// - Parameters:
    ///   - origin: The section of a reference; empty for none.
    ///   - inputs: The names of the values that the rule reads.
    package init(name: String, text: String, origin: String, inputs: [String]) {
      self.name = name
      self.text = text
      self.origin = origin
      self.inputs = inputs
    }
  }

  package init(_ sections: [Section]) {
    self.sections = sections
  }

  package var html: String { PageFrame(title: "Rules – pcm-browser", content: content).html.text }

  /// A rule that several decisions have is the target of links where it is listed first.
  private var content: Markup {
    var named: Set<String> = []
    let parts = sections.map { section -> Markup in
      let rules = section.rules.map { rule -> Markup in
        rule.markup(isTarget: named.insert(rule.name).inserted)
      }
      return "<section><h2>\(section.title)</h2>\n<dl class=\"catalog\">\n\(rules)\n</dl></section>"
    }
    return """
      <h1>Rules</h1>
      <p class="lead">The rules of each decision in their order. The first rule that fails decides. An explanation shows the values that each rule read.</p>
      \(parts)
      """
  }
}

extension RulesPage.Rule {
  fileprivate func markup(isTarget: Bool) -> Markup {
    let id: Markup = isTarget ? " id=\"\(name)\"" : ""
    let values: Markup = inputs.isEmpty ? "" : "<p class=\"soft mono\">\(inputs.joined(separator: " · "))</p>"
    let source: Markup = origin.isEmpty ? "" : "<p class=\"soft\">\(origin)</p>"
    return "<dt\(id)>\(name.ruleTitle) <code class=\"soft\">\(name)</code></dt><dd><p>\(text)</p>\(values)\(source)</dd>"
  }
}

extension String {
  /// The name of a rule as words: "Tap is verified".
  var ruleTitle: String {
    let words = split(separator: "-").map { Self.spellings[String($0)] ?? String($0) }
    let text = words.joined(separator: " ").replacing("Safari view controller", with: "SFSafariViewController")
    let isName = Self.spellings.values.contains { text.hasPrefix($0) }
    return isName ? text : text.prefix(1).uppercased() + text.dropFirst()
  }

  /// The words of rules that are not written in lower case.
  private static let spellings = [
    "http": "HTTP", "https": "HTTPS", "id": "ID", "ipad": "iPad", "iphone": "iPhone", "json": "JSON", "jws": "JWS",
    "p256": "P-256", "safari": "Safari", "tls": "TLS", "url": "URL", "uuid": "UUID",
  ]
}
