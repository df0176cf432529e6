import PCMCore
import PCMStore

/// The history of one click.
struct ClickStory {
  let step: Explanation.Step
  private let event: LoggedEvent
  private let log: LogReading

  /// Creates the history, or returns nil when no click has this number.
  init?(_ id: Int64, log: LogReading) throws {
    guard let found = try log.event(id), let first = try Self.decision(of: found, log),
      let step = try Explanation.Step(click: first, log: log)
    else { return nil }
    (event, self.log, self.step) = (first, log, step)
  }

  /// Returns the event with the decision. An ephemeral click is stored by a second event, under the number of the first.
  private static func decision(of found: LoggedEvent, _ log: LogReading) throws -> LoggedEvent? {
    guard let click = found.event as? ClickStored, click.origin == .ephemeralClick else { return found }
    return try log.event(click.click)
  }

  func explanation() throws -> Explanation {
    let newest = try log.newest(after: event.sequence, about: RecordName.click(event.sequence))
    return Explanation(
      .record(.click, event.sequence), summary: try summary(newest.events), steps: [step], failure: step.failure,
      events: newest.events.map(\.log), omittedBefore: newest.omittedBefore)
  }

  private func summary(_ events: [LoggedEvent]) throws -> String {
    if let reason = step.failure?.verdict.reason {
      guard event.kind == .clickHandedOver else { return "The click was discarded: \(reason.detail)." }
      return "The click was handed over to the device as \(RecordName.impression(event.sequence + 1)): \(reason.detail)."
    }
    for event in events.reversed() {
      switch event.event {
      case let attributed as Attributed:
        let reports = [attributed.sourceReport, attributed.destinationReport].compactMap { $0.map(RecordName.report) }
        return "The click was attributed at \(event.at.text); its reports are \(reports.joined(separator: " and "))."
      case let replaced as ClickReplaced where replaced.click == self.event.sequence:
        return "The click was replaced by \(RecordName.click(replaced.successor)) at \(event.at.text)."
      case is ClickExpired: return "The click expired, 7 days after it was made, without a triggering event."
      case is ClickConsumed, is TriggerUnmatched:
        return "The click was lost at \(event.at.text): \(event.reason?.detail ?? event.kind.rawValue)."
      default: continue
      }
    }
    return try whereItIs()
  }

  private func whereItIs() throws -> String {
    guard let click = event.event.keptClick else { return "The click was discarded." }
    for place in ClickPlace.allCases {
      guard let kept = try log.reader.click(click.key, in: place), kept.id == event.sequence else { continue }
      let waits = place == .table || place == .privateTable ? "is stored" : "is the ephemeral click"
      return "The click \(waits) and can be attributed to a triggering event on \(click.key.destination.domain) until "
        + "\(kept.click.expiresAt.text)."
    }
    return "The click was stored at \(event.at.text) and is gone: the browser's data was cleared, or its session ended."
  }
}

extension Explanation.Step {
  /// Creates the step of a click's decision, or returns nil for another event.
  init?(click logged: LoggedEvent, log: LogReading) throws {
    let (outcome, origin, source): (String, ClickOrigin, Site?)
    switch logged.event {
    case let click as ClickStored:
      (outcome, origin, source) = (logged.clickKind.rawValue, click.origin, click.key.source)
    case let click as ClickDiscarded: (outcome, origin, source) = (logged.clickKind.rawValue, click.origin, nil)
    default: return nil
    }
    guard origin != .ephemeralClick else { return nil }
    self.init(
      kind: .click, id: RecordName.click(logged.sequence), at: logged.at, outcome: outcome,
      rules: try log.verdicts(of: logged), sourceSite: source?.domain, observed: logged.observed)
  }
}
