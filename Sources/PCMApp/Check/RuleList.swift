import PCMCheck
import PCMCore

/// The rules without an examination.
struct RuleList {
  let rules: [CheckRule]

  var json: JSON { ["rules": .array(rules.map(\.json))] }

  /// Two lines a rule, or more where its title is long.
  var text: String {
    rules.flatMap { rule in
      ["\(rule.id) (\(rule.severity.rawValue); \(rule.origin.title))"] + TerminalText.lines(rule.title, indent: 4)
    }.joined(separator: "\n") + "\n"
  }
}
