/// One condition of a decision. A decision is an ordered list of rules, and the first one that fails decides. The list is
/// data, so that an explanation uses the same rules as the decision.
package struct Rule<Subject, Refusal: RuleViolation>: Sendable {
  /// The rule's requirement, in kebab-case. Names are stable.
  package let name: String
  /// The values that the rule reads, by the names that an explanation shows.
  package let sights: [Sight]
  /// Returns the violation, or nil when the subject passes.
  package let violation: @Sendable (Subject) -> Refusal?

  package struct Sight: Sendable {
    package let name: String
    package let value: @Sendable (Subject) -> JSON
  }

  package init(
    _ name: String, sees sights: KeyValuePairs<String, @Sendable (Subject) -> JSON>,
    _ violation: @escaping @Sendable (Subject) -> Refusal?
  ) {
    self.name = name
    self.sights = sights.map { Sight(name: $0.key, value: $0.value) }
    self.violation = violation
  }

  package var heading: RuleHeading { RuleHeading(name: name, sees: sights.map(\.name)) }
}

/// Why a rule failed, and what would make it pass.
package protocol RuleViolation: Sendable {
  var reason: Reason { get }
  /// The smallest change that would make the rule pass, as an instruction.
  var change: String { get }
}

/// The name of a rule and the names of its values, without the code that decides.
package struct RuleHeading: Hashable, Sendable {
  package let name: String
  package let sees: [String]

  package init(name: String, sees: [String]) {
    self.name = name
    self.sees = sees
  }
}

/// The values that the rules of a decision read, and the rule that failed. The log stores it with the decision.
package struct RuleEvaluation: Hashable, Sendable {
  /// Every value that a rule read, once each, in the order of the rules.
  package private(set) var seen: [JSON.Member] = []
  /// The rule that failed, and the change that would make it pass; nil when all rules passed.
  package private(set) var failed: Failure?
  /// All rules of the decision, including those after the failed one; nil when the evaluation is not recorded.
  package let rules: RuleList?

  package struct Failure: Hashable, Sendable {
    package let rule: String
    package let reason: Reason
    package let change: String
  }

  package init(of rules: RuleList? = nil) {
    self.rules = rules
  }

  /// Returns the violation of the first rule that fails.
  package mutating func firstViolation<Subject, Refusal: RuleViolation>(
    of rules: [Rule<Subject, Refusal>], to subject: Subject
  ) -> Refusal? {
    for rule in rules {
      for sight in rule.sights where !seen.contains(where: { $0.name == sight.name }) {
        seen.append(JSON.Member(sight.name, sight.value(subject)))
      }
      guard let refusal = rule.violation(subject) else { continue }
      failed = Failure(rule: rule.name, reason: refusal.reason, change: refusal.change)
      return refusal
    }
    return nil
  }
}
