/// A decision in the log: its rules, their inputs, and the rule that failed, with the change that would make it pass.
package struct RecordedDecision: Hashable, Sendable, Decodable {
  /// The rules in their order; nil for a decision without a list.
  package let rules: RuleList.Reference?
  /// Every value that a rule read, once each.
  package let inputs: [JSON.Member]
  /// The name of the rule that failed; nil when all rules passed.
  package let failed: String?
  /// The smallest change that would make it pass; nil when all rules passed.
  package let change: String?

  package init(rules: RuleList?, inputs: [JSON.Member], failed: String? = nil, change: String? = nil) {
    self.rules = rules.map(RuleList.Reference.init)
    self.inputs = inputs
    self.failed = failed
    self.change = change
  }

  package init(_ evaluation: RuleEvaluation) {
    self.init(
      rules: evaluation.rules, inputs: evaluation.inputs, failed: evaluation.failed?.rule, change: evaluation.failed?.change)
  }

  package init(from decoder: any Decoder) throws {
    var members = try EventReader(decoder)
    rules = try members.optionalText("rules").map(RuleList.Reference.init(id:))
    inputs = try members.json("saw").members
    failed = try members.optionalText("failed")
    change = try members.optionalText("change")
    try members.finish()
  }

  var json: JSON {
    var members: [JSON.Member] = []
    if let rules { members.append(.init("rules", .string(rules.id))) }
    members.append(.init("saw", .object(inputs)))
    if let failed {
      members.append(.init("failed", .string(failed)))
      members.append(.init("change", .string(change)))
    }
    return .object(members)
  }
}
