public import Foundation

/// What a browser did with a triggering event.
public struct TriggerOutcome: Hashable, Sendable, Decodable {
  /// What it did.
  public let outcome: Outcome
  /// Why no report changed, or what was noticed.
  public let reasons: [Reason]
  /// What the event said; nil when it could not be read.
  public let trigger: Trigger?
  /// The attribution that came of it.
  public let attribution: Attribution?
  /// The number of the log event with the decision; nil from a service that does not say.
  public let sequence: Int?

  /// What becomes of a triggering event.
  public struct Outcome: Term {
    /// The value as the service writes it.
    public let rawValue: String

    /// Any word, known or not.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// A click was attributed, and reports are scheduled.
    public static let attributed = Outcome("attributed")
    /// Accepted, and it changed no report.
    public static let unmatched = Outcome("unmatched")
    /// A trigger URL, but not a good one.
    public static let rejected = Outcome("rejected")
    /// Not a trigger URL.
    public static let notTriggering = Outcome("notTriggering")
  }

  /// What a trigger URL says.
  public struct Trigger: Hashable, Sendable, Decodable {
    /// 0 to 15.
    public let data: Int
    /// 0 to 63.
    public let priority: Int
    /// The registrable domain whose click is asked for.
    public let sourceSite: String
    /// The registrable domain on which it happened.
    public let destinationSite: String
  }

  /// What to ask `Browser.explain` about it; nil when there is nothing to explain.
  public var subject: Explanation.Subject? { sequence.map { .triggeringEvent($0) } }
}

extension TriggerOutcome: CustomStringConvertible {
  /// `unmatched; no-click, no click from …`
  public var description: String { ([outcome.rawValue] + reasons.map(\.description)).joined(separator: "; ") }
}

/// A click and the triggering event that it belongs to.
public struct Attribution: Hashable, Sendable, Decodable {
  /// Its name in the log: `attribution-14`.
  public let id: String
  /// The registrable domain of the click's source.
  public let sourceSite: String
  /// The registrable domain of the ad's destination.
  public let destinationSite: String
  /// The click's source identifier.
  public let sourceID: Int
  /// 0 to 15.
  public let triggerData: Int
  /// 0 to 63.
  public let priority: Int
  /// The app under which the click was made.
  public let bundleIdentifier: String
  /// When the two came together.
  public let attributedAt: Date
  /// The report to the source; nil when it is gone.
  public let sourceReport: String?
  /// The report to the destination; nil when it is gone.
  public let destinationReport: String?
  /// What the source's site has signed for the click; nil without a token.
  public let sourceToken: Token?
  /// What the destination's site has signed for the triggering event; nil without a token.
  public let destinationToken: Token?
}

/// What a browser has stored.
public struct Measurements: Hashable, Sendable, Decodable {
  /// Clicks that wait for a triggering event.
  public let unattributed: [Click]
  /// Attributions of which at least one report has not gone out.
  public let attributed: [Attribution]
  /// The click in the one slot of a private session.
  public let held: Click?
}
