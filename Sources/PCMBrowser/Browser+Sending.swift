package import PCMCore
import PCMDelivery
import PCMStore

/// Sending. `ReportTimer` and `OutgoingMessage` decide within a transaction; what they ask for is done here, in order, when
/// it is committed.
///
/// The attempt is on disk before the bytes leave, and its result after: a crash in between leaves a report that is
/// known to be in doubt (`recover`).
extension Browser {
  /// Does the one thing that is due, network included: a firing of the send timer, or a retry. Returns when the browser
  /// is due next.
  ///
  /// Not to be cancelled: a report that is under way would be given up.
  @discardableResult
  package func step(at instant: Instant) async throws -> Instant? {
    await settleSettings()
    let start = lastNow
    lastNow = max(lastNow, instant)
    let draws = ReportTimer.Draws(afterSending: streams.unit(.spacing), betweenReports: streams.unit(.spacing))
    let round = SendingRound(now: now, session: settings.session, draws: draws, positions: streams.positions)
    let begun: SendingStep
    do {
      begun = try await commit { try round.begin(in: $0) }
    } catch {
      // Nothing has happened at this instant, and after a restart nobody would know of it.
      lastNow = start
      throw error
    }
    return try await perform(begun)
  }

  /// Performs what a committed step asks for, and what the steps ask for that follow from it.
  private func perform(_ committed: SendingStep) async throws -> Instant? {
    var step = committed
    while let report = step.report, step.effect != .announce {
      step = step.effect == .send ? try await send(report) : try await fetchKeys(of: report)
    }
    announce(step.due)
    return step.due.at
  }

  private func fetchKeys(of report: Report) async throws -> SendingStep {
    guard let failure = await keyFailure(of: report) else { return try await noteKeys(of: report) }
    let attempt = Attempt(at: now, wallAt: world.wallClock(), exchange: Exchange(failure: failure))
    return try await save(attempt, of: report.id)
  }

  private func send(_ report: Report) async throws -> SendingStep {
    let (sentAt, wallAt) = (now, world.wallClock())
    let (world, request) = (world, BrowserRequest.report(url: report.url, body: report.body))
    let exchange = await world.transport.send(request, route: world.route)
    return try await save(Attempt(at: sentAt, wallAt: wallAt, exchange: exchange), of: report.id)
  }

  /// Notes that the keys of a report have been received, whereupon it leaves unless it was cleared meanwhile.
  private func noteKeys(of report: Report) async throws -> SendingStep {
    let (now, wallAt) = (now, world.wallClock())
    do {
      return try await commit { writer in
        guard var report = try writer.report(report.id) else { return SendingStep(due: try writer.due()) }
        let effect = try writer.apply(.keysReceived, to: &report, at: now)
        return SendingStep(report: report, effect: effect, due: try writer.due())
      }
    } catch {
      // Nothing has left; without a result the report would be under way until a restart.
      let failure = TransportFailure(.interrupted, "the store did not take note that the report was about to leave")
      unsavedAttempt = (report.id, Attempt(at: now, wallAt: wallAt, exchange: Exchange(failure: failure)))
      throw error
    }
  }

  private func save(_ attempt: Attempt, of report: Int64) async throws -> SendingStep {
    unsavedAttempt = (report, attempt)
    await settleSettings()
    let end = AttemptEnd(
      attempt: attempt, now: now, policy: settings.deliveryPolicy.retries, jitter: streams.unit(.backoff),
      positions: streams.positions)
    let step = try await commit { try end.save(report: report, in: $0) }
    unsavedAttempt = nil
    return step
  }

  /// Saves the result that the store refused the last time: without it the report would be under way until a restart,
  /// and under `reliable` nobody would send it again.
  func saveUnsavedAttempt() async throws {
    guard let (report, attempt) = unsavedAttempt else { return }
    _ = try await perform(try await save(attempt, of: report))
  }

  /// What a real clock does when it wakes up: everything that is due.
  package func runDue() async throws {
    try await mutex.withLock {
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
    if next == due.at { announce(due) }
  }

  /// After a start: reports that were under way are in doubt. Under `webkit` they count as sent and are lost, under
  /// `reliable` they are sent again. A real clock's first sweep comes five seconds later, as when a browser starts.
  package func recover() async throws {
    let recovery = SendingRecovery(
      attempt: Attempt(at: now, wallAt: world.wallClock(), exchange: .interrupted), policy: settings.deliveryPolicy.retries,
      isRealClock: record.clockMode == .real)
    guard try await store.read(record.id, { try recovery.isNeeded(in: $0) }) else { return }
    try await transact { try recovery.run(in: $0) }
  }
}
