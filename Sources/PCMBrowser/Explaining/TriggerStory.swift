import PCMCore
import PCMStore

/// The history of one triggering event.
struct TriggerStory {
  let step: Explanation.Step
  private let record: TriggeringEventRecord
  private let outcome: LoggedEvent
  private let log: LogReading

  /// Creates the history, or returns nil when no triggering event has this number.
  ///
  /// - Parameter number: The number of any log event of the triggering event.
  init?(_ number: Int64, log: LogReading) throws {
    guard let outcome = try log.event(number).flatMap(log.triggerDecision), let record = try log.triggeringEvent(outcome)
    else { return nil }
    (self.outcome, self.record, self.log) = (outcome, record, log)
    step = Explanation.Step(
      kind: .triggeringEvent, id: RecordName.triggeringEvent(record.id), at: outcome.at, outcome: record.outcome.rawValue,
      rules: try Self.verdicts(outcome, log: log), sourceSite: record.trigger?.source.domain,
      observed: outcome.observed)
  }

  func explanation() throws -> Explanation {
    let names = record.attribution.map { [$0.sourceReport, $0.destinationReport].map(RecordName.report) } ?? []
    let decision = try tokenEvents() + [outcome]
    let later = NewestEvents(
      of: try names.map { try log.newest(after: outcome.sequence, about: $0) }, limit: ReadingBounds.events - decision.count)
    let summary = ([summary(names)] + notes).joined(separator: " ")
    return Explanation(
      .record(.triggeringEvent, record.id), summary: summary, steps: [step], failure: step.failure,
      events: (decision + later.events).map(\.log), about: names, omittedBefore: later.omittedBefore)
  }

  /// The number of the click that the event was attributed to.
  var click: Int64? { record.attribution?.click }

  /// Returns the events of the exchange for the destination's token, which precedes the decision.
  private func tokenEvents() throws -> [LoggedEvent] {
    let input = outcome.decision?.inputs.first { $0.name == "destinationTokenRequest" }
    guard case .number(let request)? = input?.value, let exchange = try log.event(request)?.event.tokenExchange else {
      return []
    }
    let selection = EventSelection(
      about: [exchange.destination.domain], kinds: [.tokenRequested, .tokenStored, .tokenFailed])
    // Other exchanges with the site may take place at the same time.
    var effort = ReadingEffort()
    let search = try log.reader.search(selection, after: request - 1, limit: ReadingBounds.events, &effort)
    return try search.events.prefix { $0.sequence <= outcome.sequence }.map(LoggedEvent.init).filter {
      $0.event.tokenExchange?.request == request
    }
  }

  /// The inputs that the rules could not check.
  private var notes: [String] {
    let notes = record.reasons.filter { $0.code == "redirect-from-unknown" }
    return notes.map { $0.detail.prefix(1).uppercased() + $0.detail.dropFirst() + "." }
  }

  private func summary(_ reports: [String]) -> String {
    let why = step.failure?.verdict.reason?.detail ?? "the log contains no reason"
    switch record.outcome {
    case .notTriggering: return "This is not a triggering event: \(why)."
    case .rejected: return "The redirect was not a triggering event: \(why)."
    case .unmatched: return "The triggering event changed no report: \(why)."
    case .attributed:
      let click = RecordName.click(click ?? 0)
      return "The triggering event was attributed to \(click); its reports are \(reports.joined(separator: " and "))."
    }
  }

