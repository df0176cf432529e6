import PCMCore
import PCMStore

/// The history of one triggering event.
struct TriggerStory {
  let step: Explanation.Step
  private let sequence: Int64
  private let outcome: LoggedEvent
  private let log: LogReading

  /// Creates the history, or returns nil when no triggering event has this number.
  ///
  /// - Parameter number: The number of any log event of the triggering event.
  init?(_ number: Int64, log: LogReading) throws {
    guard let found = try log.event(number), let ending = try log.triggerDecision(found) else { return nil }
    (outcome, self.log) = (ending, log)
    sequence = ending.event.acceptedTrigger ?? ending.sequence
    guard let name = ending.event.triggerOutcome else { return nil }
    step = Explanation.Step(
      kind: .triggeringEvent, id: RecordName.triggeringEvent(sequence), at: ending.at, outcome: name,
      rules: try Self.verdicts(ending, log: log),
      sourceSite: ending.event.triggerSource?.domain)
  }

  func explanation() throws -> Explanation {
    let reports = outcome.event.attributedReports
    let decision = try tokenEvents() + [outcome]
    let later = NewestEvents(
      of: try reports.map { try log.newest(after: outcome.sequence, about: .report($0)) },
      limit: ReadingBounds.events - decision.count)
    let names = reports.map(RecordName.report)
    return Explanation(
      .triggeringEvent(sequence), summary: summary(names), steps: [step], failure: step.failure,
      events: (decision + later.events).map(\.log), about: names, omittedBefore: later.omittedBefore)
  }

  /// The number of the click that the event was attributed to.
  var click: Int64? {
    guard case .attributed(let attributed) = outcome.event else { return nil }
    return attributed.click
  }

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

  private func summary(_ reports: [String]) -> String {
    let why = step.failure?.verdict.reason?.detail ?? "the log contains no reason"
    switch outcome.event {
    case .triggerIgnored: return "This is not a triggering event: \(why)."
    case .triggerRejected: return "The redirect was not a triggering event: \(why)."
    case .attributed(let attributed):
      return "The triggering event was attributed to \(RecordName.click(attributed.click)); "
        + "its reports are \(reports.joined(separator: " and "))."
    default: return "The triggering event changed no report: \(why)."
    }
  }

  /// Returns the verdicts, with what a click that waits for the destination adds to them: the change for a same-site pixel
  /// without a source names the click's source, and the reason of an event with another source names the click.
  private static func verdicts(_ logged: LoggedEvent, log: LogReading) throws -> [Explanation.Verdict] {
    try log.verdicts(of: logged).map { verdict in
      guard verdict.kind == .failed else { return verdict }
      var better = verdict
      switch (verdict.rule, logged.event) {
      case ("same-site-pixel-names-source", .triggerRejected(let rejected)):
        guard let click = try waitingClick(to: rejected.firstParty, log) else { break }
        better.change = TriggeringEvent.namingSource(click.source)
      case ("a-click-is-stored", .triggerUnmatched(let unmatched)):
        guard let click = try waitingClick(to: unmatched.requested.destination, before: logged, log),
          click.source != unmatched.requested.source
        else { break }
        better.add(click)
      default: break
      }
      return better
    }
  }

  /// Returns the newest stored click to a destination that still waits.
  ///
  /// - Parameter event: The event that could not use the click; nil for any click. A private session uses no such click.
  private static func waitingClick(
    to destination: Site, before event: LoggedEvent? = nil, _ log: LogReading
  ) throws -> ClickKey? {
    let isPrivate = event?.decision?.inputs.contains { $0.name == "privateBrowsing" && $0.value == .bool(true) }
    guard isPrivate != true else { return nil }
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

extension LogReading {
  /// Returns the event with the decision about a triggering event, given any of its events. A later event decides about an
  /// accepted triggering event.
  func triggerDecision(_ found: LoggedEvent) throws -> LoggedEvent? {
    guard case .triggerAccepted = found.event else { return found.event.triggerOutcome == nil ? nil : found }
    // It ends the transaction, so there is no other triggering event in between.
    let endings = try [.attributed, .triggerUnmatched].compactMap { try first($0, after: found.sequence) }
    return endings.first { $0.event.acceptedTrigger == found.sequence }
  }
}

extension BrowserEvent {
  /// The outcome, in the API's response, of the triggering event that this event decides; nil for other events.
  fileprivate var triggerOutcome: String? {
    switch self {
    case .triggerIgnored: "not-triggering"
    case .triggerRejected: "rejected"
    case .triggerUnmatched: "unmatched"
    case .attributed: "attributed"
    default: nil
    }
  }

  /// The number of the event that accepted the triggering event.
  fileprivate var acceptedTrigger: Int64? {
    switch self {
    case .triggerUnmatched(let event): event.accepted
    case .attributed(let event): event.accepted
    default: nil
    }
  }

  fileprivate var triggerSource: Site? {
    switch self {
    case .triggerRejected(let event), .triggerIgnored(let event): event.requested?.source
    case .triggerUnmatched(let event): event.requested.source
    case .attributed(let event): event.key.source
    default: nil
    }
  }

  fileprivate var attributedReports: [Int64] {
    guard case .attributed(let event) = self else { return [] }
    return [event.sourceReport, event.destinationReport].compactMap { $0 }
  }

  fileprivate var tokenExchange: TokenExchangeRecord? {
    switch self {
    case .tokenRequested(.key(let exchange, _)), .tokenRequested(.signature(let exchange, _, _)): exchange
    case .tokenStored(let event): event.exchange
    case .tokenFailed(let event): event.exchange
    default: nil
    }
  }
}
