package import PCMCore
import PCMDelivery
import PCMStore

extension Browser {
  /// Does the one thing that is due, network included: a firing of the send timer, or a retry. Returns when the browser
  /// is due next.
  ///
  /// Not to be cancelled: a report that is under way would be given up.
  ///
  /// The attempt is on disk before the bytes leave, and its result after: a crash in between leaves a report that is
  /// known to be in doubt (`recover`).
  @discardableResult
  package func step(at instant: Instant) async throws -> Instant? {
    await settleSettings()
    let start = lastNow
    lastNow = max(lastNow, instant)
    let draws = SendRound.Draws(afterSending: streams.unit(.spacing), betweenReports: streams.unit(.spacing))
    let sending = Sending(now: now, settings: settings, draws: draws, positions: streams.positions)
    let (report, due): (Report?, Due)
    do {
      (report, due) = try await commit { (try sending.begin(in: $0), try $0.due()) }
    } catch {
      // Nothing has happened at this instant, and after a restart nobody would know of it.
      lastNow = start
      throw error
    }
    if let report { return try await send(report) }
    await announce(due)
    return due.at
  }

  private func send(_ report: Report) async throws -> Instant? {
    if !report.signers.isEmpty {
      if let problem = await keyProblem(of: report) {
        let attempt = Attempt(at: now, wallAt: world.wallClock(), exchange: Exchange(failure: problem))
        return try await save(attempt, of: report.id)
      }
      let departure = try await noteDeparture(of: report)
      guard departure.leaves else {
        await announce(departure.due)
        return departure.due.at
      }
    }
    let (sentAt, wallAt) = (now, world.wallClock())
    let (world, request) = (world, BrowserRequest.report(url: report.url, body: report.body))
    let exchange = await world.transport.send(request, route: world.route)
    return try await save(Attempt(at: sentAt, wallAt: wallAt, exchange: exchange), of: report.id)
  }

  private func save(_ attempt: Attempt, of report: Int64) async throws -> Instant? {
    unsavedAttempt = (report, attempt)
    await settleSettings()
    let result = SendingResult(
      attempt: attempt, now: now, policy: settings.deliveryPolicy, jitter: streams.unit(.backoff), positions: streams.positions)
    let due = try await commit { writer in
      try result.save(report: report, in: writer)
      return try writer.due()
    }
    unsavedAttempt = nil
    await announce(due)
    return due.at
  }

  /// Saves the result that the store refused the last time: without it the report would be under way until a restart,
  /// and under `reliable` nobody would send it again.
  func saveUnsavedAttempt() async throws {
    guard let (report, attempt) = unsavedAttempt else { return }
    _ = try await save(attempt, of: report)
  }

  /// What a real clock does when it wakes up: everything that is due.
  package func runDue() async throws {
    try await turn.hold {
      // A task of its own, as in `advance`: no report is given up half sent.
      try await Task { try await runWhatIsDue() }.value
    }
  }

  private func runWhatIsDue() async throws {
    try await saveUnsavedAttempt()
    let due = try await store.read(record.id) { try $0.due() }
    var next = due.at
    while let instant = next, instant <= now { next = try await step(at: instant) }
    // Each step announces by itself; who was woken for nothing must be put back in line.
    if next == due.at { await announce(due) }
  }

  /// After a start: reports that were under way are in doubt. Under `webkit` they count as sent and are lost, under
  /// `reliable` they are sent again. A real clock's first sweep comes five seconds later, as when a browser starts.
  package func recover() async throws {
    let recovery = SendingRecovery(
      now: now, wallNow: world.wallClock(), policy: settings.deliveryPolicy, isRealClock: record.clockMode == .real)
    guard try await store.read(record.id, { try recovery.isNeeded(in: $0) }) else { return }
    try await transact { try recovery.run(in: $0) }
  }
}

/// The first half of a sending: one round of the timer, or one retry.
private struct Sending: Sendable {
  let now: Instant
  let settings: BrowserSettings
  let draws: SendRound.Draws
  let positions: [String: Int64]

  /// Returns the report to send, marked as being sent.
  func begin(in writer: any BrowserWriter) throws -> Report? {
    var state = try writer.state()
    state.now = now
    state.draws = positions
    var trace = RuleTrace()
    if trace.firstObjection(of: Session.sendRules, to: settings.session) != nil {
      try writer.save(state)
      return nil
    }
    let situation = SendTimer.Situation(timer: state.timer, now: now)
    if trace.firstObjection(of: SendTimer.rules, to: situation) != nil {
      try writer.save(state)
      return try retry(in: writer)
    }
    let earliest = try writer.earliestAttributions(limit: 2)
    let round = SendRound.decide(
      first: earliest.first, second: earliest.dropFirst().first, at: now, debugMode: settings.session.debugMode, draws: draws,
      trace: &trace)
    state.timer = round.timer
    try writer.save(state)
    guard let send = round.send else { return nil }
    return try begin(send, in: writer, trace)
  }

