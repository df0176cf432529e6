package import PCMCore
import PCMNetwork
import PCMStore

/// Sending of reports and postbacks. `ReportTimer` and `OutgoingMessage` decide within a transaction. This extension performs
/// their effects in order, after the commit.
///
/// An attempt is on disk before its request is sent, and its result afterward. After a crash in between, `recover` finds the
/// message in doubt.
extension Browser {
  /// Performs the one thing that is due, including network requests: a firing of the send timer, a retry, a postback, or the end
  /// of a conversion window. Returns when the browser is due next.
  ///
  /// Do not cancel the task: a message in flight would be abandoned.
  @discardableResult
  package func step(at instant: Instant) async throws -> Due {
    try await perform(try await lock.sharing { try await beginAttempt(at: instant) })
  }

  private func beginAttempt(at instant: Instant) async throws -> SendingStep {
    try await submit { writer, state in
      state.move(to: instant)
      return try SendingRound.begin(in: writer, &state)
    }.answer()
  }

  /// Performs the effect of a committed step, and the effects of the steps that follow.
  private func perform(_ committed: SendingStep) async throws -> Due {
    var step = committed
    var turns = Turns()
    while true {
      switch step.action {
      case .announce(let due):
        announce(due)
        return due
      case .fetchKeys(let report):
        await turns.end()
        step = try await fetchKeys(of: report, step.context)
      case .send(let message):
        await turns.end()
        step = try await send(message, step.context)
      case .sendSDKRequest(let request):
        await turns.end()
        step = try await send(request, step.context)
      }
    }
  }

  private func fetchKeys(of report: Report, _ context: RequestContext) async throws -> SendingStep {
    guard let failure = await keyFailure(of: report, context) else {
      return try await noteKeys(of: report, since: context.now)
    }
    let attempt = Attempt(at: time(since: context.now), wallAt: world.wallClock(), exchange: Exchange(failure: failure))
    return try await save(attempt, of: report)
  }

  private func send(_ message: any DeliverableMessage, _ context: RequestContext) async throws -> SendingStep {
    let (sentAt, wallAt) = (time(since: context.now), world.wallClock())
    let exchange = await send(message.request, for: .reports, context)
    return try await save(Attempt(at: sentAt, wallAt: wallAt, exchange: exchange), of: message)
  }

  /// Records that the keys of a report were received. The report is then sent, unless it was cleared in the meantime.
  private func noteKeys(of report: Report, since instant: Instant) async throws -> SendingStep {
    try await lock.sharing { try await commitKeys(of: report, at: time(since: instant)) }
  }

  private func commitKeys(of report: Report, at now: Instant) async throws -> SendingStep {
    let wallAt = world.wallClock()
    do {
      return try await submit { writer, state in
        guard let report = try writer.row(Report.self, report.id) else {
          return SendingStep(action: .announce(try writer.due()), context: state.context)
        }
        return try writer.step(.keysReceived, of: report, state.context)
      }.answer()
    } catch {
      // Nothing was sent. Without a result, the report would be in flight until a restart.
      let failure = TransportFailure(.interrupted, "the store could not record the attempt, so the message was not sent")
      let attempt = Attempt(at: now, wallAt: wallAt, exchange: Exchange(failure: failure))
      withState { $0.unsavedAttempt = (report, attempt) }
      throw error
    }
  }

  /// Ends an attempt, and begins the next one of the same move of the clock.
  private func save(_ attempt: Attempt, of message: any DeliverableMessage) async throws -> SendingStep {
    withState { live in
      live.unsavedAttempt = (message, attempt)
      live.advance?.countAttempt()
    }
    let mode = try await lock.enter(.sharing)
    defer { lock.leave(mode) }
    let move = withState { live in
      live.advance.flatMap { $0.combinesAttempts && !live.isAdvanceCanceled ? $0 : nil }
    }
    let end = AttemptEnd(attempt: attempt, move: move, wallNow: world.wallClock())
    let step = try await submit { try end.save(message, in: $0, &$1) }.answer()
    withState { $0.unsavedAttempt = nil }
    return step
  }

  /// Saves the result that the store could not save the last time. Without it, the message would be in flight until
  /// a restart, and would not be retried.
  func saveUnsavedAttempt() async throws {
    guard let (message, attempt) = withState({ $0.unsavedAttempt }) else { return }
    _ = try await perform(try await save(attempt, of: message))
  }

  /// Performs everything that is due on a real clock.
  package func runDue() async throws {
    try await sending.excluding {
      // A separate task, as in `advance`: cancellation must not interrupt a report that is being sent.
      try await Task { try await runWhatIsDue() }.value
    }
  }

  private func runWhatIsDue() async throws {
    try await saveUnsavedAttempt()
    let (due, start) = try await read { [self] in (try $0.due(), try self.now(in: $0)) }
    var (next, now) = (due.at, start)
    var turns = Turns()
    while let instant = next, instant <= now {
      next = try await step(at: instant).at
      now = time(since: now)
      await turns.end()
    }
    // Each step announces the next due time. Without a step, this call must announce it.
    if next == due.at { announce(due) }
  }

  /// Recovers after a start: messages that were in flight are in doubt. Under `webkit`, reports count as sent and are
  /// lost; under `reliable`, they are retried, as are postbacks. On a real clock, the first round follows after five seconds, as when a browser
  /// starts. The call announces when the browser is next due.
  package func recover() async throws {
    let (clockMode, wallAt) = (record.clockMode, world.wallClock())
    let (isNeeded, due) = try await read { (try SendingRecovery.isNeeded(in: $0, clockMode), try $0.due()) }
    // Retries need no timer, but the scheduler must know about them.
    guard isNeeded else { return announce(due) }
    try await submit(isTimed: true) { writer, state in
      try SendingRecovery(
        attempt: Attempt(at: state.now, wallAt: wallAt, exchange: .interrupted),
        policy: state.settings.deliveryPolicy.retries, clockMode: clockMode
      ).run(in: writer)
    }.answer()
  }
}
