/// An explanation as a checklist.
package struct ExplanationView: Hashable, Sendable {
  private let subject: String
  private let summary: String
  private let steps: [Step]

  package struct Step: Hashable, Sendable {
    fileprivate let title: String
    fileprivate let at: Int64
    fileprivate let outcome: String
    fileprivate let rules: [Rule]

    package init(title: String, at: Int64, outcome: String, rules: [Rule]) {
      self.title = title
      self.at = at
      self.outcome = outcome
      self.rules = rules
    }
  }

  package enum Verdict: Hashable, Sendable {
    case passed
    case failed
    case notReached
  }

  package struct Rule: Hashable, Sendable {
    fileprivate let name: String
    fileprivate let verdict: Verdict
    fileprivate let values: [String]
    fileprivate let reason: String
    fileprivate let change: String

    /// - Parameters:
    ///   - values: The observed values, each with its name.
    ///   - reason: Why the rule failed; empty otherwise.
    ///   - change: The smallest change that makes the rule pass; empty when there is none.
    package init(name: String, verdict: Verdict, values: [String], reason: String, change: String) {
      self.name = name
      self.verdict = verdict
      self.values = values
      self.reason = reason
      self.change = change
    }
  }

  package init(subject: String, summary: String, steps: [Step]) {
    self.subject = subject
    self.summary = summary
    self.steps = steps
  }

  package var markup: Markup {
    "<h3>\(subject)</h3><p>\(summary)</p>\n\(steps.map(\.markup))"
  }
}

extension ExplanationView.Step {
  fileprivate var markup: Markup {
    """
    <div class="step"><h3>\(title) <span class="badge quiet">\(outcome)</span></h3>
    <time class="soft">\(PageTime(milliseconds: at).text) UTC</time>
    \(list(.failed))\(folded(.passed, "passed"))\(folded(.notReached, "not reached"))</div>
    """
  }

  private func list(_ verdict: ExplanationView.Verdict) -> Markup {
    let found = rules.filter { $0.verdict == verdict }
    return found.isEmpty ? .none : "<ol class=\"rules\">\(found.map(\.markup))</ol>"
  }

  private func folded(_ verdict: ExplanationView.Verdict, _ words: String) -> Markup {
    let count = rules.count { $0.verdict == verdict }
    guard count > 0 else { return .none }
    return """
      <details class="folded" data-key="\(title)-\(words)"><summary>\(count) \(count == 1 ? "rule" : "rules") \(words)</summary>
      \(list(verdict))</details>
      """
  }
}

extension ExplanationView.Rule {
  private var badge: Markup {
    switch verdict {
    case .passed: "<span class=\"badge good\">✓ Passed</span>"
    case .failed: "<span class=\"badge bad\">✕ Failed</span>"
    case .notReached: "<span class=\"badge quiet\">– Not reached</span>"
    }
  }

  fileprivate var markup: Markup {
    let link: Markup = "<a href=\"\(RulesPage.path)#\(name)\"><code>\(name)</code></a>"
    let seen: Markup = values.isEmpty ? "" : "<p class=\"soft mono\">\(values.joined(separator: " · "))</p>"
    let why: Markup = reason.isEmpty ? "" : "<p>\(reason)</p>"
    let remedy: Markup = change.isEmpty ? "" : "<p class=\"change\"><b>Smallest change:</b> \(change)</p>"
    return "<li><span>\(badge)</span><div><b>\(name.ruleTitle)</b> \(link)\(seen)\(why)\(remedy)</div></li>"
  }
}
