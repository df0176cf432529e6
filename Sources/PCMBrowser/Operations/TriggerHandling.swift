import PCMCore
import PCMStore

/// Applies a valid triggering event to a browser's rows: ephemeral click, same-site rules, and attribution, in the order of
/// the reference (sections 3.3, 4.3, and 5). Its other inputs are properties.
struct TriggerHandling: Sendable {
  let event: TriggeringEvent
  private let now: Instant
  private let draws: SendTimes.Draws
  private let settings: BrowserSettings

  init(event: TriggeringEvent, at now: Instant, draws: SendTimes.Draws, settings: BrowserSettings) {
    self.event = event
    self.now = now
    self.draws = draws
    self.settings = settings
  }

  /// The same event after an exchange with a site, in the session in which it began.
  func resumed(at now: Instant) -> TriggerHandling {
    TriggerHandling(event: event, at: now, draws: draws, settings: settings)
  }

  private var times: SendTimes { SendTimes(after: now, draws: draws) }

  private var session: SessionKind { settings.measurement.privateBrowsing ? .privateBrowsing : .normal }
  private var ephemeralPlace: ClickPlace { session == .normal ? .ephemeral : .privateEphemeral }
  var table: ClickPlace { session == .normal ? .table : .privateTable }
  private var requested: RequestedTrigger {
    RequestedTrigger(trigger: event.target.trigger, source: event.key.source, destination: event.key.destination)
  }

  /// Handles the ephemeral click and the same-site rules, and completes the event unless it waits for a token.
  ///
  /// - Parameter evaluation: The evaluation of the rules so far.
  func admit(in writer: any BrowserWriter, _ evaluation: RuleEvaluation) throws -> TriggerAdmission {
    var evaluation = evaluation
    let (lost, released) = try takeEphemeralClick(in: writer, &evaluation)
    let outcome: TriggerOutcome?
    if let lost {
      outcome = try unmatched(lost.reason, lostClick: lost.click, accepted: nil, in: writer, evaluation)
    } else if let rejection = evaluation.firstViolation(of: TriggeringEvent.rules, to: event) {
      outcome = try writer.refuse(
        .rejected, rejection, firstParty: event.firstPartySite, requested: requested, event.observed, evaluation, at: now)
    } else if event.target.destinationNonce == nil {
      outcome = try conclude(.notRequested, in: writer, &evaluation)
    } else {
      outcome = nil
    }
    return TriggerAdmission(outcome: outcome, released: released, evaluation: evaluation)
  }

  /// Completes the event once the result of the token exchange is known. The rules add to the evaluation.
  func conclude(
    _ token: DestinationToken, in writer: any BrowserWriter, _ evaluation: inout RuleEvaluation
  ) throws -> TriggerOutcome {
    if let rejection = evaluation.firstViolation(of: DestinationToken.rules, to: token) {
      return try writer.refuse(
        .rejected, rejection, firstParty: event.firstPartySite, requested: requested, event.observed, evaluation, at: now)
    }
    let accepted = try writer.append(requested, at: now).sequence
    return try attribute(Accepted(sequence: accepted, token: token.token), in: writer, &evaluation)
  }

  /// An accepted event: the sequence number of its log entry, and its token.
  private struct Accepted {
    let sequence: Int64
    let token: SecretToken?
  }

  /// Removes the ephemeral click: the first valid event ends it. Without a reason, the event continues as usual.
  private func takeEphemeralClick(
    in writer: any BrowserWriter, _ evaluation: inout RuleEvaluation
  ) throws -> (lost: (reason: Violation, click: Int64?)?, released: KeptClick?) {
    let ephemeral = try writer.clicks(in: ephemeralPlace, after: 0, limit: 1).first
    if let ephemeral { try writer.removeClick(ephemeral.click.key, in: ephemeralPlace) }
    let situation = EphemeralClick.Situation(
      click: ephemeral, event: event, isPrivateSession: session == .privateBrowsing, now: now)
    switch EphemeralClick.decide(situation, &evaluation) {
    case .proceed: return (nil, nil)
    case .ignore(let reason): return ((reason, ephemeral?.id), nil)
    case .release(let ephemeral):
      try release(ephemeral, in: writer)
      return (nil, ephemeral)
    }
  }

