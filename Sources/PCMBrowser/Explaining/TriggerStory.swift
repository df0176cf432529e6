import PCMCore
import PCMStore

/// What became of one triggering event.
struct TriggerStory {
  let step: Explanation.Step
  private let sequence: Int64
  private let outcome: LogEvent
  private let logged: LoggedDecision
  private let log: LogReading

  /// - Parameter number: of any event that tells of the triggering event.
  /// Nil when no triggering event has this number.
  init?(_ number: Int64, log: LogReading) throws {
    guard let found = try log.event(number), let first = LoggedDecision(found) else { return nil }
    switch found.kind {
    case .triggerIgnored, .triggerRejected: (sequence, outcome, logged) = (number, found, first)
    case .triggerUnmatched, .attributed:
      (sequence, outcome, logged) = (first.triggeringEvent ?? number, found, first)
    case .triggerAccepted:
      let ending = try log.first(after: number) { event in
        [.triggerUnmatched, .attributed].contains(event.kind) && LoggedDecision(event)?.triggeringEvent == number
      }
      guard let ending, let told = LoggedDecision(ending) else { return nil }
      (sequence, outcome, logged) = (number, ending, told)
    default: return nil
    }
    self.log = log
    let names: [EventKind: String] = [
      .triggerIgnored: "notTriggering", .triggerRejected: "rejected", .triggerUnmatched: "unmatched", .attributed: "attributed",
    ]
    step = Explanation.Step(
      kind: .triggeringEvent, id: String(sequence), at: outcome.at, outcome: names[outcome.kind] ?? outcome.kind.rawValue,
      rules: try Self.verdicts(logged, log: log), sourceSite: logged.sourceSite)
  }

  func explanation() throws -> Explanation {
    let reports = [logged.sourceReport, logged.destinationReport].compactMap { $0 }
    let events = try log.all(after: outcome.sequence) { $0.mentions(reports) }
    return Explanation(
      .triggeringEvent(sequence), summary: summary(reports), steps: [step], failure: step.failure,
      events: try tokenEvents() + [outcome] + events)
  }

  /// The number of the click that the event was attributed to.
  var click: Int64? {
    logged.click.flatMap { Int64($0.dropFirst(RecordName.click(0).count - 1)) }
  }

  /// The exchange about the destination's token, which came before the decision.
  private func tokenEvents() throws -> [LogEvent] {
    let sight = logged.decision?.saw.members.first { $0.name == "destinationTokenRequest" }
    guard case .number(let request)? = sight?.value else { return [] }
    return try log.all(after: request - 1) { event in
      [.tokenRequested, .tokenStored, .tokenFailed].contains(event.kind) && LoggedDecision(event)?.request == request
    }
  }

  private func summary(_ reports: [String]) -> String {
    let why = step.failure?.verdict.reason?.detail ?? "the log does not say why"
    switch outcome.kind {
    case .triggerIgnored: return "The redirect is no triggering event: \(why)."
    case .triggerRejected: return "The redirect was no triggering event: \(why)."
    case .attributed:
      return "The triggering event was attributed to \(logged.click ?? "a click"); "
        + "\(reports.joined(separator: " and ")) tell of it."
    default: return "The triggering event changed no report: \(why)."
    }
  }

  /// A same-site pixel without a source gets the name of a source whose click is waiting, where there is one.
  private static func verdicts(_ logged: LoggedDecision, log: LogReading) throws -> [Explanation.Verdict] {
    try logged.verdicts(RuleBook.triggeringEvent).map { verdict in
      guard verdict.rule == "same-site-pixel-names-source", verdict.kind == .failed,
        let waiting = try log.reader.clicks(in: .table, naming: Site(logged.firstPartySite ?? "")).last?.click.key,
        waiting.destination.domain == logged.firstPartySite
      else { return verdict }
      var better = verdict
      better.change = TriggerRejection.namingSource(waiting.source)
      return better
    }
  }
}
