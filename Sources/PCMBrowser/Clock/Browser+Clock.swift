package import PCMCore
import PCMNetwork
import PCMStore

extension Browser {
  /// Advances a manual clock and performs everything that becomes due on the way, in order, including network requests.
  ///
  /// Other operations wait until the advance is over. It claims the browser, so that other instances also wait. At a limit, and
  /// when the task is canceled, it stops between two steps, never within a report that is being sent.
  ///
  /// - Parameter request: The request with its key; nil without one.
  /// - Throws: `BrowserError.clockMoving` when another advance is under way, and `BrowserError.requestInterrupted` when another instance
  ///   has taken over the browser.
  package func advance(
    _ move: ClockAdvance, within budget: AdvanceBudget = AdvanceBudget(), for request: KeyedRequest<AdvanceResult>? = nil
  ) async throws -> AdvanceResult {
    guard record.clockMode == .manual else {
      throw BrowserError.conflict(
        "the clock of this browser is real and cannot be moved; create a browser with clock.mode \"manual\"")
    }
    guard withState({ $0.beginAdvance() }) else { throw BrowserError.clockMoving }
    defer { withState { $0.isAdvancing = false } }
    return try await lock.excluding {
      // The caller may have gone while the advance waited.
      try Task.checkCancellation()
      // A separate task: cancellation of the caller must not interrupt a report that is being sent.
      let moving = Task { try await self.perform(move, within: budget, for: request) }
      return try await withTaskCancellationHandler {
        try await moving.value
      } onCancel: {
        withState { $0.isAdvanceCanceled = true }
      }
    }
  }

  private func perform(
    _ move: ClockAdvance, within budget: AdvanceBudget, for request: KeyedRequest<AdvanceResult>?
  ) async throws -> AdvanceResult {
    // Before the move claims the browser, because a recovery changes the claim.
    try await saveUnsavedAttempt()
    let begunAt = environment.wallClock()
    let advance = try await begin(move, within: budget, for: request)
    do { return try await perform(advance, for: request) } catch {
      let isLost = await isLost(advance.claim, after: error)
      await release(advance.claim, after: error)
      guard isLost else { throw error }
      throw BrowserError.requestInterrupted(key: request?.keyText, since: begunAt, clock: try? await currentTime())
    }
  }

  /// Claims the browser for a move of its clock. Without other instances, the first step does, if there is one.
  private func begin(
    _ move: ClockAdvance, within budget: AdvanceBudget, for request: KeyedRequest<AdvanceResult>?
  ) async throws -> Advance {
    let wallNow = environment.wallClock()
    let advance: @Sendable (any BrowserReader, Instant) throws -> Advance = { [self] reader, now in
      Advance(
        move, from: now, to: try end(of: move, from: now), claim: try reader.state().claim,
        firstSequence: try reader.nextSequence(), budget: budget, wallNow: wallNow)
    }
    guard store.isShared || request != nil else { return try await read { [self] in try advance($0, try currentTime(in: $0)) } }
    let (instance, isShared) = (store.instance, store.isShared)
    let beginning = afterOthers(for: BrowserEnvironment.movePatience) { [self] yields in
      submit(waits: false) { writer, state in
        // Before the turn, which another instance may have for the same request.
        try request?.requireNew(in: writer)
        if isShared { try writer.takeTurn(of: instance, yields: yields) }
        try writer.claim(for: instance)
        try request?.begin(in: writer)
        return try advance(writer, state.now)
      }
    }
    do { return try await beginning.answer() } catch BrowserError.busy { throw BrowserError.clockMoving }
  }

  private func perform(_ advance: Advance, for request: KeyedRequest<AdvanceResult>?) async throws -> AdvanceResult {
    withState { $0.advance = advance }
    defer { withState { $0.advance = nil } }
    return try await finish(advance, isFinished: try await run(advance), for: request)
  }

  /// Performs everything that is due by the end of an advance. Returns false at a limit.
  private func run(_ advance: Advance) async throws -> Bool {
    var (due, now) = try await read { [self] in (try $0.nextScheduledWork(), try self.currentTime(in: $0)) }
    var turns = YieldPacer()
    while let next = due.at, next <= advance.end {
      // A timer that fires with nothing to send is not an event. WebKit's timer does so once after the last report.
      if !advance.move.isBounded, try await !hasPendingWork() { return true }
      guard mayContinue(nextSequence: due.version) else { return false }
      await turns.end()
      now = max(next, now)
      due = try await step(at: now)
      // Everything else that is due at the same instant belongs to the same event.
      if advance.move.toNextEvent == true, due.version > advance.firstSequence, due.at.map({ $0 > now }) ?? true { return true }
    }
    return true
  }

