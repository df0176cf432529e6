import PCMCheck
import PCMCore

/// The rules without an examination.
struct RuleList {
  let rules: [CheckRule]

  var json: JSON { ["rules": .array(rules.map(\.json))] }

  /// A rule a line, or more where its title is long.
  var text: String {
    let column = rules.map(\.id.count).max() ?? 0
    let rows = rules.map { rule in
      let head =
        "\(rule.severity.rawValue.padding(to: 7))  \(rule.origin.rawValue.padding(to: 6))  "
        + "\(rule.id.padding(to: column))  "
      let lines = TerminalText.lines(rule.title, indent: head.count)
      return ([head + (lines.first ?? "").dropFirst(head.count)] + lines.dropFirst()).joined(separator: "\n")
    }
    return rows.joined(separator: "\n") + "\n"
  }
}
