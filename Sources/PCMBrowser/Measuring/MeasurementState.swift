import PCMCore
import PCMStore

/// The clicks, the attributions, and the send timer of a browser, as decisions about them read and change them.
///
/// A browser of the service has them in rows, and logs each change (``StoredMeasurement``). A simulated user has them in memory, and
/// keeps only losses (``SimulatedMeasurement``). What decides is the same code: ``ClickTransaction``, ``TriggerHandling``, and the rules
/// that they apply.
protocol MeasurementState {
  associatedtype Failure: Error

  /// Whether decisions keep the values that their rules read.
  static var keepsInputs: Bool { get }

  /// Returns the number of the next record.
  func nextSequence() throws(Failure) -> Int64

  func click(_ key: ClickKey, in place: ClickPlace) throws(Failure) -> KeptClick?
  /// Returns the clicks of a place, ordered by number.
  func clicks(in place: ClickPlace, limit: Int) throws(Failure) -> [KeptClick]
  /// Returns the clicks of the table that were made before an instant, oldest first, then by number.
  func clicks(madeBefore instant: Instant) throws(Failure) -> [KeptClick]
  /// Returns a click of the table from this source, of any app. It prefers a click to this destination.
  mutating func nearestClick(source: Site, destination: Site) throws(Failure) -> KeptClick?
  mutating func save(_ click: KeptClick, in place: ClickPlace) throws(Failure)
  mutating func removeClick(_ key: ClickKey, in place: ClickPlace) throws(Failure)

  func attribution(_ key: ClickKey, in session: SessionKind) throws(Failure) -> Attribution?
  mutating func save(_ attribution: Attribution, in session: SessionKind) throws(Failure)
  /// Schedules the two reports of a new or renewed attribution.
  mutating func scheduleReports(
    of attribution: Attribution, in session: SessionKind, _ settings: BrowserSettings, at now: Instant) throws(Failure)
  /// Withdraws the reports of an attribution that were not sent.
  mutating func supersede(_ attribution: Attribution, at now: Instant) throws(Failure)
  /// Removes a private session's measurement and its pending reports, for the next click or at the end of the session.
  ///
  /// - Parameter event: `superseded` for the next click, or `cleared`.
  mutating func dropPrivateMeasurement(by event: OutgoingMessage.Event, at now: Instant) throws(Failure)
  /// Removes everything of a private session at its end (reference, section 3.3).
  mutating func endPrivateSession(at now: Instant) throws(Failure)
  mutating func changeTimer(_ change: (inout ReportTimer) -> Void) throws(Failure)
  /// Hands a click over to the device. Returns the request that follows; nil if the click does not count.
  mutating func handOver(_ donation: AppStoreDonation, isPrivateSession: Bool) throws(Failure) -> WebAdOrder?

  /// Notes an event. Returns its number and its time.
  @discardableResult
  mutating func append<Event: BrowserEvent>(
    _ event: @autoclosure () -> Event, at instant: Instant
  ) throws(Failure) -> (sequence: Int64, at: Instant)
}

extension MeasurementState {
  mutating func logReplacement(of previous: KeptClick, by successor: KeptClick, at now: Instant) throws(Failure) {
    try append(ClickReplaced(click: previous.id, successor: successor.id), at: now)
  }

  /// Removes unattributed clicks that are older than their lifetime and returns them (reference, section 3.2).
  @discardableResult
  mutating func expireClicks(at now: Instant) throws(Failure) -> [KeptClick] {
    let expired = try clicks(madeBefore: now - Click.lifetime)
    for gone in expired {
      try removeClick(gone.click.key, in: .table)
      try append(ClickExpired(click: gone.id, expiredAt: gone.click.expiresAt), at: now)
    }
    return expired
  }

  /// Applies a change of the settings to the timer and the sessions. Returns whether a private session ended.
  mutating func apply(
    _ after: MeasurementSettings, after before: MeasurementSettings, at now: Instant
  ) throws(Failure) -> Bool {
    try changeTimer { $0.change(from: before, to: after, at: now) }
    guard before.privateBrowsing, !after.privateBrowsing else { return false }
    try endPrivateSession(at: now)
    return true
  }

  /// - Parameter kind: `rejected`, or `notTriggering` for a redirect elsewhere than to the trigger path.
  mutating func refuse(
    _ kind: TriggerOutcome.Kind, _ rejection: Violation, firstParty: Site?, requested: RequestedTrigger?,
    _ observed: Provenance?, _ evaluation: RuleEvaluation, at now: Instant
  ) throws(Failure) -> TriggerOutcome {
    let reason = rejection.reason
    let event = try append(
      TriggerRejected(
        kind == .notTriggering ? .triggerIgnored : .triggerRejected, firstParty: firstParty, requested: requested,
        reasons: [reason], observed: observed, decision: RecordedDecision(evaluation)), at: now)
    return TriggerOutcome(
      kind: kind, reasons: [reason], trigger: requested, attribution: nil, sequence: event.sequence, at: event.at)
  }

  mutating func ignore(
    _ trigger: IgnoredTrigger, firstParty: Site?, _ observed: Provenance?, at now: Instant
  ) throws(Failure) -> TriggerOutcome {
    var evaluation = RuleEvaluation(of: RuleBook.ignoredTrigger, keepsInputs: Self.keepsInputs)
    let reason = evaluation.firstViolation(of: IgnoredTrigger.rules, to: trigger) ?? trigger.violation
    return try refuse(.notTriggering, reason, firstParty: firstParty, requested: nil, observed, evaluation, at: now)
  }
}