  private func mayContinue(nextSequence: Int64) -> Bool {
    let wallNow = environment.wallClock()
    return withState { live in
      guard !live.isAdvanceCanceled, let advance = live.advance else { return false }
      return advance.mayContinue(wallNow: wallNow, nextSequence: nextSequence)
    }
  }

  private func hasPendingWork() async throws -> Bool {
    try await read { try $0.hasPendingWork() }
  }

  /// Returns the last instant of an advance.
  private func end(of move: ClockAdvance, from now: Instant) throws(BrowserError) -> Instant {
    if let interval = move.by { return try reachable(now + interval, "by") }
    if let interval = move.within { return min(now + interval, .latestOfClock) }
    guard let target = move.to else { return .latestOfClock }
    guard target >= now else {
      throw .invalidInput([InputError(["to"], "a clock does not go back: it shows \(now.text)")])
    }
    return try reachable(target, "to")
  }

  private func reachable(_ target: Instant, _ member: String) throws(BrowserError) -> Instant {
    guard target <= .latestOfClock else {
      throw .invalidInput([
        InputError([member], "the last instant of a clock is \(Instant.latestOfClock.text)", .outOfRange)
      ])
    }
    return target
  }

  /// Stops the clock and returns the answer, which the transaction keeps.
  private func finish(
    _ advance: Advance, isFinished: Bool, for request: KeyedRequest<AdvanceResult>?
  ) async throws -> AdvanceResult {
    // A replay of an advance that stopped ends at the same instant. The move excludes other calls, so it is also the transaction's.
    let replayed = isFinished ? advance.move : .to(try await currentTime())
    let call = journaling.call(CallName.advance, replayed.json)
    let claim = withState { $0.advance?.claim } ?? advance.claim
    return try await submit(call, on: advance, waits: false) { writer, state in
      try writer.require(claim)
      if isFinished, advance.move.isBounded { state.move(to: advance.end) }
      let now = state.now
      try writer.endMove(at: now)
      if !isFinished, try writer.isDue(at: now) { try writer.endJournal(.interrupted) }
      if now > advance.start { try writer.append(ClockAdvanced(from: advance.start, to: now), at: now) }
      let result = try writer.result(of: advance, at: now, isFinished: isFinished)
      try request?.finish(result, in: writer)
      return result
    }.answer()
  }
}

extension BrowserWriter {
  fileprivate func endMove(at now: Instant) throws {
    var row = try state()
    (row.now, row.claim.instance) = (now, nil)
    try save(row)
  }
}

extension BrowserReader {
  fileprivate func result(of advance: Advance, at now: Instant, isFinished: Bool) throws -> AdvanceResult {
    let count = try nextSequence() - advance.firstSequence
    var effort = ReadingEffort()
    let events = try search(
      .all, after: advance.firstSequence - 1, limit: AdvanceResult.page, bytes: PageSize.mostBytes, &effort
    ).events
    return AdvanceResult(
      now: now, target: advance.move.hasEnd ? advance.end : nil, isFinished: isFinished, isIdle: try !hasPendingWork(),
      eventCount: count, events: events, next: count > events.count ? events.last?.sequence : nil)
  }

  /// Whether something else is due at an instant at which an advance stopped. A replay would not stop before it.
  fileprivate func isDue(at now: Instant) throws -> Bool { try nextScheduledWork().at.map { $0 <= now } ?? false }

  /// Whether a message waits for its time or for a retry, or a conversion for the end of a window.
  fileprivate func hasPendingWork() throws -> Bool {
    try !earliestAttributions(limit: 1).isEmpty || !rows(Report.Query.earliest(limit: 1)).isEmpty
      || !rows(Postback.Query.earliest(limit: 1)).isEmpty || !rows(DeviceRow.Query.earliest(limit: 1)).isEmpty
  }
}

extension RuntimeState {
  /// Begins an advance of the clock. Returns false when an advance is already under way.
  fileprivate mutating func beginAdvance() -> Bool {
    guard !isAdvancing else { return false }
    (isAdvancing, isAdvanceCanceled) = (true, false)
    return true
  }
}
