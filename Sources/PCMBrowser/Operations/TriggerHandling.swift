import PCMCore
import PCMStore

/// Applies a valid triggering event to the measurement of a browser: ephemeral click, same-site rules, and attribution, in the order of
/// the reference (sections 3.3, 4.3, and 5). Its other inputs are properties.
struct TriggerHandling: Sendable {
  let event: TriggeringEvent
  /// Whether the event meets the rules that read nothing else.
  private let meetsRules: Bool
  private let trigger: Trigger
  private let now: Instant
  private let draws: SendTimes.Draws
  private let settings: BrowserSettings

  init(
    event: TriggeringEvent, meetsRules: Bool, trigger: Trigger, at now: Instant, draws: SendTimes.Draws,
    settings: BrowserSettings
  ) {
    self.event = event
    self.meetsRules = meetsRules
    self.trigger = trigger
    self.now = now
    self.draws = draws
    self.settings = settings
  }

  /// The same event after an exchange with a site, in the session in which it began.
  func resumed(at now: Instant) -> TriggerHandling {
    TriggerHandling(event: event, meetsRules: meetsRules, trigger: trigger, at: now, draws: draws, settings: settings)
  }

  private var times: SendTimes { SendTimes(after: now, draws: draws) }

  private var session: SessionKind { settings.measurement.privateBrowsing ? .privateBrowsing : .normal }
  private var ephemeralPlace: ClickPlace { session == .normal ? .ephemeral : .privateEphemeral }
  var table: ClickPlace { session == .normal ? .table : .privateTable }
  private var requested: RequestedTrigger {
    RequestedTrigger(trigger: trigger, source: event.key.source, destination: event.key.destination)
  }

  /// Handles the ephemeral click and the same-site rules, and completes the event unless it waits for a token.
  ///
  /// - Parameter evaluation: The evaluation of the rules so far.
  func admit<State: MeasurementState>(in state: inout State, _ evaluation: RuleEvaluation) throws(State.Failure)
    -> TriggerAdmission
  {
    var evaluation = evaluation
    let (lost, released) = try takeEphemeralClick(in: &state, &evaluation)
    let outcome: TriggerOutcome?
    if let lost {
      outcome = try unmatched(lost.reason, lostClick: lost.click, accepted: nil, in: &state, evaluation)
    } else if State.keepsInputs || !meetsRules, let rejection = event.violation(&evaluation) {
      outcome = try state.refuse(
        .rejected, rejection, firstParty: event.firstPartySite, requested: requested, event.observed, evaluation, at: now)
    } else if event.target.destinationNonce == nil {
      outcome = try conclude(.notRequested, in: &state, &evaluation)
    } else {
      outcome = nil
    }
    return TriggerAdmission(outcome: outcome, released: released, evaluation: evaluation)
  }

  /// Completes the event once the result of the token exchange is known. The rules add to the evaluation.
  func conclude<State: MeasurementState>(
    _ token: DestinationToken, in state: inout State, _ evaluation: inout RuleEvaluation
  ) throws(State.Failure) -> TriggerOutcome {
    if let rejection = token.violation(&evaluation) {
      return try state.refuse(
        .rejected, rejection, firstParty: event.firstPartySite, requested: requested, event.observed, evaluation, at: now)
    }
    let accepted = try state.append(requested, at: now).sequence
    return try attribute(Accepted(sequence: accepted, token: token.token), in: &state, &evaluation)
  }

  /// An accepted event: the sequence number of its log entry, and its token.
  private struct Accepted {
    let sequence: Int64
    let token: SecretToken?
  }

  /// Removes the ephemeral click: the first valid event ends it. Without a reason, the event continues as usual.
  private func takeEphemeralClick<State: MeasurementState>(
    in state: inout State, _ evaluation: inout RuleEvaluation
  ) throws(State.Failure) -> (lost: (reason: Violation, click: Int64?)?, released: KeptClick?) {
    let ephemeral = try state.clicks(in: ephemeralPlace, limit: 1).first
    if let ephemeral { try state.removeClick(ephemeral.click.key, in: ephemeralPlace) }
    let situation = EphemeralClick.Situation(
      click: ephemeral, event: event, isPrivateSession: session == .privateBrowsing, now: now)
    switch EphemeralClick.decide(situation, &evaluation) {
    case .proceed: return (nil, nil)
    case .ignore(let reason): return ((reason, ephemeral?.id), nil)
    case .release(let ephemeral):
      try release(ephemeral, in: &state)
      return (nil, ephemeral)
    }
  }

  /// Stores a released click like any other. The private session holds one measurement, which the click replaces.
  private func release<State: MeasurementState>(_ ephemeral: KeptClick, in state: inout State) throws(State.Failure) {
    if session == .privateBrowsing {
      for previous in try state.clicks(in: table, limit: .max) {
        try state.logReplacement(of: previous, by: ephemeral, at: now)
      }
      try state.dropPrivateMeasurement(by: .superseded, at: now)
    } else {
      try state.expireClicks(at: now)
      if let previous = try state.click(ephemeral.click.key, in: .table) {
        try state.logReplacement(of: previous, by: ephemeral, at: now)
      }
    }
    try state.save(ephemeral, in: table)
    try state.append(ClickStored(.clickStored, ephemeral, origin: .ephemeralClick, decision: nil), at: now)
  }

