package import PCMCore

/// An explanation of why something happened or did not: the decisions in order, each with its rules in order.
package struct Explanation: Hashable, Sendable {
  package let subject: Subject
  /// One or two sentences for people.
  package private(set) var summary: String
  /// The decisions in chronological order.
  package let steps: [Step]
  /// The first failed rule and its decision; nil when no rule failed.
  package let firstFailure: Failure?
  /// The newest log events about the subject after the decision.
  package let events: [LogEvent]
  /// The names by which the log finds these events: the subject's name, or the names of its reports.
  let eventSubjects: [String]
  /// The number before which no event about the subject was considered; nil when all were.
  package let omittedBefore: Int64?
  /// The number of decisions in the considered events that `steps` lacks.
  package let omittedStepCount: Int

  /// The subject of an explanation.
  package enum Subject: Hashable, Sendable {
    case record(RecordName.Kind, Int64)
    case destination(Site)
  }

  /// One decision.
  package struct Step: Hashable, Sendable {
    package enum Kind: String, Hashable, Sendable, CaseIterable {
      case click, report
      case triggeringEvent = "triggering-event"
      case impression, install, postback, card
      case conversionValue = "conversion-value"
      case trackingRequest = "tracking-request"
      case sdkRequest = "sdk-request"
    }

    package let kind: Kind
    /// `click-12`, the number of a triggering event, `report-15`, or the name of another record.
    package let id: String
    /// The time on the browser's clock.
    package let at: Instant
    /// The outcome in the API's response, or the state of a message.
    package let outcome: String
    package let rules: [Verdict]
    /// The site of the page or the click, for the explanation of a destination.
    let sourceSite: String?
    /// The observation of the page; nil without one.
    package var observed: Provenance?
    /// The later state of a click, such as `The click was replaced by click-5 at ….`; nil while it waits, and for other steps.
    package var later: String?
  }

  /// The verdict of one rule.
  package struct Verdict: Hashable, Sendable {
    package enum Kind: String, Hashable, Sendable, CaseIterable {
      case passed, failed
      case notReached = "not-reached"
    }

    package let rule: String
    package let kind: Kind
    /// The values that the rule read; nil when it was not reached.
    package let inputs: JSON?
    /// Why it failed; nil otherwise.
    package var reason: Reason?
    /// The smallest change that makes the rule pass; nil when it did not fail.
    package var change: String?
  }

  package struct Failure: Hashable, Sendable {
    package let step: Step
    package let verdict: Verdict
  }

  /// - Parameter names: The names by which the log finds the events; nil for the subject's name.
  init(
    _ subject: Subject, summary: String, steps: [Step], failure: Failure?, events: [LogEvent], about names: [String]? = nil,
    omittedBefore: Int64?, omittedStepCount: Int = 0
  ) {
    self.subject = subject
    self.summary = summary
    self.steps = steps
    firstFailure = failure
    self.events = events
    eventSubjects = names ?? [subject.id]
    self.omittedBefore = omittedBefore
    self.omittedStepCount = omittedStepCount
  }
}

extension Explanation {
  /// Returns the explanation with another sentence in its summary.
  func adding(_ sentence: String) -> Explanation {
    var explanation = self
    explanation.summary += " \(sentence)"
    return explanation
  }
}

extension Explanation.Step {
  var failure: Explanation.Failure? {
    rules.first { $0.kind == .failed }.map { Explanation.Failure(step: self, verdict: $0) }
  }
}

extension Explanation.Subject {
  package var kind: String {
    switch self {
    case .record(let kind, _): kind.rawValue
    case .destination: "destination"
    }
  }

  package var id: String {
    switch self {
    case .record(let kind, let number): "\(kind.rawValue)-\(number)"
    case .destination(let site): site.domain
    }
  }
}
