public import Foundation

/// The outcome of a triggering event.
///
/// ```swift
/// let purchase = try await browser.trigger(.pixel(of: "news.example", data: 12, on: "https://shop.example/thanks"))
/// #expect(purchase.outcome == .unmatched && purchase.attribution == nil)
/// #expect(purchase.trigger?.data == 12)
/// ```
public struct TriggerOutcome: Hashable, Sendable, Decodable {
  /// The identifier: `triggering-event-13`.
  public let id: String
  /// The time on the browser's clock.
  public let at: Date
  /// The outcome.
  public let outcome: Outcome
  /// Why no report changed, or notes about an accepted event.
  public let reasons: [Reason]
  /// The parsed trigger URL; nil when it is not valid.
  public let trigger: Trigger?
  /// The resulting attribution; nil when there is none.
  public let attribution: Attribution?

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

  /// The subject for `Browser.explain`.
  public var subject: Explanation.Subject { .triggeringEvent(id) }
}

extension TriggerOutcome: CustomStringConvertible {
  /// `unmatched; no-click, no click from …`
  public var description: String { ([outcome.rawValue] + reasons.map(\.description)).joined(separator: "; ") }
}

/// A click and its triggering event.
///
/// ```swift
/// let attribution = try #require(try await browser.attributions(about: ["shop.example"]).first)
/// #expect(attribution.state == .reported && attribution.triggerData == 12)
/// let report = try await browser.report(attribution.sourceReportID)
/// #expect(report.recipient == .source)
/// ```
public struct Attribution: Hashable, Sendable, Decodable {
  /// The identifier in the log: `attribution-14`.
  public let id: String
  /// The identifier of the click.
  public let clickID: String
  /// The identifier of the triggering event; nil when the log no longer contains it.
  public let triggeringEventID: String?
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
  /// The state of the attribution.
  public let state: State
  /// The identifier of the report to the source.
  public let sourceReportID: String
  /// The identifier of the report to the destination.
  public let destinationReportID: String
  /// The click's token, signed by the source's site; nil without a token.
  public let sourceToken: Token?
  /// The triggering event's token, signed by the destination's site; nil without a token.
  public let destinationToken: Token?

  /// The state of an attribution.
  public struct State: Term {
    /// The string in the service's JSON.
    public let rawValue: String

    /// Creates a value from any string, known or not.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// At least one report is to be sent.
    public static let pending = State("pending")
    /// No report is left to send.
    public static let reported = State("reported")
    /// A better click or triggering event took its place before both reports were sent.
    public static let replaced = State("replaced")
    /// The data was cleared, or the private session ended, before both reports were sent.
    public static let cleared = State("cleared")
  }
}