  /// The nearest miss of an event with a click or an attribution, which no rule reads.
  private static let unread = Violation("no-click", "")

  private func attribute<State: MeasurementState>(
    _ accepted: Accepted, in state: inout State, _ evaluation: inout RuleEvaluation
  ) throws(State.Failure) -> TriggerOutcome {
    let expired = session == .normal ? try state.expireClicks(at: now) : []
    let click = try state.click(event.key, in: table)
    let attribution = try state.attribution(event.key, in: session)
    let nearestMiss = click == nil && attribution == nil ? try whyNothing(expired: expired, in: &state) : Self.unread
    let situation = AttributionRule.Situation(
      click: click, attribution: attribution, trigger: trigger, nearestMiss: nearestMiss)
    switch AttributionRule.decide(situation, &evaluation) {
    case .attribute(let click, let replaced):
      try state.removeClick(click.click.key, in: table)
      return try schedule(click, number: nil, replacing: replaced, accepted: accepted, in: &state, evaluation)
    case .retrigger(let attribution):
      return try schedule(
        attribution.click, number: attribution.id, replacing: attribution, accepted: accepted, in: &state, evaluation)
    case .consume(let click, let keeps, let reason):
      try consume(click, keeps: keeps, reason, in: &state)
      return try unmatched(reason, accepted: accepted.sequence, in: &state, evaluation)
    case .ignore(let reason): return try unmatched(reason, accepted: accepted.sequence, in: &state, evaluation)
    }
  }

  /// The click is consumed without effect. Its times still move the timer (section 5.2).
  private func consume<State: MeasurementState>(
    _ click: KeptClick, keeps: Attribution, _ reason: Violation, in state: inout State
  ) throws(State.Failure) {
    try state.removeClick(click.click.key, in: table)
    try state.append(
      ClickConsumed(click: click.id, attribution: keeps.id, reasons: [reason.reason]), at: now)
    try moveTimer(in: &state)
  }

  /// Creates or renews an attribution with its two reports.
  private func schedule<State: MeasurementState>(
    _ click: KeptClick, number: Int64?, replacing replaced: Attribution?, accepted: Accepted, in state: inout State,
    _ evaluation: RuleEvaluation
  ) throws(State.Failure) -> TriggerOutcome {
    if let replaced { try supersede(replaced, in: &state) }
    let sequence = try state.nextSequence()
    let attribution = Attribution(
      id: number ?? sequence, click: click, trigger: trigger, destinationToken: accepted.token,
      attributedAt: now, source: .init(report: sequence + 1, dueAt: times.source),
      destination: .init(report: sequence + 2, dueAt: times.destination))
    try state.save(attribution, in: session)
    try state.append(
      Attributed(
        attribution, accepted: accepted.sequence, reasons: notes, observed: event.observed,
        decision: RecordedDecision(evaluation)), at: now)
    // A renewed attribution leaves the timer alone, as in WebKit (section 13, oddity 5).
    if number == nil { try moveTimer(in: &state) }
    try state.scheduleReports(of: attribution, in: session, settings, at: now)
    return TriggerOutcome(
      kind: .attributed, reasons: notes, trigger: requested, attribution: attribution, sequence: accepted.sequence,
      at: now)
  }

  private func supersede<State: MeasurementState>(_ replaced: Attribution, in state: inout State) throws(State.Failure) {
    try state.supersede(replaced, at: now)
    try state.append(
      AttributionReplaced(
        requested: requested, attribution: replaced.id,
        reports: [replaced.source, replaced.destination].compactMap { $0?.report }), at: now)
  }

  private func moveTimer<State: MeasurementState>(in state: inout State) throws(State.Failure) {
    try state.changeTimer { $0.attribute(times, at: now, debugMode: settings.measurement.debugMode) }
  }

  /// - Parameters:
  ///   - lostClick: The ephemeral click that the event lost; nil when there was none.
  ///   - accepted: The event's sequence number; nil when the ephemeral click ended the event.
  private func unmatched<State: MeasurementState>(
    _ reason: Violation, lostClick: Int64? = nil, accepted: Int64?, in state: inout State,
    _ evaluation: RuleEvaluation
  ) throws(State.Failure) -> TriggerOutcome {
    let reasons = notes.isEmpty ? [reason.reason] : [reason.reason] + notes
    let logged = try state.append(
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
  private func whyNothing<State: MeasurementState>(
    expired: [KeptClick], in state: inout State
  ) throws(State.Failure) -> Violation {
    if let gone = expired.first(where: { $0.click.key == event.key }) {
      return .clickExpired(gone, at: now)
    }
    guard let near = try nearestClick(in: &state) else { return .noClick(event.key) }
    return near.click.key.destination == event.key.destination
      ? .otherApp(wanted: event.key.bundleIdentifier, clicked: near.click.key.bundleIdentifier)
      : .otherDestination(wanted: event.key.destination, clicked: near.click.key.destination)
  }

  /// An explanation must not reveal the clicks of the other session.
  private func nearestClick<State: MeasurementState>(in state: inout State) throws(State.Failure) -> KeptClick? {
    guard session == .privateBrowsing else {
      return try state.nearestClick(source: event.key.source, destination: event.key.destination)
    }
    return try state.clicks(in: table, limit: 1).first { $0.click.key.source == event.key.source }
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
