/// A decision as the log keeps it: its rules, what they saw and, if one failed, which one and what would have satisfied it.
package struct RecordedDecision: Hashable, Sendable, Decodable {
  /// The rules in their order; nil for a decision that was logged before decisions kept them.
  package let rules: RuleList.Reference?
  /// Every value that a rule looked at, each once.
  package let saw: [JSON.Member]
  /// The name of the rule that failed; nil when all passed.
  package let failed: String?
  /// The smallest change that would have satisfied it; nil when all passed.
  package let change: String?

  package init(rules: RuleList?, saw: [JSON.Member], failed: String? = nil, change: String? = nil) {
    self.rules = rules.map(RuleList.Reference.init)
    self.saw = saw
    self.failed = failed
    self.change = change
  }

  package init(_ evaluation: RuleEvaluation) {
    self.init(rules: evaluation.rules, saw: evaluation.seen, failed: evaluation.failed?.rule, change: evaluation.failed?.change)
  }

  package init(from decoder: any Decoder) throws {
    var members = try EventReader(decoder)
    rules = try members.optionalText("rules").map(RuleList.Reference.init(id:))
    saw = try members.json("saw").members
    failed = try members.optionalText("failed")
    change = try members.optionalText("change")
    try members.finish()
  }

  var json: JSON {
    var members: [JSON.Member] = []
    if let rules { members.append(.init("rules", .string(rules.id))) }
    members.append(.init("saw", .object(saw)))
    if let failed {
      members.append(.init("failed", .string(failed)))
      members.append(.init("change", .string(change)))
    }
    return .object(members)
  }
}
