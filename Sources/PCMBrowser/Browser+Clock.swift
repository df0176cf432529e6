package import PCMCore
import PCMDelivery
import PCMStore

extension Browser {
  /// Moves a manual clock and performs everything that becomes due on the way, in order, including network requests.
  ///
  /// Other operations wait until the move is over. At a limit, and when the task is canceled, the move stops between two
  /// steps, never within a report that is being sent.
  ///
  /// - Parameter request: The request with its key; nil without one. Until the move is finished, a repetition continues it.
  /// - Throws: `BrowserError.clockMoving` when another move is under way, and `BrowserError.busy` when other calls are under way
  ///   during the whole time of the move.
  package func advance(
    _ move: ClockMove, limits: MoveLimits = MoveLimits(), for request: KeyedRequest<Advanced>? = nil
  ) async throws -> Advanced {
    guard record.clockMode == .manual else {
      throw BrowserError.conflict(
        "the clock of this browser is real and cannot be moved; create a browser with clock.mode \"manual\"")
    }
    let arrivedAt = world.wallClock()
    let latestStart = arrivedAt + limits.duration
    let timeLimit: @Sendable () async throws -> Void = { [sleep = world.sleep] in try await sleep(latestStart) }
    return try await gate.move(timeLimit: timeLimit) {
      // The caller may have gone while the move waited.
      try Task.checkCancellation()
      withState { $0.isMoveCanceled = false }
      // A separate task: cancellation of the caller must not interrupt a report that is being sent.
      let moving = Task {
        try await self.perform(move, limits, arrivedAt: arrivedAt, for: request)
      }
      return try await withTaskCancellationHandler {
        try await moving.value
      } onCancel: {
        withState { $0.isMoveCanceled = true }
      }
    }
  }

  private func perform(
    _ move: ClockMove, _ limits: MoveLimits, arrivedAt: Instant, for request: KeyedRequest<Advanced>?
  ) async throws -> Advanced {
    let course = try await course(of: move, for: request)
    let first = try await store.read(record.id) { try $0.nextSequence() }
    let travel = Travel(
      transport: world.transport.transportOfMove(), end: course.end, combinesAttempts: move.isBounded, limits: limits,
      wallNow: arrivedAt, firstSequence: first)
    withState { $0.travel = travel }
    defer { withState { $0.travel = nil } }
    let isFinished = try await run(move, on: course, from: first)
    return try await finish(move, on: course, isFinished: isFinished, for: request)
  }

  /// Performs everything that is due by an instant. Returns false at a limit of the move.
  private func run(_ move: ClockMove, on course: MoveCourse, from first: Int64) async throws -> Bool {
    try await saveUnsavedAttempt()
    var due = try await store.read(record.id) { try $0.due() }
    var turns = Turns()
    while let next = due.at, next <= course.end {
      if move == .toNextEvent, course.hasSent, next > now { return true }
      // A timer that fires with nothing to send is not an event. WebKit's timer does so once after the last report.
      if !move.isBounded, try await !hasPendingWork() { return true }
      guard mayContinue(nextSequence: due.version) else { return false }
      await turns.end()
      due = try await step(at: max(next, now))
      // Everything else that is due at the same instant belongs to the same event.
      if move == .toNextEvent, due.version > first, due.at.map({ $0 > now }) ?? true { return true }
    }
    return true
  }

  private func mayContinue(nextSequence: Int64) -> Bool {
    let wallNow = world.wallClock()
    return withState { live in
      guard !live.isMoveCanceled, let travel = live.travel else { return false }
      return travel.mayContinue(wallNow: wallNow, nextSequence: nextSequence)
    }
  }

  private func hasPendingWork() async throws -> Bool {
    try await store.read(record.id) { try $0.hasPendingWork() }
  }

  /// Returns the last instant of a move.
  func end(of move: ClockMove) throws(BrowserError) -> Instant {
    let now = now
    switch move {
    case .by(let interval): return try reachable(now + interval, "by")
    case .to(let target):
      guard target >= now else {
        throw .invalidInput([InputError(["to"], "a clock does not go back: it shows \(now.text)")])
      }
      return try reachable(target, "to")
    case .toNextEvent, .untilIdle(within: nil): return .latestOfClock
    case .untilIdle(within: let interval?): return min(now + interval, .latestOfClock)
    }
  }

  private func reachable(_ target: Instant, _ member: String) throws(BrowserError) -> Instant {
    guard target <= .latestOfClock else {
      throw .invalidInput([
        InputError([member], "the last instant of a clock is \(Instant.latestOfClock.text)", .outOfRange)
      ])
    }
    return target
  }

