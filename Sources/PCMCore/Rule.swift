/// One condition of a decision. A decision is an ordered list of rules, and the first one that fails decides. The list is
/// data, so that an explanation uses the same rules as the decision.
package struct Rule<Subject>: Sendable {
  package let title: RuleTitle
  /// The values that the rule reads, with their names in explanations.
  package let inputs: [Input]
  /// Returns the violation, or nil when the subject passes.
  package let violation: @Sendable (Subject) -> Violation?

  package struct Input: Sendable {
    package let name: String
    package let value: @Sendable (Subject) -> JSON
  }

  package init(
    _ title: RuleTitle, inputs: KeyValuePairs<String, @Sendable (Subject) -> JSON>,
    _ violation: @escaping @Sendable (Subject) -> Violation?
  ) {
    self.title = title
    self.inputs = inputs.map { Input(name: $0.key, value: $0.value) }
    self.violation = violation
  }

  package init(
    _ name: String, _ text: String, _ section: ReferenceSection? = nil,
    inputs: KeyValuePairs<String, @Sendable (Subject) -> JSON>, _ violation: @escaping @Sendable (Subject) -> Violation?
  ) {
    self.init(RuleTitle(name, text, section), inputs: inputs, violation)
  }

  package var heading: RuleHeading { RuleHeading(title, inputs: inputs.map { $0.name }) }
}

/// The name of a rule, with what it requires.
package struct RuleTitle: Sendable {
  /// The rule's requirement, in kebab-case. Names are stable.
  package let name: String
  /// What the rule requires, in sentences. Empty for a rule that was read from the log.
  package let text: String
  /// The section of Apple's documentation on which a rule for ads for apps rests; nil for a rule of Private Click Measurement.
  package let section: ReferenceSection?

  package init(_ name: String, _ text: String, _ section: ReferenceSection? = nil) {
    self.name = name
    self.text = text
    self.section = section
  }
}

/// A section of the references on which the rules of the device rest.
package enum ReferenceSection: Sendable {
  case skAdNetwork(String)
  case adAttributionKit(String)
  case contentCards(String)
  case trackingConsent(String)

  /// Such as `SKAdNetwork, section 2.2`.
  package var text: String {
    switch self {
    case .skAdNetwork(let number): "SKAdNetwork, section \(number)"
    case .adAttributionKit(let number): "AdAttributionKit, section \(number)"
    case .contentCards(let number): "content cards, section \(number)"
    case .trackingConsent(let number): "Tracking consent, section \(number)"
    }
  }
}

/// Why a rule failed, or why something is missing, and what would prevent it.
package struct Violation: Error, Hashable {
  package let reason: Reason
  /// The smallest change that would make the rule pass, as an instruction.
  package let change: String
  /// The error that an app receives; nil if Apple's API reports none.
  package let appleError: AppleError?

  package init(_ code: String, _ detail: String, change: String, _ appleError: AppleError? = nil) {
    reason = Reason(code, detail)
    self.change = change
    self.appleError = appleError
  }
}

/// A reason for a decision of the browser: a stable code for programs and a sentence for people.
///
/// The codes are part of the API's contract; the sentences are not.
package struct Reason: Hashable, Codable, Sendable {
  package let code: String
  package let detail: String

  package init(_ code: String, _ detail: String) {
    self.code = code
    self.detail = detail
  }

  package var json: JSON { ["code": .string(code), "detail": .string(detail)] }
}

extension Reason: EventPart {
  package init(_ reason: Self?, _ members: inout EventMembers) throws {
    code = try members.required("code", reason?.code, .text)
    detail = try members.required("detail", reason?.detail, .text)
  }
}

/// The values that the rules of a decision read, and the rule that failed. The log stores it with the decision.
package struct RuleEvaluation: Hashable, Sendable {
  /// Every value that a rule read, once each, in the order of the rules.
  package private(set) var inputs: [JSON.Member] = []
  /// The rule that failed, and the change that would make it pass; nil when all rules passed.
  package private(set) var failed: FailedRule?
  /// All rules of the decision, including those after the failed one; nil when the evaluation is not recorded.
  package let rules: RuleList?

  package struct FailedRule: Hashable, Sendable {
    package let rule: String
    package let reason: Reason
    package let change: String
  }

  package init(of rules: RuleList? = nil) {
    self.rules = rules
    if rules != nil { inputs.reserveCapacity(16) }
  }

  /// Returns the violation of the first rule that fails.
  package mutating func firstViolation<Subject>(of rules: [Rule<Subject>], to subject: Subject) -> Violation? {
    for rule in rules {
      for input in rule.inputs where !inputs.contains(where: { $0.name == input.name }) {
        inputs.append(JSON.Member(input.name, input.value(subject)))
      }
      guard let violation = rule.violation(subject) else { continue }
      failed = FailedRule(rule: rule.title.name, reason: violation.reason, change: violation.change)
      return violation
    }
    return nil
  }
}
