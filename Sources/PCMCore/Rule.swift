/// One condition of a decision. A decision is an ordered list of rules; the first that objects decides. Keeping the
/// list as data lets an explanation walk the very rules that decided.
package struct Rule<Subject, Refusal: RuleViolation>: Sendable {
  /// Stable kebab-case: what the rule asks for.
  package let name: String
  /// The values that the rule looks at, under the names by which an explanation shows them.
  package let sights: [Sight]
  /// The refusal, or nil when the subject passes.
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

/// Why a rule objected, and what would have satisfied it.
package protocol RuleViolation: Sendable {
  var reason: Reason { get }
  /// The smallest change that would have made the rule pass, as a sentence that says what to do.
  var change: String { get }
}

/// What a rule is called and what it looks at, without the code that decides: an explanation's table of contents.
package struct RuleHeading: Hashable, Sendable {
  package let name: String
  package let sees: [String]

  package init(name: String, sees: [String]) {
    self.name = name
    self.sees = sees
  }
}

/// What a decision saw on its way through its rules, and where it ended. The log keeps it with the decision.
package struct RuleEvaluation: Hashable, Sendable {
  /// Every value that a rule looked at, each once, in the order of the rules.
  package private(set) var seen: [JSON.Member] = []
  /// The rule that objected, and the change that would have satisfied it; nil when all passed.
  package private(set) var failed: Failure?
  /// All rules of the decision, those after the one that objected included; nil when the evaluation is not recorded.
  package let rules: RuleList?

  package struct Failure: Hashable, Sendable {
    package let rule: String
    package let reason: Reason
    package let change: String
  }

  package init(of rules: RuleList? = nil) {
    self.rules = rules
  }

  /// The objection of the first rule that has one.
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