  /// Stores a released click like any other. The private session holds one measurement, which the click replaces.
  private func release(_ ephemeral: KeptClick, in writer: any BrowserWriter) throws {
    if session == .privateBrowsing {
      for previous in try writer.clicks(in: table, after: 0, limit: .max) {
        try writer.logReplacement(of: previous, by: ephemeral, at: now)
      }
      try writer.dropPrivateMeasurements(by: .superseded, at: now)
    } else {
      try writer.expireClicks(at: now)
      if let previous = try writer.click(ephemeral.click.key, in: .table) {
        try writer.logReplacement(of: previous, by: ephemeral, at: now)
      }
    }
    try writer.save(ephemeral, in: table)
    try writer.append(ClickStored(.clickStored, ephemeral, origin: .ephemeralClick, decision: nil), at: now)
  }

  private func attribute(
    _ accepted: Accepted, in writer: any BrowserWriter, _ evaluation: inout RuleEvaluation
  ) throws -> TriggerOutcome {
    let expired = session == .normal ? try writer.expireClicks(at: now) : []
    let click = try writer.click(event.key, in: table)
    let attribution = try writer.attribution(event.key, in: session)
    let nearestMiss =
      click == nil && attribution == nil ? try whyNothing(expired: expired, in: writer) : .noClick(event.key)
    let situation = AttributionRule.Situation(
      click: click, attribution: attribution, trigger: event.target.trigger, nearestMiss: nearestMiss)
    switch AttributionRule.decide(situation, &evaluation) {
    case .attribute(let click, let replaced):
      try writer.removeClick(click.click.key, in: table)
      return try schedule(click, number: nil, replacing: replaced, accepted: accepted, in: writer, evaluation)
    case .retrigger(let attribution):
      return try schedule(
        attribution.click, number: attribution.id, replacing: attribution, accepted: accepted, in: writer, evaluation)
    case .consume(let click, let keeps, let reason):
      try consume(click, keeps: keeps, reason, in: writer)
      return try unmatched(reason, accepted: accepted.sequence, in: writer, evaluation)
    case .ignore(let reason): return try unmatched(reason, accepted: accepted.sequence, in: writer, evaluation)
    }
  }

  /// The click is consumed without effect. Its times still move the timer (section 5.2).
  private func consume(
    _ click: KeptClick, keeps: Attribution, _ reason: Violation, in writer: any BrowserWriter
  ) throws {
    try writer.removeClick(click.click.key, in: table)
    try writer.append(
      ClickConsumed(click: click.id, attribution: keeps.id, reasons: [reason.reason]), at: now)
    try moveTimer(in: writer)
  }

  /// Creates or renews an attribution with its two reports.
  private func schedule(
    _ click: KeptClick, number: Int64?, replacing replaced: Attribution?, accepted: Accepted, in writer: any BrowserWriter,
    _ evaluation: RuleEvaluation
  ) throws -> TriggerOutcome {
    if let replaced { try supersede(replaced, in: writer) }
    let sequence = try writer.nextSequence()
    let attribution = Attribution(
      id: number ?? sequence, click: click, trigger: event.target.trigger, destinationToken: accepted.token,
      attributedAt: now, source: .init(report: sequence + 1, dueAt: times.source),
      destination: .init(report: sequence + 2, dueAt: times.destination))
    try writer.save(attribution, in: session)
    try writer.append(
      Attributed(
        attribution, accepted: accepted.sequence, reasons: notes, observed: event.observed,
        decision: RecordedDecision(evaluation)), at: now)
    // A renewed attribution leaves the timer alone, as in WebKit (section 13, oddity 5).
    if number == nil { try moveTimer(in: writer) }
    try scheduleReport(.source, of: attribution, in: writer)
    try scheduleReport(.destination, of: attribution, in: writer)
    return TriggerOutcome(
      kind: .attributed, reasons: notes, trigger: requested, attribution: attribution, sequence: accepted.sequence,
      at: now)
  }

