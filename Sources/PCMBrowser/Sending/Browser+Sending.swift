package import PCMCore
import PCMNetwork
import PCMStore

/// Sending of reports and postbacks. `ReportTimer` and `OutgoingMessage` decide within a transaction. This extension performs
/// their effects in order, after the commit.
///
/// An attempt is on disk before its request is sent, and its result afterward. After a crash in between, `recover` finds the
/// message in doubt.
///
/// The transaction that begins an attempt claims the browser for this instance and counts the attempt. The transactions that follow
/// change nothing when another instance has taken over the browser since, and the last one releases it.
extension Browser {
  /// Performs the due work, including network requests: a firing of the send timer, a retry, a postback, or the end
  /// of a conversion window. Returns when the browser is due next.
  ///
  /// Do not cancel the task: a message in flight would be abandoned.
  ///
  /// - Throws: `BrowserError.clockMoving` when another instance has claimed the browser, and `StoreError.unavailable` when the lease
  ///   of this instance has ended.
  @discardableResult
  package func step(at instant: Instant) async throws -> Due {
    try await perform(try await lock.sharing { try await beginAttempt(at: instant) })
  }

  private func beginAttempt(at instant: Instant) async throws -> SendingStep {
    let instance = store.instance
    // Under `webkit`, an attempt that sends nothing loses its report.
    guard store.mayAct else {
      throw StoreError.unavailable("the lease of this instance has ended, and it sends nothing until the lease is renewed")
    }
    let move = withState { $0.advance?.claim }
    return try await submitStep { writer, state in
      if let move { try writer.require(move) }
      try writer.claim(for: instance)
      state.move(to: instant)
      return try DueWork.begin(in: writer, &state)
    }
  }

  /// Submits a transaction of sending. If nothing is sent after it, it releases the browser, and saves when that is due next. A move
  /// of the clock keeps the browser until its end.
  ///
  /// - Parameter isRecovery: Whether the transaction belongs to no move of this instance.
  private func submitStep(
    isRecovery: Bool = false,
    _ body: @escaping @Sendable (any BrowserWriter, inout DecisionState) throws -> SendingStep
  ) async throws -> SendingStep {
    let isMoving = !isRecovery && withState { $0.advance != nil }
    let write = submit(waits: false) { [clockMode = record.clockMode] writer, state in
      var step = try body(writer, &state)
      if case .announce(let due) = step.action, !isMoving { try writer.release(due: due, clockMode) }
      step.claim = try writer.state().claim
      return step
    }
    do {
      let step = try await write.answer()
      if isMoving, !step.isDropped { withState { $0.advance?.claim = step.claim } }
      return step
    } catch let error as StoreError {
      if case .unknownOutcome = error { withState { $0.isInDoubt = true } }
      throw error
    }
  }

  /// Submits the transaction that follows a step. When another instance has taken over the browser since the step, it changes nothing.
  func submitStep(
    after claim: Claim, _ body: @escaping @Sendable (any BrowserWriter, inout DecisionState) throws -> SendingStep
  ) async throws -> SendingStep {
    try await submitStep { writer, state in
      guard try writer.state().claim == claim else {
        return SendingStep(action: .drop(try writer.nextScheduledWork()), context: state.context)
      }
      return try body(writer, &state)
    }
  }

  /// Performs the effect of a committed step, and the effects of the steps that follow.
  private func perform(_ committed: SendingStep) async throws -> Due {
    var step = committed
    var turns = YieldPacer()
    while true {
      switch step.action {
      case .announce(let due):
        announce(due)
        return due
      case .drop(let due):
        environment.storeMeter.didDropAttempt()
        return due
      case .fetchKeys(let report):
        await turns.end()
        step = try await fetchKeys(of: report, after: step)
      case .send(let message):
        await turns.end()
        step = try await send(message, after: step)
      case .sendSDKRequest(let request):
        await turns.end()
        step = try await send(request, after: step)
      }
    }
  }

  private func fetchKeys(of report: Report, after step: SendingStep) async throws -> SendingStep {
    guard let failure = await keyFailure(of: report, step.context) else { return try await noteKeys(of: report, after: step) }
    let at = time(since: step.context.now)
    return try await save(
      Attempt(at: at, wallAt: environment.wallClock(), exchange: Exchange(failure: failure)), of: report, step.claim)
  }

  private func send(_ message: any DeliverableMessage, after step: SendingStep) async throws -> SendingStep {
    let (sentAt, wallAt) = (time(since: step.context.now), environment.wallClock())
    let exchange = await send(message.request, for: .reports, step.context)
    return try await save(Attempt(at: sentAt, wallAt: wallAt, exchange: exchange), of: message, step.claim)
  }

  /// Records that the keys of a report were received. The report is then sent, unless it was cleared in the meantime.
  private func noteKeys(of report: Report, after step: SendingStep) async throws -> SendingStep {
    try await lock.sharing { try await commitKeys(of: report, at: time(since: step.context.now), step.claim) }
  }

  private func commitKeys(of report: Report, at now: Instant, _ claim: Claim) async throws -> SendingStep {
    let wallAt = environment.wallClock()
    do {
      return try await submitStep(after: claim) { writer, state in
        guard let report = try writer.row(Report.self, report.id) else {
          return SendingStep(action: .announce(try writer.nextScheduledWork()), context: state.context)
        }
        return try writer.step(.keysReceived, of: report, state.context)
      }
    } catch {
      // Nothing was sent. Without a result, the report would be in flight until a restart.
      let failure = TransportFailure(.interrupted, "the store could not record the attempt, so the message was not sent")
      let attempt = Attempt(at: now, wallAt: wallAt, exchange: Exchange(failure: failure))
      withState { $0.unsavedAttempt = (report, attempt, claim) }
      throw error
    }
  }

