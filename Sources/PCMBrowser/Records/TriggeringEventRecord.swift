package import PCMCore
import PCMStore

/// A redirect that a caller posted, or that a load caused, and its outcome.
package struct TriggeringEventRecord: Hashable, Sendable {
  /// The number of the triggering event.
  package let id: Int64
  /// The time on the browser's clock.
  package let at: Instant
  package let outcome: TriggerOutcome.Kind
  package let reasons: [Reason]
  /// Nil when the trigger URL could not be parsed.
  package let trigger: RequestedTrigger?
  /// The attribution that the event created or changed, with the reports that it scheduled.
  package let attribution: AttributionRecord?
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

extension TriggerOutcome {
  /// The record of the new triggering event.
  package var record: TriggeringEventRecord {
    TriggeringEventRecord(
      id: sequence, at: at, outcome: kind, reasons: reasons, trigger: trigger,
      attribution: attribution.flatMap { AttributionRecord($0, triggeringEvent: sequence) })
  }
}

extension TriggeringEventRecord {
  /// The record as the API returns it.
  package var json: JSON {
    [
      "id": .string(RecordName.triggeringEvent(id)),
      "at": .string(at.text),
      "outcome": .string(outcome.rawValue),
      "reasons": .array(reasons.map(\.json)),
      "trigger": trigger?.json ?? .null,
      "attribution": attribution?.json ?? .null,
      "sequence": .number(id),
    ]
  }
}

extension RequestedTrigger {
  fileprivate var json: JSON {
    [
      "data": .number(Int64(trigger.data)),
      "priority": .number(Int64(trigger.priority)),
      "sourceSite": .string(source.domain),
      "destinationSite": .string(destination.domain),
    ]
  }
}

extension LogReading {
  /// Returns the triggering event that an event decides, or nil for another event.
  func triggeringEvent(_ logged: LoggedEvent) throws -> TriggeringEventRecord? {
    func record(
      _ outcome: TriggerOutcome.Kind, _ id: Int64?, _ trigger: RequestedTrigger?, _ attribution: AttributionRecord? = nil
    ) -> TriggeringEventRecord {
      TriggeringEventRecord(
        id: id ?? logged.sequence, at: logged.at, outcome: outcome, reasons: logged.event.reasons, trigger: trigger,
        attribution: attribution)
    }
    switch logged.event {
    case let event as TriggerRejected:
      return record(event.kind == .triggerIgnored ? .notTriggering : .rejected, nil, event.requested)
    case let event as TriggerUnmatched: return record(.unmatched, event.accepted, event.requested)
    case let event as Attributed:
      let requested = RequestedTrigger(
        trigger: event.trigger, source: event.key.source, destination: event.key.destination)
      return record(.attributed, event.accepted, requested, try attribution(event, logged))
    default: return nil
    }
  }
}
