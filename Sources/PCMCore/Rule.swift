/// One condition of a decision. A decision is an ordered list of rules; the first that objects decides. Keeping the
/// list as data lets an explanation walk the very rules that decided.
package struct Rule<Subject, Refusal>: Sendable {
  /// Stable kebab-case: what the rule asks for.
  package let name: String
  /// The refusal, or nil when the subject passes.
  package let objection: @Sendable (Subject) -> Refusal?

  package init(_ name: String, _ objection: @escaping @Sendable (Subject) -> Refusal?) {
    self.name = name
    self.objection = objection
  }
}

extension Collection {
  /// The objection of the first rule that has one.
  package func firstObjection<Subject, Refusal>(to subject: Subject) -> Refusal? where Element == Rule<Subject, Refusal> {
    for rule in self {
      if let refusal = rule.objection(subject) { return refusal }
    }
    return nil
  }
}
