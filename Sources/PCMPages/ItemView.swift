package import PCMCore

/// The selected item: its explanation as a checklist, and the request and the responses of a report or a postback.
package enum ItemView {
  /// - Parameters:
  ///   - explanation: The explanation as the API returns it.
  ///   - message: The request and the responses; empty for an item that is not a message.
  ///   - step: The step of a scenario that makes the item; nil when no call made it.
  package static func markup(_ explanation: JSON, message: Markup = .none, step call: String? = nil) -> Markup {
    let subject = explanation["subject"]?.text(of: "id") ?? ""
    return """
      <h2 tabindex="-1" data-subject="\(subject)">\(subject)</h2><p>\(explanation.text(of: "summary"))</p>
      \(message)<h3>Why</h3>
      \(explanation["steps"]?.items.map(step) ?? [])\(call.map(copied) ?? .none)
      """
  }

  private static func copied(_ step: String) -> Markup {
    """
    <h3>The call</h3><pre tabindex="0">\(step)</pre>
    <p class="row"><button type="button" data-copy>Copy as a scenario step</button></p>
    """
  }

  private static func step(_ step: JSON) -> Markup {
    let (title, rules) = (step.text(of: "id"), step["rules"]?.items ?? [])
    func list(_ verdict: String) -> [Markup] { rules.filter { $0.text(of: "verdict") == verdict }.map(rule) }
    func folded(_ verdict: String, _ words: String) -> Markup {
      let rules = list(verdict)
      return rules.isEmpty
        ? .none
        : """
        <details class="folded" data-key="\(title)-\(words)"><summary>\(rules.count) \(rules.count == 1 ? "rule" : "rules") \(words)</summary>
        <ol class="rules">\(rules)</ol></details>
        """
    }
    let failed = list("failed")
    return """
      <div class="step"><h4>\(title) <span class="badge quiet">\(step.text(of: "outcome"))</span>
      <time class="soft">\(step.text(of: "at").shownTime)</time></h4>\(seen(step["observed"]))
      \(failed.isEmpty ? .none : "<ol class=\"rules\">\(failed)</ol>")\
      \(folded("passed", "passed"))\(folded("not-reached", "not reached"))</div>
      """
  }

  /// The observation of the page.
  private static func seen(_ observed: JSON?) -> Markup {
    guard let observed, let provenance = try? Provenance(json: observed.bytes) else { return .none }
    return "<p class=\"soft\">Seen: \(provenance.words)</p>"
  }

  private static func rule(_ rule: JSON) -> Markup {
    let name = rule.text(of: "rule")
    let values = rule["saw"]?.parsed.members.map { "\($0.name): \($0.value.string ?? $0.value.text)" } ?? []
    let seen: Markup = values.isEmpty ? "" : "<p class=\"soft mono\">\(values.joined(separator: " · "))</p>"
    let why: Markup = rule["reason"]?["detail"]?.string.map { "<p>\($0)</p>" } ?? ""
    let remedy: Markup = rule["change"]?.string.map { "<p class=\"change\"><b>Smallest change:</b> \($0)</p>" } ?? ""
    return """
      <li><span>\(badge(rule.text(of: "verdict")))</span><div><b>\(name.ruleTitle)</b> \
      <a href="\(RulesPage.path)#\(name)"><code>\(name)</code></a>\(seen)\(why)\(remedy)</div></li>
      """
  }

  private static func badge(_ verdict: String) -> Markup {
    switch verdict {
    case "passed": "<span class=\"badge good\">✓ Passed</span>"
    case "failed": "<span class=\"badge bad\">✕ Failed</span>"
    default: "<span class=\"badge quiet\">– Not reached</span>"
    }
  }
}