  private func begin(_ send: SendRound.Send, in writer: any BrowserWriter, _ trace: RuleTrace) throws -> Report? {
    guard var report = try writer.report(send.report) else { return nil }
    var attribution = send.attribution
    attribution.markSent(send.recipient)
    try writer.save(attribution, in: report.session)
    try mark(&report, in: writer, trace)
    return report
  }

  private func retry(in writer: any BrowserWriter) throws -> Report? {
    guard var report = try writer.earliestRetries(limit: 1).first, let retryAt = report.retryAt, retryAt <= now
    else { return nil }
    try mark(&report, in: writer, nil)
    return report
  }

  /// - Parameter trace: why the report goes out now; nil for a retry, which is not the timer's business.
  private func mark(_ report: inout Report, in writer: any BrowserWriter, _ trace: RuleTrace?) throws {
    report.state = .sending
    report.retryAt = nil
    try writer.save(report)
    if report.signers.isEmpty {
      try writer.append(report.departure(trace), at: now)
    } else {
      try writer.append(report.keyCheck(trace), at: now)
    }
  }
}

/// The second half of a sending: what came of it.
private struct SendingResult: Sendable {
  let attempt: Attempt
  let now: Instant
  let policy: DeliveryPolicy
  let jitter: Double
  let positions: [String: Int64]

  func save(report id: Int64, in writer: any BrowserWriter) throws {
    var state = try writer.state()
    state.draws = positions
    try writer.save(state)
    guard var report = try writer.report(id) else { return }
    try finish(&report, in: writer)
  }

  func finish(_ report: inout Report, in writer: any BrowserWriter) throws {
    report.attempts.append(attempt.json.text)
    var trace = RuleTrace()
    let outcome = DeliveryRule.decide(
      attempt.exchange, policy: policy, attempt: report.attempts.count, at: now, jitter: jitter, trace: &trace)
    let (id, recipient, number, decision) = (report.id, report.recipient, report.attempts.count, RecordedDecision(trace))
    let finished = { (retryAt: Instant?, reasons: [Reason]) in
      ReportFinished(
        report: id, recipient: recipient, attempt: Int64(number),
        httpStatus: attempt.exchange.httpStatus.map(Int64.init), retryAt: retryAt, reasons: reasons,
        decision: decision)
    }
    let event: BrowserEvent
    switch outcome {
    case .delivered:
      event = .reportDelivered(finished(nil, []))
      report.state = .delivered
    case .failed(let reason):
      event = .reportFailed(finished(nil, [reason]))
      report.state = .failed
    case .retry(_, let reason) where report.state == .cleared:
      // Cleared while it was under way: it has left, and it does not leave again.
      event = .reportFailed(finished(nil, [reason]))
    case .retry(let retryAt, let reason):
      event = .reportRetryScheduled(finished(retryAt, [reason]))
      report.state = .scheduled
      report.retryAt = retryAt
    }
    try writer.save(report)
    try writer.append(event, at: now)
  }
}

/// Puts in order what a stop of the process left behind.
private struct SendingRecovery: Sendable {
  let now: Instant
  let wallNow: Instant
  let policy: DeliveryPolicy
  let isRealClock: Bool

  func isNeeded(in reader: any BrowserReader) throws -> Bool {
    if try !reader.reports(in: .sending, after: 0, limit: 1).isEmpty { return true }
    guard isRealClock else { return false }
    return try reader.state().timer != nil || !reader.earliestAttributions(limit: 1).isEmpty
  }

  func run(in writer: any BrowserWriter) throws {
    let attempt = Attempt(at: now, wallAt: wallNow, exchange: DeliveryRule.interrupted)
    let positions = try writer.state().draws
    let result = SendingResult(attempt: attempt, now: now, policy: policy, jitter: 0, positions: positions)
    for var report in try writer.reports(in: .sending, after: 0, limit: .max) { try result.finish(&report, in: writer) }
    guard isRealClock else { return }
    var state = try writer.state()
    state.timer = now + SendTimer.afterStart
    try writer.save(state)
  }
}