  /// Stops the clock and returns the answer. The transaction keeps the answer of a finished move, and the course of another.
  private func finish(
    _ move: ClockMove, on course: MoveCourse, isFinished: Bool, for request: KeyedRequest<Advanced>?
  ) async throws -> Advanced {
    let (moved, write) = await decide { live in
      let moved = live.move(to: isFinished && move.isBounded ? max(course.end, live.now) : live.now)
      let now = moved.now
      // A replay of a stopped move ends at the same instant.
      let call = journaling.call(CallName.advance, (isFinished ? move.body(on: course, to: now) : ClockAdvance(to: now)).json)
      let write = submitJournaled(call, on: course) { writer in
        var state = try writer.state()
        state.now = now
        try writer.save(state)
        if !isFinished, try writer.isDue(at: now) { try writer.endJournal(.interrupted) }
        if now > course.start { try writer.append(.clockAdvanced(ClockAdvanced(from: course.start, to: now)), at: now) }
        let advanced = try writer.advanced(by: move, to: now, on: course, isFinished: isFinished)
        var rest = course
        rest.start = now
        if isFinished { try request?.finish(advanced, in: writer) } else { try request?.begin(rest.note, in: writer) }
        return advanced
      }
      return (moved, write)
    }
    do {
      return try await write.answer()
    } catch {
      withState { $0.revert(moved) }
      throw error
    }
  }
}

extension BrowserReader {
  fileprivate func advanced(
    by move: ClockMove, to now: Instant, on course: MoveCourse, isFinished: Bool
  ) throws -> Advanced {
    let count = try nextSequence() - course.firstSequence
    var effort = ReadingEffort()
    let events = try search(
      .all, after: course.firstSequence - 1, limit: Advanced.page, bytes: PageSize.mostBytes, &effort
    ).events
    return Advanced(
      now: now, target: move.hasEnd ? course.end : nil, isFinished: isFinished, isIdle: try !hasPendingWork(),
      eventCount: count, events: events, next: count > events.count ? events.last?.sequence : nil)
  }

  /// Whether something else is due at an instant at which a move stopped. A replay would not stop before it.
  fileprivate func isDue(at now: Instant) throws -> Bool { try due().at.map { $0 <= now } ?? false }

  /// Whether a message waits for its time or for a retry, or a conversion for the end of a window.
  fileprivate func hasPendingWork() throws -> Bool {
    try !earliestAttributions(limit: 1).isEmpty || !earliestRetries(limit: 1).isEmpty || !earliestPostbacks(limit: 1).isEmpty
      || !earliestDeviceRows(limit: 1).isEmpty
  }
}

/// How far to move a manual clock.
package enum ClockMove: Hashable, Sendable {
  case by(Interval)
  case to(Instant)
  /// Until the next instant at which something happens.
  case toNextEvent
  /// Until no message is left to send, or as far as the last message within an interval.
  case untilIdle(within: Interval? = nil)

  /// - Parameter body: A body with one distance, as its definition requires.
  package init(_ body: ClockAdvance) {
    if let interval = body.by {
      self = .by(interval)
    } else if let instant = body.to {
      self = .to(instant)
    } else {
      self = body.toNextEvent == true ? .toNextEvent : .untilIdle(within: body.within)
    }
  }

  /// Returns the body of a request for the move, or for the rest of one that stopped before.
  func body(on course: MoveCourse, to now: Instant) -> ClockAdvance {
    switch self {
    case .by: ClockAdvance(by: course.end - course.start)
    case .to: ClockAdvance(to: course.end)
    case .toNextEvent: course.hasSent ? ClockAdvance(to: now) : .toNextEvent
    case .untilIdle(let interval): .untilIdle(within: interval.map { _ in course.end - course.start })
    }
  }

  /// Whether the move has a last instant.
  var hasEnd: Bool { isBounded || self != .toNextEvent && self != .untilIdle(within: nil) }

  /// Whether the clock ends at an instant that does not depend on what happens on the way.
  var isBounded: Bool {
    switch self {
    case .by, .to: true
    case .toNextEvent, .untilIdle: false
    }
  }
}

/// The time of a clock after a move, and the events on the way.
package struct Advanced: Hashable, Sendable {
  package let now: Instant
  /// The last instant of the move; nil when only an event ends it.
  package let target: Instant?
  /// False when the move stopped at a limit, and its caller has to continue it.
  package let isFinished: Bool
  /// Whether no message is left to send.
  package let isIdle: Bool
  package let eventCount: Int64
  /// The first events.
  package let events: [LogEvent]
  /// The position after which the other events begin; nil when there are no others.
  package let next: Int64?

  /// The maximum number of events in one answer.
  package static let page = 1_000
}
