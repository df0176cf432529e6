/// One condition of a decision. A decision is an ordered list of rules, and the first failing rule decides. The list is
/// data, so that an explanation uses the same rules as the decision.
///
/// ```swift
/// let rule = Rule<AppTap>(
///   "tap-is-verified", "The tap lands on a control that a UIEventAttributionView covers.", .apple("UIEventAttributionView"),
///   reasons: ["tap-not-verified": "cover the tapped control with a UIEventAttributionView"],
///   inputs: ["tapVerified": { .bool($0.input.tapVerified) }]
/// ) { tap in
///   tap.input.tapVerified ? nil : Violation("tap-not-verified", "the tap did not land on a covered control")
/// }
/// var evaluation = RuleEvaluation()
/// let violation = evaluation.firstViolation(of: [rule], to: tap)
/// assert(violation?.reason.code == evaluation.failed?.reason.code)
/// ```
///
/// It is a class, because a rule is large: a list of rules is read without copies.
@usableFromInline
package final class Rule<Subject>: Sendable {
  @usableFromInline package let title: RuleTitle
  /// The values that the rule reads, with their names in explanations.
  @usableFromInline package let inputs: [Input]
  /// Returns the violation, or nil when the subject passes.
  @usableFromInline package let violation: @Sendable (Subject) -> Violation?

  @usableFromInline
  package struct Input: Sendable {
    package let name: String
    package let value: @Sendable (Subject) -> JSON
  }

  /// Creates a rule. A violation without a change has the change of its title.
  package init(
    _ title: RuleTitle, inputs: KeyValuePairs<String, @Sendable (Subject) -> JSON>,
    _ violation: @escaping @Sendable (Subject) -> Violation?
  ) {
    self.title = title
    self.inputs = inputs.map { Input(name: $0.key, value: $0.value) }
    self.violation = { subject in
      guard let violation = violation(subject) else { return nil }
      return title.completed(violation)
    }
  }

  package convenience init(
    _ name: String, _ text: String, _ origin: RuleOrigin, reasons: KeyValuePairs<String, String>,
    inputs: KeyValuePairs<String, @Sendable (Subject) -> JSON>, _ violation: @escaping @Sendable (Subject) -> Violation?
  ) {
    self.init(RuleTitle(name, text, origin, reasons: reasons), inputs: inputs, violation)
  }

  package var heading: RuleHeading { RuleHeading(title, inputs: inputs.map { $0.name }) }
}

/// The requirement of a rule, its origin, and the reasons of its violations.
@usableFromInline
package struct RuleTitle: Sendable {
  /// The rule's requirement, in kebab-case. Names are stable.
  package let name: String
  /// The requirement in sentences. Empty for a rule from the log.
  package let text: String
  /// Nil for a rule that was read from the log.
  package let origin: RuleOrigin?
  package let reasons: [RuleReason]

  /// Creates the title of a rule.
  ///
  /// - Parameter reasons: The codes of its violations, each with the change that satisfies the rule. A violation may have a more
  ///   specific change.
  package init(_ name: String, _ text: String, _ origin: RuleOrigin, reasons: KeyValuePairs<String, String>) {
    self.init(name, text, origin, reasons: reasons.map { RuleReason(code: $0.key, change: $0.value) })
  }

  package init(_ name: String, _ text: String, _ origin: RuleOrigin?, reasons: [RuleReason]) {
    (self.name, self.text, self.origin, self.reasons) = (name, text, origin, reasons)
  }

  /// Creates the title of a reason without a rule: a note, or the end of a record.
  package init(reason code: String, _ text: String, _ origin: RuleOrigin, change: String) {
    self.init(code, text, origin, reasons: [RuleReason(code: code, change: change)])
  }

  /// Returns a violation with the change of its reason unless it has one.
  fileprivate func completed(_ violation: Violation) -> Violation {
    let reason = reasons.first { $0.code == violation.reason.code }
    assert(reason != nil, "\(name) has no reason \(violation.reason.code)")
    guard violation.laterChange.isEmpty, let reason else { return violation }
    return Violation(violation.reason, change: reason.change, violation.appleError)
  }
}

/// The code of a reason, and the change that prevents it.
package struct RuleReason: Hashable, Sendable {
  /// Nil for a rule whose failures have no code, such as a check.
  package let code: String?
  /// An instruction, as in a violation.
  package let change: String

  package init(code: String?, change: String) { (self.code, self.change) = (code, change) }
}

/// Where a rule comes from.
package struct RuleOrigin: Hashable, Sendable {
  package enum Kind: String, Hashable, Sendable, CaseIterable {
    /// Apple's documentation.
    case apple
    /// The sources of WebKit.
    case webkit
    /// The draft of Private Click Measurement, or a standard.
    case draft
    /// The documentation of another vendor.
    case vendor
    /// The behavior of a running WebKit.
    case measured
    /// Not established.
    case assumption
    /// A decision of this project.
    case ours

    /// The kind for display.
    package var title: String {
      switch self {
      case .apple: "Apple's documentation"
      case .webkit: "WebKit"
      case .draft: "draft or standard"
      case .vendor: "vendor's documentation"
      case .measured: "measured"
      case .assumption: "assumption"
      case .ours: "pcm-browser"
      }
    }
  }

  package let kind: Kind
  /// The title of the page, the name of the file, the section, or the reason.
  package let source: String

  package static func apple(_ page: String) -> Self { Self(kind: .apple, source: page) }
  package static func webkit(_ file: String) -> Self { Self(kind: .webkit, source: file) }
  package static func draft(_ section: String) -> Self { Self(kind: .draft, source: section) }
  package static func vendor(_ page: String) -> Self { Self(kind: .vendor, source: page) }
  package static func measured(_ what: String) -> Self { Self(kind: .measured, source: what) }
  package static func assumption(_ why: String) -> Self { Self(kind: .assumption, source: why) }
  package static func ours(_ why: String) -> Self { Self(kind: .ours, source: why) }

  /// The origin for display: `WebKit: HTMLAnchorElement.cpp`.
  package var text: String { "\(kind.title): \(source)" }
}

