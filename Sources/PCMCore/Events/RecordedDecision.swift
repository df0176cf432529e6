/// A decision in the log: its rules, their inputs, and the rule that failed, with the change that would make it pass.
package struct RecordedDecision: Hashable, EventPart {
  /// The rules in their order; nil for a decision without a list.
  package let rules: RuleList.Reference?
  /// Every value that a rule read, once each.
  package let inputs: [JSON.Member]
  /// The name of the rule that failed; nil when all rules passed.
  package let failed: String?
  /// The smallest change that would make it pass; nil when all rules passed.
  package var change: String? { remedy?.wrappedValue }
  private let remedy: Deferred?

  package init(rules: RuleList?, inputs: [JSON.Member], failed: String? = nil, change: String? = nil) {
    self.rules = rules.map(RuleList.Reference.init)
    self.inputs = inputs
    self.failed = failed
    remedy = change.map(Deferred.init(wrappedValue:))
  }

  package init(_ evaluation: RuleEvaluation) {
    rules = evaluation.rules.map(RuleList.Reference.init)
    (inputs, failed) = (evaluation.inputs, evaluation.failed?.rule)
    remedy = evaluation.failed?.violation.laterChange
  }

  package init(_ decision: Self?, _ members: inout EventMembers) throws {
    rules = try members.ifPresent("rules", decision?.rules?.id, .text).map(RuleList.Reference.init(id:))
    inputs = try members.required("saw", decision.map { .object($0.inputs) }, .json).members
    failed = try members.ifPresent("failed", decision?.failed, .text)
    remedy = failed == nil ? nil : try members.optional("change", decision?.change, .text).map(Deferred.init(wrappedValue:))
  }
}
