package import PCMCore

/// The outcome of a click.
package struct ClickOutcome: Hashable, Sendable {
  package enum Kind: String, Hashable, Sendable {
    case stored
    case ephemeral
    case discarded
  }

  package let kind: Kind
  package let reasons: [Reason]
  /// The number of the click; nil when it was discarded.
  package let click: KeptClick?
  /// The click that was replaced.
  package let replaced: Int64?
  /// The log event of the decision.
  package let sequence: Int64
  /// The time on the browser's clock.
  package let at: Instant
  /// The request for the signed values of a web ad, if the click caused one.
  var webAd: WebAdOrder?
}

extension ClickOutcome: OperationOutcome {
  package var json: JSON { record.json }
  package var location: String? { "clicks/\(RecordName.click(sequence))" }
  package var progress: CallProgress { CallProgress(outcome: kind.rawValue, reasons: reasons) }
}

/// The outcome of a redirect.
package struct TriggerOutcome: Hashable, Sendable {
  package enum Kind: String, Hashable, Sendable, CaseIterable {
    case attributed, unmatched, rejected
    case notTriggering = "not-triggering"
  }

  package let kind: Kind
  package let reasons: [Reason]
  /// The request of the event; nil when the trigger URL could not be parsed.
  package let trigger: RequestedTrigger?
  /// The attribution that the event created or changed.
  package let attribution: Attribution?
  /// The log event of the decision.
  package let sequence: Int64
  /// The time on the browser's clock.
  package let at: Instant
}

extension TriggerOutcome: OperationOutcome {
  package var json: JSON { record.json }
  package var location: String? { "triggering-events/\(RecordName.triggeringEvent(sequence))" }
  package var progress: CallProgress { CallProgress(outcome: kind.rawValue, reasons: reasons) }
}
