import PCMCore
import PCMStore

/// What became of one click.
struct ClickStory {
  let step: Explanation.Step
  private let event: LogEvent
  private let logged: LoggedDecision
  private let log: LogReading

  /// Nil when no click has this number.
  init?(_ id: Int64, log: LogReading) throws {
    guard var found = try log.event(id), var first = LoggedDecision(found) else { return nil }
    // A click that was released from the slot is told of a second time; its own number is that of the first.
    if first.via == ClickOrigin.slot.rawValue, let click = first.click, click != RecordName.click(id) {
      guard let number = Int64(click.dropFirst(RecordName.click(0).count - 1)), let held = try log.event(number),
        let told = LoggedDecision(held)
      else { return nil }
      (found, first) = (held, told)
    }
    guard let step = Explanation.Step(click: found, first) else { return nil }
    (event, logged, self.log, self.step) = (found, first, log, step)
  }

  func explanation() throws -> Explanation {
    let name = RecordName.click(event.sequence)
    let events = try log.all(after: event.sequence) { $0.mentions([name]) }
    return Explanation(
      .click(event.sequence), summary: try summary(events), steps: [step], failure: step.failure, events: events)
  }

  private func summary(_ events: [LogEvent]) throws -> String {
    if let reason = step.failure?.verdict.reason { return "The click was discarded: \(reason.detail)." }
    let fates: Set<EventKind> = [.attributed, .clickReplaced, .clickExpired, .clickConsumedByLowerPriority, .triggerUnmatched]
    // The event that replaced another click with this one is told of this one too.
    let fate = events.last { fates.contains($0.kind) && !($0.kind == .clickReplaced && $0.replacement == step.id) }
    guard let fate, let told = LoggedDecision(fate) else { return try whereItIs() }
    switch fate.kind {
    case .attributed:
      let reports = [told.sourceReport, told.destinationReport].compactMap { $0 }.joined(separator: " and ")
      return "The click was attributed at \(fate.at.text); \(reports) tell of it."
    case .clickReplaced: return "The click was replaced by \(fate.replacement ?? "another") at \(fate.at.text)."
    case .clickExpired: return "The click expired, 7 days after it was made, without a triggering event."
    default: return "The click was lost at \(fate.at.text): \(told.reason?.detail ?? fate.kind.rawValue)."
    }
  }

  private func whereItIs() throws -> String {
    let key = ClickKey(
      source: Site(logged.sourceSite ?? ""), destination: Site(logged.destinationSite ?? ""),
      bundleIdentifier: logged.bundleIdentifier ?? "")
    for place in ClickPlace.allCases {
      guard let kept = try log.reader.click(key, in: place), kept.id == event.sequence else { continue }
      let waits = place == .table || place == .privateTable ? "is stored" : "waits in the slot"
      return "The click \(waits) and can be attributed to a triggering event on \(key.destination.domain) until "
        + "\(kept.click.expiresAt.text)."
    }
    return "The click was stored at \(event.at.text) and is gone: the browser's data were cleared, or its session ended."
  }
}

extension LogEvent {
  /// In an event that tells of a replaced click, what took its place.
  fileprivate var replacement: String? { LoggedReplacement(self)?.by }
}

extension Explanation.Step {
  /// A click's decision; nil when the event tells of something else.
  init?(click event: LogEvent, _ logged: LoggedDecision) {
    let outcomes: [EventKind: String] = [.clickStored: "stored", .clickHeld: "held", .clickDiscarded: "discarded"]
    guard let outcome = outcomes[event.kind], let via = logged.via.flatMap(ClickOrigin.init), via != .slot else { return nil }
    let headings = via == .eventAttribution ? RuleBook.eventAttribution : RuleBook.linkClick
    self.init(
      kind: .click, id: RecordName.click(event.sequence), at: event.at, outcome: outcome, rules: logged.verdicts(headings),
      sourceSite: logged.sourceSite)
  }
}
