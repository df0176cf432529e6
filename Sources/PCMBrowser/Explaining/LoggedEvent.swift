import PCMCore
import PCMStore

/// A log event with its decoded detail.
struct LoggedEvent {
  let log: LogEvent
  let event: any BrowserEvent

  var sequence: Int64 { log.sequence }
  var at: Instant { log.at }
  var kind: EventKind { log.kind }
  var decision: RecordedDecision? { event.decision }
  /// The deciding reason.
  var reason: Reason? { event.reasons.first }

  /// The observation of a click or of a triggering event in a page.
  var observed: Provenance? {
    switch event {
    case let event as ClickStored: event.observed
    case let event as ClickDiscarded: event.observed
    case let event as TriggerRejected: event.observed
    case let event as TriggerUnmatched: event.observed
    case let event as Attributed: event.observed
    default: nil
    }
  }

  /// Decodes the detail. Throws `StoreError.unreadable` when it does not match the event's kind.
  init(_ log: LogEvent) throws {
    self.log = log
    do {
      event = try log.read()
    } catch {
      throw StoreError.unreadable(table: "events", row: "\(log.sequence)", column: "detail")
    }
  }
}

extension LogReading {
  /// Returns the verdicts of an event's decision by the rules that made it: rules before the failed one passed, and rules
  /// after it were not reached. Returns nothing for an event without a decision.
  func verdicts(of logged: LoggedEvent) throws -> [Explanation.Verdict] {
    guard let decision = logged.decision, let rules = try decision.rules.flatMap({ try reader.ruleList($0.id) }) else {
      return []
    }
    return rules.verdicts(
      inputs: decision.inputs, failed: decision.failed, reason: logged.reason, change: decision.change)
  }
}

extension RuleList {
  func verdicts(inputs: [JSON.Member], failed: String?, reason: Reason?, change: String?) -> [Explanation.Verdict] {
    var hasFailed = false
    return headings.map { heading in
      guard !hasFailed else {
        return Explanation.Verdict(rule: heading.name, kind: .notReached, inputs: nil, reason: nil, change: nil)
      }
      hasFailed = heading.name == failed
      let seen = heading.inputs.compactMap { name in inputs.first { $0.name == name } }
      return Explanation.Verdict(
        rule: heading.name, kind: hasFailed ? .failed : .passed, inputs: .object(seen), reason: hasFailed ? reason : nil,
        change: hasFailed ? change : nil)
    }
  }

  /// Returns the verdicts of a new evaluation.
  func verdicts(_ evaluation: RuleEvaluation) -> [Explanation.Verdict] {
    verdicts(
      inputs: evaluation.inputs, failed: evaluation.failed?.rule, reason: evaluation.failed?.reason,
      change: evaluation.failed?.change)
  }
}
