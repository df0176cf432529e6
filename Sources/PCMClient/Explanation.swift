public import Foundation

/// Why something happened, or did not.
public struct Explanation: Hashable, Sendable, Decodable {
  /// What was asked about.
  public let subject: Subject
  /// The answer in a sentence.
  public let summary: String
  /// The first rule that said no, and what to change; nil when none did.
  public let firstFailure: Failure?
  /// What was decided, in order, with every rule.
  public let steps: [Step]
  /// What became of the subject afterwards.
  public let events: [Event]

  /// Something that can be asked about.
  public struct Subject: Hashable, Sendable, Decodable {
    /// What it is.
    public let kind: Kind
    /// Which one.
    public let id: String

    /// A click by its name, `click-12`; discarded ones have one too.
    public static func click(_ id: String) -> Subject { Subject(kind: .click, id: id) }
    /// A triggering event by the number of its log event.
    public static func triggeringEvent(_ sequence: Int) -> Subject { Subject(kind: .triggeringEvent, id: String(sequence)) }
    /// A report by its name, `report-16`.
    public static func report(_ id: String) -> Subject { Subject(kind: .report, id: id) }
    /// A destination by its host, `shop.example`: everything that might have led to a report to it.
    public static func destination(_ host: String) -> Subject { Subject(kind: .destination, id: host) }

    /// What can be asked about.
    public struct Kind: Term {
      /// The value as the service writes it.
      public let rawValue: String

      /// Any word, known or not.
      public init(rawValue: String) { self.rawValue = rawValue }

      /// A click.
      public static let click = Kind("click")
      /// A triggering event.
      public static let triggeringEvent = Kind("triggeringEvent")
      /// A report.
      public static let report = Kind("report")
      /// A destination.
      public static let destination = Kind("destination")
    }
  }

  /// The rule that decided.
  public struct Failure: Hashable, Sendable, Decodable {
    /// What kind of step it decided.
    public let step: Subject.Kind
    /// Which one.
    public let id: String
    /// The rule.
    public let rule: String
    /// Why it failed.
    public let reason: Reason?
    /// What to do differently.
    public let change: String?
  }

  /// One decision.
  public struct Step: Hashable, Sendable, Decodable {
    /// What was decided about.
    public let step: Subject.Kind
    /// Which one.
    public let id: String
    /// When, on the browser's clock.
    public let at: Date
    /// What was decided: `discarded`, `attributed`…
    public let outcome: String
    /// The rules, in the order in which they are asked.
    public let rules: [RuleResult]
  }

  /// What one rule said.
  public struct RuleResult: Hashable, Sendable, Decodable {
    /// The rule.
    public let rule: String
    /// What it said.
    public let verdict: Verdict
    /// What it looked at; nil when it was not reached.
    public let saw: JSONValue?
    /// Why it failed.
    public let reason: Reason?
    /// What to do differently.
    public let change: String?

    /// What a rule can say.
    public struct Verdict: Term {
      /// The value as the service writes it.
      public let rawValue: String

      /// Any word, known or not.
      public init(rawValue: String) { self.rawValue = rawValue }

      /// Go on.
      public static let passed = Verdict("passed")
      /// It ends here.
      public static let failed = Verdict("failed")
      /// An earlier rule has ended it.
      public static let notReached = Verdict("notReached")
    }
  }
}

extension Explanation: CustomStringConvertible {
  /// For a failure message: the summary; every step with its rules, of which those that failed say what they saw and
  /// what to change; then what happened afterwards. `steps` has more.
  public var description: String {
    var lines = [summary]
    for step in steps {
      lines.append("\(step.step) \(step.id) at \(step.at.wire): \(step.outcome)")
      lines += step.lines.map { "  \($0)" }
    }
    // A destination's events are those that the steps have told of already.
    let later = subject.kind == .destination ? [] : events
    if !later.isEmpty { lines.append("afterwards:") }
    return (lines + later.map { "  \($0)" }).joined(separator: "\n")
  }
}

extension Explanation.Step {
  /// Rules that have nothing to tell share a line.
  fileprivate var lines: [String] {
    var lines: [String] = []
    var previous: Explanation.RuleResult.Verdict?
    for result in rules {
      if result.verdict == previous, result.isPlain {
        lines[lines.endIndex - 1] += ", \(result.rule)"
      } else {
        lines += result.lines
      }
      previous = result.isPlain ? result.verdict : nil
    }
    return lines
  }
}

extension Explanation.RuleResult {
  fileprivate var isPlain: Bool { verdict == .passed || verdict == .notReached }

  fileprivate var lines: [String] {
    switch verdict {
    case .passed: ["passed: \(rule)"]
    case .notReached: ["not reached: \(rule)"]
    default:
      ["\(verdict.rawValue.uppercased()): \(rule)" + (reason.map { ": \($0)" } ?? "")]
        + [saw.map { "  saw: \($0)" }, change.map { "  change: \($0)" }].compactMap { $0 }
    }
  }
}
