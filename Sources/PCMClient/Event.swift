public import Foundation

/// One line of a browser's log.
public struct Event: Hashable, Sendable, Decodable {
  /// Its number, from 1 on.
  public let sequence: Int
  /// When, on the browser's clock.
  public let at: Date
  /// What happened.
  public let kind: Kind
  /// What is to be said about it; the members depend on the kind.
  public let detail: JSONValue

  /// What can happen.
  public struct Kind: Term {
    /// The value as the service writes it.
    public let rawValue: String

    /// Any word, known or not.
    public init(rawValue: String) { self.rawValue = rawValue }
  }
}

extension Event: CustomStringConvertible {
  /// One line: `12  2026-11-20T10:00:00.000Z  click-stored  click click-12, …`
  public var description: String {
    // What the rules saw is for `Browser.explain`; a line of the log would drown in it.
    let detail = detail.without("decision").description
    return "\(sequence)  \(at.wire)  \(kind)" + (detail.isEmpty ? "" : "  \(detail)")
  }
}

extension Event.Kind {
  /// An app was registered, or registered again.
  public static let appRegistered = Self("app-registered")
  /// A click is kept.
  public static let clickStored = Self("click-stored")
  /// A click waits in the one slot.
  public static let clickHeld = Self("click-held")
  /// A click was dropped.
  public static let clickDiscarded = Self("click-discarded")
  /// A newer click took a click's place.
  public static let clickReplaced = Self("click-replaced")
  /// A click has become too old.
  public static let clickExpired = Self("click-expired")
  /// A redirect led elsewhere than to the trigger path.
  public static let triggerIgnored = Self("trigger-ignored")
  /// A trigger URL was no good.
  public static let triggerRejected = Self("trigger-rejected")
  /// A trigger URL was good.
  public static let triggerAccepted = Self("trigger-accepted")
  /// A triggering event changed no report.
  public static let triggerUnmatched = Self("trigger-unmatched")
  /// A click and a triggering event came together.
  public static let attributed = Self("attributed")
  /// A triggering event of higher priority took an earlier one's place.
  public static let attributionReplaced = Self("attribution-replaced")
  /// A click was used up by a triggering event of too low a priority.
  public static let clickConsumedByLowerPriority = Self("click-consumed-by-lower-priority")
  /// A report has got its time.
  public static let reportScheduled = Self("report-scheduled")
  /// A report is on its way.
  public static let reportSent = Self("report-sent")
  /// An endpoint took a report.
  public static let reportDelivered = Self("report-delivered")
  /// A report did not arrive, and will not.
  public static let reportFailed = Self("report-failed")
  /// A report did not arrive, and will be sent again.
  public static let reportRetryScheduled = Self("report-retry-scheduled")
  /// A token's signature was asked for.
  public static let tokenRequested = Self("token-requested")
  /// A signed token is kept.
  public static let tokenStored = Self("token-stored")
  /// There is no token.
  public static let tokenFailed = Self("token-failed")
  /// What was measured has been forgotten.
  public static let dataCleared = Self("data-cleared")
  /// A manual clock was moved.
  public static let clockAdvanced = Self("clock-advanced")
  /// A setting was changed.
  public static let settingsChanged = Self("settings-changed")
  /// Old events were removed from the log.
  public static let logTrimmed = Self("log-trimmed")
}
