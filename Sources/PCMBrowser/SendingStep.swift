import PCMCore
import PCMDelivery
import PCMStore

/// The effects to perform after a transaction of sending.
struct SendingStep: Sendable {
  /// The report of the effect; nil when nothing is sent.
  var report: Report?
  var effect: OutgoingMessage.Effect = .announce
  let due: Due
  /// The time to which the transaction moved the clock; nil when it did not.
  var movedTo: Instant?
}

/// The start of an attempt: one round of the timer, or one retry.
///
/// Like each decision, it contains all its inputs except the rows, so a repeated transaction decides the same.
struct SendingRound: Sendable {
  let now: Instant
  let measurement: MeasurementSettings
  let draws: ReportTimer.Draws
  let positions: [String: Int64]

  func begin(in writer: any BrowserWriter) throws -> SendingStep {
    var state = try writer.state()
    (state.now, state.draws) = (now, positions)
    var evaluation = RuleEvaluation(of: RuleBook.sending)
    var (report, decision): (Report?, RecordedDecision?)
    if evaluation.firstViolation(of: MeasurementSettings.sendRules, to: measurement) != nil {
      report = nil
    } else if state.reportTimer.isFiring(at: now, evaluation: &evaluation) {
      report = try fire(&state.reportTimer, in: writer, &evaluation)
      decision = RecordedDecision(evaluation)
    } else {
      // The timer does not decide about retries, so no decision is logged.
      report = try dueRetry(in: writer)
    }
    try writer.save(state)
    guard var report else { return SendingStep(due: try writer.due()) }
    let effect = try writer.apply(.due, to: &report, at: now, decision: decision)
    return SendingStep(report: report, effect: effect, due: try writer.due())
  }

  /// Marks a half as sent, and returns its report.
  private func fire(_ timer: inout ReportTimer, in writer: any BrowserWriter, _ evaluation: inout RuleEvaluation) throws
    -> Report?
  {
    let earliest = try writer.earliestAttributions(limit: 2)
    let half = timer.fire(
      first: earliest.first, second: earliest.dropFirst().first, at: now, debugMode: measurement.debugMode, draws: draws,
      evaluation: &evaluation)
    guard let half, let report = try writer.report(half.report) else { return nil }
    var attribution = half.attribution
    attribution.markSent(half.recipient)
    try writer.save(attribution, in: report.session)
    return report
  }

  private func dueRetry(in writer: any BrowserWriter) throws -> Report? {
    guard let report = try writer.earliestRetries(limit: 1).first, let retryAt = report.retryAt, retryAt <= now
    else { return nil }
    return report
  }
}

/// The end of an attempt, with its result.
struct AttemptEnd: Sendable {
  let attempt: Attempt
  let now: Instant
  let policy: RetryPolicy
  let jitter: Double
  let positions: [String: Int64]

  func save(report id: Int64, in writer: any BrowserWriter) throws -> SendingStep {
    var state = try writer.state()
    state.draws = positions
    try writer.save(state)
    guard var report = try writer.report(id) else { return SendingStep(due: try writer.due()) }
    var evaluation = RuleEvaluation(of: Exchange.deliveryRuleList)
    let result = attempt.exchange.result(&evaluation)
    let effect = try writer.apply(
      .exchangeFinished(result, policy: policy, jitter: jitter), to: &report, at: now, attempt: attempt,
      decision: RecordedDecision(evaluation))
    return SendingStep(report: report, effect: effect, due: try writer.due())
  }
}

/// The end of an attempt, and the start of the next one if it belongs to the same move of the clock: one commit instead of
/// two.
struct AttemptTurnover: Sendable {
  let end: AttemptEnd
  let travel: Travel
  /// The machine's time.
  let wallNow: Instant
  let measurement: MeasurementSettings
  /// The random numbers of the next attempt, and the positions after they were drawn.
  let draws: ReportTimer.Draws
  let positions: [String: Int64]

  func save(report id: Int64, in writer: any BrowserWriter) throws -> SendingStep {
    let ended = try end.save(report: id, in: writer)
    guard ended.effect == .announce, let due = ended.due.at, due <= travel.end,
      travel.mayContinue(wallNow: wallNow, nextSequence: ended.due.version)
    else { return ended }
    let round = SendingRound(now: max(due, end.now), measurement: measurement, draws: draws, positions: positions)
    var begun = try round.begin(in: writer)
    begun.movedTo = round.now
    return begun
  }
}

/// The recovery of reports that were in flight when the process stopped.
struct SendingRecovery: Sendable {
  /// The result of each interrupted attempt.
  let attempt: Attempt
  let policy: RetryPolicy
  /// The correction of what the machine's clock determined, which follows; nil for a manual clock.
  let redating: Redating?

  func isNeeded(in reader: any BrowserReader) throws -> Bool {
    if try !reader.reports(in: .sending, after: 0, limit: 1).isEmpty { return true }
    guard let redating else { return false }
    return try redating.isNeeded(in: reader) || reader.state().timer != nil || !reader.earliestAttributions(limit: 1).isEmpty
  }

  func run(in writer: any BrowserWriter) throws {
    var evaluation = RuleEvaluation(of: Exchange.deliveryRuleList)
    let result = attempt.exchange.result(&evaluation)
    for var report in try writer.reports(in: .sending, after: 0, limit: .max) {
      _ = try writer.apply(
        .crashed(result, policy: policy), to: &report, at: attempt.at, attempt: attempt, decision: RecordedDecision(evaluation))
    }
    // A replay does not stop the process while a report is sent.
    guard redating != nil else { return try writer.endJournal(.interrupted) }
    var state = try writer.state()
    state.reportTimer.start(at: attempt.at)
    try writer.save(state)
  }
}

extension BrowserState {
  var reportTimer: ReportTimer {
    get { ReportTimer(firesAt: timer) }
    set { timer = newValue.firesAt }
  }
}