/// Why a rule failed, or why something is missing, and the remedy.
@usableFromInline
package struct Violation: Error, Hashable {
  private let parts: Boxed<Parts>

  package var reason: Reason { parts.value.reason }
  /// The smallest change that would make the rule pass, as an instruction.
  package var change: String { parts.value.change.wrappedValue }
  /// The change, which is written when it is read.
  var laterChange: Deferred { parts.value.change }
  /// The error that an app receives; nil if Apple's API reports none.
  package var appleError: AppleError? { parts.value.appleError }

  /// - Parameter change: Empty for the change of the rule that fails.
  package init(_ code: String, _ detail: String, change: String = "", _ appleError: AppleError? = nil) {
    self.init(Reason(code, detail), change: change, appleError)
  }

  /// Creates a violation that is frequent, and whose sentences are seldom read.
  ///
  /// - Parameter change: Nil for the change of the rule that fails.
  package init(
    _ code: String, later detail: @escaping @Sendable () -> String, change: (@Sendable () -> String)? = nil
  ) {
    let change = change.map(Deferred.init) ?? Deferred(wrappedValue: "")
    parts = Boxed(Parts(reason: Reason(code, later: detail), change: change, appleError: nil))
  }

  fileprivate init(_ reason: Reason, change: String, _ appleError: AppleError?) {
    parts = Boxed(Parts(reason: reason, change: Deferred(wrappedValue: change), appleError: appleError))
  }

  private struct Parts: Hashable, Sendable {
    let reason: Reason
    let change: Deferred
    let appleError: AppleError?
  }
}

/// A text that is written when it is read.
@propertyWrapper
package struct Deferred: Hashable, Codable, Sendable {
  private enum Content: Sendable {
    case text(String)
    case later(@Sendable () -> String)
  }

  private let content: Content

  package init(wrappedValue text: String) { content = .text(text) }
  init(_ text: @escaping @Sendable () -> String) { content = .later(text) }
  package init(from decoder: any Decoder) throws { self.init(wrappedValue: try String(from: decoder)) }

  package var projectedValue: Self { self }

  /// Whether the text is known to be empty.
  package var isEmpty: Bool {
    guard case .text(let text) = content else { return false }
    return text.isEmpty
  }

  package var wrappedValue: String {
    switch content {
    case .text(let text): text
    case .later(let text): text()
    }
  }

  package static func == (left: Self, right: Self) -> Bool { left.wrappedValue == right.wrappedValue }
  package func hash(into hasher: inout Hasher) { hasher.combine(wrappedValue) }
  package func encode(to encoder: any Encoder) throws { try wrappedValue.encode(to: encoder) }
}

/// A reason for a decision of the browser: a stable code for programs and a sentence for people.
///
/// The codes are part of the API's contract; the sentences are not.
package struct Reason: Hashable, Codable, Sendable {
  package let code: String
  @Deferred package var detail: String

  package init(_ code: String, _ detail: String) {
    self.code = code
    _detail = Deferred(wrappedValue: detail)
  }

  package init(_ code: String, later detail: @escaping @Sendable () -> String) {
    self.code = code
    _detail = Deferred(detail)
  }

  package var json: JSON { ["code": .string(code), "detail": .string(detail)] }
}

extension Reason: EventPart {
  package init(_ reason: Self?, _ members: inout EventMembers) throws {
    let code = try members.required("code", reason?.code, .text)
    self.init(code, try members.required("detail", reason?.detail, .text))
  }
}

/// The values that the rules of a decision read, and the rule that failed. The log stores it with the decision.
@usableFromInline
package struct RuleEvaluation: Hashable, Sendable {
  /// Every value that a rule read, once each, in the order of the rules.
  package private(set) var inputs: [JSON.Member] = []
  /// The rule that failed, and the change that would make it pass; nil when all rules passed.
  package private(set) var failed: FailedRule?
  /// All rules of the decision, including the rules after the failed rule; nil when the evaluation is not recorded.
  package let rules: RuleList?

  package struct FailedRule: Hashable, Sendable {
    package let rule: String
    package let violation: Violation

    package var reason: Reason { violation.reason }
    package var change: String { violation.change }
  }

  /// Whether the values that rules read are kept. Without an explanation of the rules that pass, they need no values.
  @usableFromInline let keepsInputs: Bool

  package init(of rules: RuleList? = nil, keepsInputs: Bool = true) {
    (self.rules, self.keepsInputs) = (rules, keepsInputs)
    if rules != nil, keepsInputs { inputs.reserveCapacity(16) }
  }

  /// Returns the violation of the first rule that fails.
  ///
  /// The compiler specializes an inlinable function for the subjects of other modules.
  @inlinable
  package mutating func firstViolation<Subject>(of rules: [Rule<Subject>], to subject: Subject) -> Violation? {
    for rule in rules {
      if keepsInputs { keep(rule.inputs, of: subject) }
      guard let violation = rule.violation(subject) else { continue }
      fail(rule.title, violation)
      return violation
    }
    return nil
  }

  @usableFromInline
  mutating func fail(_ rule: RuleTitle, _ violation: Violation) { failed = FailedRule(rule: rule.name, violation: violation) }

  @usableFromInline
  mutating func keep<Subject>(_ values: [Rule<Subject>.Input], of subject: Subject) {
    for input in values where !inputs.contains(where: { $0.name == input.name }) {
      inputs.append(JSON.Member(input.name, input.value(subject)))
    }
  }
}
