public import Foundation

/// The outcome of a triggering event.
public struct TriggerOutcome: Hashable, Sendable, Decodable {
  /// The outcome.
  public let outcome: Outcome
  /// Why no report changed, or notes about an accepted event.
  public let reasons: [Reason]
  /// The parsed trigger URL; nil when it is not valid.
  public let trigger: Trigger?
  /// The resulting attribution; nil when there is none.
  public let attribution: Attribution?
  /// The sequence number of the event that records the decision; nil from a service that does not return it.
  public let sequence: Int?

  /// The outcome of a triggering event.
  public struct Outcome: Term {
    /// The string in the service's JSON.
    public let rawValue: String

    /// Creates a value from any string, known or not.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// A click was attributed, and reports are scheduled.
    public static let attributed = Outcome("attributed")
    /// The triggering event is valid, but changed no report.
    public static let unmatched = Outcome("unmatched")
    /// The redirect has the trigger path, but is not a valid triggering event.
    public static let rejected = Outcome("rejected")
    /// The redirect does not have the trigger path.
    public static let notTriggering = Outcome("not-triggering")
  }

  /// The contents of a trigger URL.
  public struct Trigger: Hashable, Sendable, Decodable {
    /// The trigger data, 0 to 15.
    public let data: Int
    /// The priority, 0 to 63.
    public let priority: Int
    /// The registrable domain of the click's source.
    public let sourceSite: String
    /// The registrable domain of the page on which the event occurred.
    public let destinationSite: String
  }

  /// The subject for `Browser.explain`; nil when the service returned no sequence number.
  public var subject: Explanation.Subject? { sequence.map { .triggeringEvent($0) } }
}

extension TriggerOutcome: CustomStringConvertible {
  /// `unmatched; no-click, no click from …`
  public var description: String { ([outcome.rawValue] + reasons.map(\.description)).joined(separator: "; ") }
}

/// A click and the triggering event to which it is attributed.
public struct Attribution: Hashable, Sendable, Decodable {
  /// The identifier in the log: `attribution-14`.
  public let id: String
  /// The registrable domain of the click's source.
  public let sourceSite: String
  /// The registrable domain of the ad's destination.
  public let destinationSite: String
  /// The click's source identifier.
  public let sourceIdentifier: Int
  /// The trigger data, 0 to 15.
  public let triggerData: Int
  /// The priority, 0 to 63.
  public let priority: Int
  /// The bundle identifier of the app in which the click was made.
  public let bundleIdentifier: String
  /// The time of the attribution.
  public let attributedAt: Date
  /// The identifier of the report to the source; nil when the report no longer exists.
  public let sourceReportID: String?
  /// The identifier of the report to the destination; nil when the report no longer exists.
  public let destinationReportID: String?
  /// The click's token, signed by the source's site; nil without a token.
  public let sourceToken: Token?
  /// The triggering event's token, signed by the destination's site; nil without a token.
  public let destinationToken: Token?

  private enum CodingKeys: String, CodingKey {
    case id, sourceSite, destinationSite, sourceIdentifier, triggerData, priority, bundleIdentifier, attributedAt, sourceToken
    case destinationToken
    case sourceReportID = "sourceReportId"
    case destinationReportID = "destinationReportId"
  }
}

/// The clicks and attributions that a browser stores.
public struct Measurements: Hashable, Sendable, Decodable {
  /// Clicks without an attribution.
  public let unattributed: [Click]
  /// Attributions with at least one report that has not been sent.
  public let attributed: [Attribution]
  /// The ephemeral click of a private session; nil when there is none.
  public let ephemeral: Click?
}
