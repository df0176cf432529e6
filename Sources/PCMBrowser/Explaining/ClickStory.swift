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
      if let sequel = try Self.sequel(of: self.event.sequence, event, log) { return "The click \(sequel)." }
    }
    return try whereItIs()
  }

  /// Returns the effect of an event on a stored click, as the end of a sentence; nil for an event without an effect.
  private static func sequel(of click: Int64, _ event: LoggedEvent, _ log: LogReading) throws -> String? {
    switch event.event {
    case let attributed as Attributed:
      let reports = try [attributed.sourceReport, attributed.destinationReport].compactMap { $0 }.map { id in
        let report = try log.reader.row(Report.self, id)
        return RecordName.report(id) + (report?.attempts.first?.at.map { ", which left at \($0.text)" } ?? "")
      }
      return "was attributed at \(event.at.text); its reports are \(reports.joined(separator: " and "))"
    case let replaced as ClickReplaced where replaced.click == click:
      return "was replaced by \(RecordName.click(replaced.successor)) at \(event.at.text)"
    case is ClickExpired: return "expired, 7 days after it was made, without a triggering event"
    case is ClickConsumed, is TriggerUnmatched:
      return "was lost at \(event.at.text): \(event.reason?.detail ?? event.kind.rawValue)"
    default: return nil
    }
  }

  /// The later state of a click, in a sentence with its name, and the change of the rule that discarded it.
  struct LastClick {
    let name: String
    let text: String
    var change: String?
  }

  /// Returns the later state of the newest click before an event: a click from the source that is gone, or a discarded click.
  static func lastClick(
    from source: Site, to site: Site, before event: LoggedEvent, _ log: LogReading
  ) throws -> LastClick? {
    let found = try log.newest(1, about: site.domain) { logged in
      guard logged.sequence < event.sequence else { return false }
      if let discarded = logged.event as? ClickDiscarded { return discarded.leads(to: site) }
      guard let click = logged.event.keptClick, click.origin != .ephemeralClick else { return false }
      return click.key.source == source && click.key.destination == site
    }.events.first
    guard let found, let step = try step(found, log: log) else { return nil }
    if let failure = step.failure?.verdict {
      let text = "\(step.id) was \(step.outcome): \(failure.reason?.detail ?? "")"
      return LastClick(name: step.id, text: text, change: failure.change)
    }
    return step.later.map { LastClick(name: step.id, text: String($0.replacing("The click", with: step.id).dropLast())) }
  }

  /// Returns the step of a click's decision with the click's later state, or nil for another event.
  static func step(_ logged: LoggedEvent, log: LogReading) throws -> Explanation.Step? {
    guard var step = try Explanation.Step(click: logged, log: log) else { return nil }
    if let click = logged.event.keptClick?.click {
      let endings: Set<EventKind> = [
        .attributed, .clickReplaced, .clickExpired, .clickConsumedByLowerPriority, .triggerUnmatched,
      ]
      let newest = try log.newest(of: endings, after: logged.sequence, about: RecordName.click(click))
      step.later = try newest.events.compactMap { try sequel(of: click, $0, log) }.last.map { "The click \($0)." }
    }
    return step
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