  private func supersede(_ replaced: Attribution, in writer: any BrowserWriter) throws {
    let halves = [replaced.source, replaced.destination].compactMap { $0 }
    _ = try writer.withdraw(halves.compactMap { try writer.row(Report.self, $0.report) }, by: .superseded, at: now)
    try writer.append(
      AttributionReplaced(
        requested: requested, attribution: replaced.id,
        reports: halves.map(\.report)), at: now)
  }

  private func scheduleReport(_ recipient: Recipient, of attribution: Attribution, in writer: any BrowserWriter) throws {
    guard let half = recipient == .source ? attribution.source : attribution.destination else { return }
    let report = Report(
      id: half.report, attribution: attribution.id, session: session, key: attribution.key, recipient: recipient,
      url: url(of: recipient, click: attribution.click.click),
      body: ReportBody.json(
        of: attribution.click.click, trigger: attribution.trigger, destinationToken: attribution.destinationToken
      ).text, sourceKeyID: attribution.click.click.token?.keyID, destinationKeyID: attribution.destinationToken?.keyID,
      dueAt: half.dueAt)
    try writer.save(report)
    let departures = settings.measurement.debugMode ? try DebugDepartures(writer) : nil
    let dueAt = report.departing(departures).dueAt
    try writer.append(
      ReportScheduled(report: report.id, attribution: attribution.id, recipient: recipient, url: report.url, dueAt: dueAt),
      at: now)
  }

  private func url(of recipient: Recipient, click: Click) -> String {
    if recipient == .source, settings.reportURL == .manifest, let written = click.reportEndpoint { return written }
    return ReportBody.url(at: recipient == .source ? click.key.source : click.key.destination)
  }

  private func moveTimer(in writer: any BrowserWriter) throws {
    var state = try writer.state()
    state.reportTimer.attribute(times, at: now, debugMode: settings.measurement.debugMode)
    try writer.save(state)
  }

  /// - Parameters:
  ///   - lostClick: The ephemeral click that the event lost; nil when there was none.
  ///   - accepted: The event's sequence number; nil when the ephemeral click ended the event.
  private func unmatched(
    _ reason: Violation, lostClick: Int64? = nil, accepted: Int64?, in writer: any BrowserWriter,
    _ evaluation: RuleEvaluation
  ) throws -> TriggerOutcome {
    let reasons = [reason.reason] + notes
    let logged = try writer.append(
      TriggerUnmatched(
        requested: requested, lostClick: lostClick, reasons: reasons, accepted: accepted, observed: event.observed,
        decision: RecordedDecision(evaluation)),
      at: now)
    return TriggerOutcome(
      kind: .unmatched, reasons: reasons, trigger: requested, attribution: nil, sequence: accepted ?? logged.sequence,
      at: logged.at)
  }

  private var notes: [Reason] { event.notes }

  /// Returns the reason that is closest to a match.
  private func whyNothing(expired: [KeptClick], in writer: any BrowserWriter) throws -> Violation {
    if let gone = expired.first(where: { $0.click.key == event.key }) {
      return .clickExpired(gone, at: now)
    }
    guard let near = try nearestClick(in: writer) else { return .noClick(event.key) }
    return near.click.key.destination == event.key.destination
      ? .otherApp(wanted: event.key.bundleIdentifier, clicked: near.click.key.bundleIdentifier)
      : .otherDestination(wanted: event.key.destination, clicked: near.click.key.destination)
  }

  /// An explanation must not reveal the clicks of the other session.
  private func nearestClick(in writer: any BrowserWriter) throws -> KeptClick? {
    guard session == .privateBrowsing else {
      return try writer.nearestClick(source: event.key.source, destination: event.key.destination)
    }
    return try writer.clicks(in: table, after: 0, limit: 1).first { $0.click.key.source == event.key.source }
  }
}

/// The result of the first transaction of an event.
struct TriggerAdmission: Sendable {
  /// Nil when the event waits for the destination's token.
  let outcome: TriggerOutcome?
  /// The ephemeral click that the event released and stored.
  let released: KeptClick?
  let evaluation: RuleEvaluation
}