  /// Returns the verdicts, with the additions of a click that waits for the destination: the change for a same-site pixel
  /// without a source names the click's source, and the reason of an event with another source names the click. A rule about the
  /// host that redirects is not reached when the host is not known.
  private static func verdicts(_ logged: LoggedEvent, log: LogReading) throws -> [Explanation.Verdict] {
    try log.verdicts(of: logged).map { verdict in
      if verdict.rule == "redirect-is-same-site", verdict.inputs?["hopHost"] == .null {
        return Explanation.Verdict(rule: verdict.rule, kind: .notReached, inputs: nil, reason: nil, change: nil)
      }
      guard verdict.kind == .failed else { return verdict }
      var better = verdict
      switch (verdict.rule, logged.event) {
      case ("same-site-pixel-names-source", let rejected as TriggerRejected):
        guard let click = try rejected.firstParty.flatMap({ try waitingClick(to: $0, log) }) else { break }
        better.change = TriggeringEvent.namingSource(click.source)
      case ("a-click-is-stored", let unmatched as TriggerUnmatched):
        let requested = unmatched.requested
        if let click = try waitingClick(to: requested.destination, before: logged, log) {
          if click.source != requested.source { better.add(click) }
        } else if let last = try lastClick(of: requested, before: logged, log) {
          better.add(last)
        }
      case ("no-report-has-gone-out", let unmatched as TriggerUnmatched):
        if let last = try lastClick(of: unmatched.requested, before: logged, log) { better.add(last) }
      default: break
      }
      return better
    }
  }

  /// Returns the later state of the newest click for an event. A private session uses no such click.
  private static func lastClick(
    of requested: RequestedTrigger, before event: LoggedEvent, _ log: LogReading
  ) throws -> ClickStory.LastClick? {
    try isPrivate(event) ? nil : ClickStory.lastClick(from: requested.source, to: requested.destination, before: event, log)
  }

  private static func isPrivate(_ event: LoggedEvent?) -> Bool {
    event?.decision?.inputs.contains { $0.name == "privateBrowsing" && $0.value == .bool(true) } == true
  }

  /// Returns the newest stored click to a destination that still waits.
  ///
  /// - Parameter event: The event that could not use the click; nil for any click. A private session uses no such click.
  private static func waitingClick(
    to destination: Site, before event: LoggedEvent? = nil, _ log: LogReading
  ) throws -> ClickKey? {
    guard !isPrivate(event) else { return nil }
    return try log.newest(1, of: .clickStored, about: destination.domain) { logged in
      guard let click = logged.event.keptClick, click.key.destination == destination else { return false }
      guard logged.sequence < event?.sequence ?? .max else { return false }
      return try log.reader.click(click.key, in: .table)?.id == click.click
    }.events.first?.event.keptClick?.key
  }
}

extension Explanation.Verdict {
  /// Adds a click that waits for the same destination with another source.
  fileprivate mutating func add(_ waiting: ClickKey) {
    guard let reason, ["no-click", "other-destination"].contains(reason.code) else { return }
    let (source, destination) = (waiting.source.domain, waiting.destination.domain)
    self.reason = Reason(
      reason.code, "\(reason.detail). A click to \(destination) waits, but its source is \(source)")
    change = change.map { "trigger the event with a pixel of \(source), or \($0)" }
  }
}

extension Explanation.Verdict {
  /// Adds the later state of the last click.
  fileprivate mutating func add(_ last: ClickStory.LastClick) {
    guard let reason, ["no-click", "already-reported"].contains(reason.code) else { return }
    self.reason = Reason(reason.code, "\(reason.detail). \(last.text)")
    if let remedy = last.change { change = "correct \(last.name): \(remedy)" }
  }
}

extension LogReading {
  /// Returns the event with the decision about a triggering event, given any of its events. A later event decides about an
  /// accepted triggering event. Returns any other event as it is.
  func triggerDecision(_ found: LoggedEvent) throws -> LoggedEvent? {
    guard found.event is RequestedTrigger else { return found }
    // It ends the transaction, so there is no other triggering event in between.
    let endings = try [.attributed, .triggerUnmatched].compactMap { try first($0, after: found.sequence) }
    return try endings.first { try triggeringEvent($0)?.id == found.sequence }
  }
}

extension BrowserEvent {
  fileprivate var tokenExchange: TokenExchangeRecord? {
    switch self {
    case let event as TokenRequested: event.exchange
    case let event as TokenStored: event.exchange
    case let event as TokenFailed: event.exchange
    default: nil
    }
  }
}
