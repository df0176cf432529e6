public import Foundation

/// An explanation of why something happened or did not happen.
///
/// ```swift
/// let tap = try await browser.open(ad, from: app, tapVerified: false)
/// let explanation = try await browser.explain(tap.subject)
/// #expect(explanation.firstFailure?.rule == "tap-is-verified")
/// print(explanation)
/// ```
public struct Explanation: Hashable, Sendable, Decodable {
  /// The explained subject.
  public let subject: Subject
  /// A summary in a sentence.
  public let summary: String
  /// The first failed rule with its remedy; nil when no rule failed.
  public let firstFailure: Failure?
  /// The decisions in order, with all rules.
  public let steps: [Step]
  /// The newest of the later events about the subject.
  public let events: [Event]
  /// The number before which the service considered no event about the subject; nil when it considered all.
  public let omittedBefore: Int?
  /// The number of decisions that `steps` lacks.
  public let omittedStepCount: Int

  /// A subject that the service can explain.
  public struct Subject: Hashable, Sendable, Decodable {
    /// The kind of subject.
    public let kind: Kind
    /// The identifier of the subject.
    public let id: String

    /// A click by its identifier, `click-12`. Discarded clicks also have one.
    public static func click(_ id: String) -> Subject { Subject(kind: .click, id: id) }
    /// A triggering event by its identifier, `triggering-event-13`.
    public static func triggeringEvent(_ id: String) -> Subject { Subject(kind: .triggeringEvent, id: id) }
    /// A report by its identifier, `report-16`.
    public static func report(_ id: String) -> Subject { Subject(kind: .report, id: id) }
    /// An ad of the device by its identifier, `impression-17`. Rejected ads also have one.
    public static func impression(_ id: String) -> Subject { Subject(kind: .impression, id: id) }
    /// An install by its identifier, `install-18`.
    public static func install(_ id: String) -> Subject { Subject(kind: .install, id: id) }
    /// A conversion by its identifier, `conversion-19`.
    public static func conversion(_ id: String) -> Subject { Subject(kind: .conversion, id: id) }
    /// A postback by its identifier, `postback-20`.
    public static func postback(_ id: String) -> Subject { Subject(kind: .postback, id: id) }
    /// A content card by its identifier, `card-21`.
    public static func card(_ id: String) -> Subject { Subject(kind: .card, id: id) }
    /// A request for permission to track by its identifier, `tracking-request-21`.
    public static func trackingRequest(_ id: String) -> Subject { Subject(kind: .trackingRequest, id: id) }
    /// A request of a measurement SDK by its identifier, `sdk-request-22`.
    public static func sdkRequest(_ id: String) -> Subject { Subject(kind: .sdkRequest, id: id) }
    /// A destination by its host, `shop.example`, with everything that can lead to a report to it.
    public static func destination(_ host: String) -> Subject { Subject(kind: .destination, id: host) }

    /// The kind of a subject.
    public struct Kind: Term {
      /// The string in the service's JSON.
      public let rawValue: String

      /// Creates a value from any string, known or not.
      public init(rawValue: String) { self.rawValue = rawValue }

      /// A click.
      public static let click = Kind("click")
      /// A triggering event.
      public static let triggeringEvent = Kind("triggering-event")
      /// A report.
      public static let report = Kind("report")
      /// A destination.
      public static let destination = Kind("destination")
      /// An ad of the device.
      public static let impression = Kind("impression")
      /// An install.
      public static let install = Kind("install")
      /// A conversion.
      public static let conversion = Kind("conversion")
      /// A reported conversion value, in a step.
      public static let conversionValue = Kind("conversion-value")
      /// A postback.
      public static let postback = Kind("postback")
      /// A content card.
      public static let card = Kind("card")
      /// A request for permission to track.
      public static let trackingRequest = Kind("tracking-request")
      /// A request of a measurement SDK.
      public static let sdkRequest = Kind("sdk-request")
    }
  }

  /// The rule that decided the outcome.
  public struct Failure: Hashable, Sendable, Decodable {
    /// The kind of the step.
    public let step: Subject.Kind
    /// The identifier of the step.
    public let id: String
    /// The name of the rule.
    public let rule: String
    /// Why the rule failed.
    public let reason: Reason?
    /// How to change the input.
    public let change: String?
  }

  /// A decision.
  public struct Step: Hashable, Sendable, Decodable {
    /// The kind of the subject.
    public let step: Subject.Kind
    /// The identifier of the subject.
    public let id: String
    /// The time on the browser's clock.
    public let at: Date
    /// The outcome: `discarded`, `attributed`…
    public let outcome: String
    /// The rules in the order of evaluation.
    public let rules: [RuleResult]
    /// The observation of the page; nil without one.
    public let observed: Provenance?
    /// The later state of a click, in a sentence; nil while it waits, and for other steps.
    public let later: String?
  }

  /// The result of a rule.
  public struct RuleResult: Hashable, Sendable, Decodable {
    /// The name of the rule.
    public let rule: String
    /// The verdict of the rule.
    public let verdict: Verdict
    /// The input of the rule; nil when it was not reached.
    public let saw: JSONValue?
    /// Why the rule failed.
    public let reason: Reason?
    /// How to change the input.
    public let change: String?

    /// The verdict of a rule.
    public struct Verdict: Term {
      /// The string in the service's JSON.
      public let rawValue: String

      /// Creates a value from any string, known or not.
      public init(rawValue: String) { self.rawValue = rawValue }

      /// The rule passed.
      public static let passed = Verdict("passed")
      /// The rule failed and ended the evaluation.
      public static let failed = Verdict("failed")
      /// An earlier rule ended the evaluation.
      public static let notReached = Verdict("not-reached")
    }
  }
}

extension Explanation: CustomStringConvertible {
  /// A description for failure messages: the summary; each step with its rules, where failed rules include their input and
  /// remedy; and the later events. `steps` contains more.
  public var description: String {
    var lines = [summary]
    if let omittedBefore { lines.append("Events about \(subject.id) before number \(omittedBefore) are omitted.") }
    for step in steps {
      lines.append("\(step.id) at \(step.at.wire): \(step.outcome)")
      if let observed = step.observed { lines.append("  seen: \(observed)") }
      if let later = step.later { lines.append("  later: \(later)") }
      lines += step.lines.map { "  \($0)" }
    }
    // The steps contain the events of a destination already.
    let later = subject.kind == .destination ? [] : events
    if !later.isEmpty { lines.append("afterwards:") }
    return (lines + later.map { "  \($0)" }).joined(separator: "\n")
  }
}

extension Explanation.Step {
  /// The lines of the step. Consecutive rules that passed, or were not reached, share a line.
  fileprivate var lines: [String] {
    var (lines, rest) = ([String](), rules[...])
    while let verdict = rest.first?.verdict {
      let run = rest.prefix { $0.verdict == verdict }
      switch verdict {
      case .passed: lines.append("\(run.count) \(run.count == 1 ? "rule" : "rules") passed")
      case .notReached: lines.append("not reached: \(run.map(\.rule).joined(separator: ", "))")
      default: lines += run.flatMap(\.details)
      }
      rest = rest.dropFirst(run.count)
    }
    return lines
  }
}

extension Explanation.RuleResult {
  fileprivate var details: [String] {
    ["\(verdict.rawValue.uppercased()): \(rule)" + (reason.map { ": \($0)" } ?? "")]
      + [saw.map { "  saw: \($0)" }, change.map { "  change: \($0)" }].compactMap { $0 }
  }
}
