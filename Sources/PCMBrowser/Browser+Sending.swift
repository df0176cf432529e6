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
    let (move, write) = withState { live in
      let move = live.move(to: instant)
      let undrawn = live.streams.positions
      let draws = live.streams.drawSpacing()
      let round = live.round(draws, from: undrawn, to: live.streams.positions, at: move.now)
      return (move, submit { try round.begin(in: $0) })
    }
    do {
      let step = try await write.answer()
      if step.isAboutTracking { withState { $0.streams.returnSpacing() } }
      return step
    } catch {
      // Nothing happened at this instant, and the store has no record of it.
      withState { $0.revert(move) }
      throw error
    }
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
        step = try await fetchKeys(of: report)
      case .send(let message):
        await turns.end()
        step = try await send(message)
      case .sendSDKRequest(let request):
        await turns.end()
        step = try await send(request)
      }
    }
  }

  private func fetchKeys(of report: Report) async throws -> SendingStep {
    guard let failure = await keyFailure(of: report) else { return try await noteKeys(of: report) }
    let attempt = Attempt(at: now, wallAt: world.wallClock(), exchange: Exchange(failure: failure))
    return try await save(attempt, of: report)
  }

  private func send(_ message: any DeliverableMessage) async throws -> SendingStep {
    let (sentAt, wallAt) = (now, world.wallClock())
    let exchange = await send(message.request, for: .reports)
    return try await save(Attempt(at: sentAt, wallAt: wallAt, exchange: exchange), of: message)
  }

  /// Records that the keys of a report were received. The report is then sent, unless it was cleared in the meantime.
  private func noteKeys(of report: Report) async throws -> SendingStep {
    try await lock.sharing { try await commitKeys(of: report) }
  }

  private func commitKeys(of report: Report) async throws -> SendingStep {
    let wallAt = world.wallClock()
    let (now, write) = withState { live in
      let now = live.now
      let write = submit { writer in
        guard let report = try writer.row(Report.self, report.id) else {
          return SendingStep(action: .announce(try writer.due()))
        }
        return try writer.step(.keysReceived, of: report, at: now)
      }
      return (now, write)
    }
    do {
      return try await write.answer()
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
    let wallNow = world.wallClock()
    let step = try await withState { live in
      let end = live.end(of: attempt, wallNow: wallNow)
      return submit { try end.save(message, in: $0) }
    }.answer()
    withState { live in
      live.unsavedAttempt = nil
      guard let instant = step.movedTo else { return }
      _ = live.move(to: instant)
      if !step.isAboutTracking { _ = live.streams.drawSpacing() }
    }
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
    let due = try await read { try $0.due() }
    var next = due.at
    var turns = Turns()
    while let instant = next, instant <= now {
      next = try await step(at: instant).at
      await turns.end()
    }
    // Each step announces the next due time. Without a step, this call must announce it.
    if next == due.at { announce(due) }
  }

  /// Recovers after a start: messages that were in flight are in doubt. Under `webkit`, reports count as sent and are
  /// lost; under `reliable`, they are retried, as are postbacks. On a real clock, the first round follows after five seconds, as when a browser
  /// starts. The call announces when the browser is next due.
  package func recover() async throws {
    let recovery = withState { live in
      SendingRecovery(
        attempt: Attempt(at: live.now, wallAt: world.wallClock(), exchange: .interrupted),
        policy: live.settings.deliveryPolicy.retries, clockMode: record.clockMode)
    }
    let (isNeeded, due) = try await read { (try recovery.isNeeded(in: $0), try $0.due()) }
    // Retries need no timer, but the scheduler must know about them.
    guard isNeeded else { return announce(due) }
    try await submit(isTimed: true) { try recovery.run(in: $0) }.answer()
  }
}

extension RuntimeState {
  fileprivate func round(
    _ draws: ReportTimer.Draws, from undrawn: [String: Int64], to positions: [String: Int64], at now: Instant
  ) -> SendingRound {
    SendingRound(
      measurement: settings.measurement, draws: draws, undrawn: undrawn, positions: positions, device: deviceContext(at: now))
  }

  fileprivate mutating func end(of attempt: Attempt, wallNow: Instant) -> AttemptEnd {
    let jitter = streams.unit(.backoff)
    var end = AttemptEnd(
      attempt: attempt, now: now, policy: settings.deliveryPolicy.retries, jitter: jitter, positions: streams.positions)
    if let advance, advance.combinesAttempts, !isAdvanceCanceled {
      // The next attempt draws its numbers only if it begins.
      var streams = streams
      let draws = streams.drawSpacing()
      let round = round(draws, from: end.positions, to: streams.positions, at: end.now)
      end.next = .init(move: advance, wallNow: wallNow, round: round)
    }
    return end
  }
}

extension RandomStreams {
  /// Returns the random numbers for one round of the send timer.
  fileprivate mutating func drawSpacing() -> ReportTimer.Draws {
    (afterSending: unit(.spacing), betweenReports: unit(.spacing))
  }

  /// Returns the numbers of a round that was about tracking. The reports then have the same times with and without it.
  fileprivate mutating func returnSpacing() { giveBack(2, to: .spacing) }
}