  /// Ends an attempt, and begins the next one of the same move of the clock.
  private func save(
    _ attempt: Attempt, of message: any DeliverableMessage, _ claim: Claim
  ) async throws -> SendingStep {
    withState { live in
      live.unsavedAttempt = (message, attempt, claim)
      live.advance?.countAttempt()
    }
    let mode = try await lock.enter(.sharing)
    defer { lock.leave(mode) }
    let move = withState { live in
      live.advance.flatMap { $0.combinesAttempts && !live.isAdvanceCanceled ? $0 : nil }
    }
    let end = AttemptEnd(attempt: attempt, move: move, wallNow: environment.wallClock())
    let step = try await submitStep(after: claim) { try end.save(message, in: $0, &$1) }
    withState { $0.unsavedAttempt = nil }
    return step
  }

  /// Saves the result that the store could not save the last time. Recovers a message in doubt: the store did not know whether the
  /// attempt began. Without either, the message would be in flight until a restart, and would not be retried.
  func saveUnsavedAttempt() async throws {
    if let (message, attempt, claim) = withState({ $0.unsavedAttempt }) {
      _ = try await perform(try await save(attempt, of: message, claim))
    }
    guard withState({ $0.isInDoubt }) else { return }
    try await recover()
    withState { $0.isInDoubt = false }
  }

  /// Performs everything that is due on a real clock, unless another instance has claimed the browser. Releases it afterward.
  package func runDueWork() async throws {
    try await sending.excluding {
      // A separate task, as in `advance`: cancellation must not interrupt a report that is being sent.
      do { try await Task { try await runWhatIsDue() }.value } catch BrowserError.clockMoving {}
    }
  }

  private func runWhatIsDue() async throws {
    try await saveUnsavedAttempt()
    let instance = store.instance
    let (due, start, isClaimed) = try await read { [self] in
      (try $0.nextScheduledWork(), try self.currentTime(in: $0), try $0.state().claim.instance == instance)
    }
    var (next, now) = (due.at, start)
    guard next.map({ $0 <= now }) ?? false else { return try await release(isClaimed ? instance : nil, due) }
    var turns = YieldPacer()
    // Each step announces the next due time.
    while let instant = next, instant <= now {
      next = try await step(at: instant).at
      now = time(since: now)
      await turns.end()
    }
  }

  /// Announces when the browser is due. Releases a claim if nothing was due.
  private func release(_ instance: Int64?, _ due: Due) async throws {
    guard let instance else { return announce(due) }
    _ = try await perform(
      try await submitStep { writer, state in
        try writer.claim(for: instance)
        return SendingStep(action: .announce(try writer.nextScheduledWork()), context: state.context)
      })
  }

  /// Recovers after a start of the store's only owner, when the instance is gone that had claimed the browser, or when the outcome of
  /// a transaction is not known: messages that were in flight are in doubt. Under `webkit`, reports count as sent and are lost;
  /// under `reliable`, they are retried, as are postbacks. On a real clock, the first round follows after five seconds, as when a
  /// browser starts. The call announces when the browser is next due.
  package func recover() async throws {
    let (clockMode, wallAt) = (record.clockMode, environment.wallClock())
    // In a store with one owner, every claim is from an earlier process.
    let instance = store.isShared ? store.instance : nil
    let (isNeeded, due) = try await read { reader in
      let (state, due) = (try reader.state(), try reader.nextScheduledWork())
      let isSaved = state.claim.instance == nil && state.dueAt == due.saved(for: clockMode)
      return (try !isSaved || SendingRecovery.isNeeded(in: reader, clockMode), due)
    }
    // Retries need no timer, but the scheduler must know about them.
    guard isNeeded else { return announce(due) }
    do {
      let step = try await submitStep(isRecovery: true) { writer, state in
        if let instance { try writer.claim(for: instance) }
        try writer.countAttempt()
        if try SendingRecovery.isNeeded(in: writer, clockMode) {
          try SendingRecovery(
            attempt: Attempt(at: state.now, wallAt: wallAt, exchange: .interrupted),
            policy: state.settings.deliveryPolicy.retries, clockMode: clockMode
          ).run(in: writer)
        }
        return SendingStep(action: .announce(try writer.nextScheduledWork()), context: state.context)
      }
      _ = try await perform(step)
    } catch BrowserError.clockMoving {
      // Another instance has taken over the browser in the meantime.
    }
  }
}

extension BrowserWriter {
  fileprivate func release(due: Due, _ clockMode: ClockMode) throws {
    var row = try state()
    (row.dueAt, row.claim.instance) = (due.saved(for: clockMode), nil)
    try save(row)
  }

  /// Saves when the browser, whose clock is real, is due next.
  func save(dueAt: Instant?) throws {
    var row = try state()
    guard row.dueAt != dueAt else { return }
    row.dueAt = dueAt
    try save(row)
  }
}

extension Due {
  /// The time that the browser's row has. Nothing is due on a manual clock until a call moves it.
  fileprivate func saved(for clockMode: ClockMode) -> Instant? { clockMode == .real ? at : nil }
}
