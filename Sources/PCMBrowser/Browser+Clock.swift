package import PCMCore
import PCMStore

extension Browser {
  /// Moves a manual clock and performs everything that becomes due on the way, in order, including network requests.
  package func advance(_ move: ClockMove) async throws -> Advanced {
    guard record.clockMode == .manual else {
      throw BrowserError.conflict(
        "the clock of this browser is real and cannot be moved; create a browser with clock.mode \"manual\"")
    }
    return try await mutex.withLock {
      // A separate task: cancellation of the caller must not interrupt a report that is being sent.
      try await Task {
        try await withTransportOfMove { try await move.isBounded ? advanceTo(try target(of: move)) : advanceAsFarAs(move) }
      }.value
    }
  }

  private func target(of move: ClockMove) throws(BrowserError) -> Instant {
    let now = now
    switch move {
    case .by(let interval): return try reachable(now + interval, "by")
    case .to(let target):
      guard target >= now else {
        throw .invalidInput([InputError(["to"], "a clock does not go back: it shows \(now.text)", .outOfRange)])
      }
      return try reachable(target, "to")
    case .toNextEvent, .untilIdle: return now
    }
  }

  private func reachable(_ target: Instant, _ member: String) throws(BrowserError) -> Instant {
    guard target <= .latestOfClock else {
      throw .invalidInput([InputError([member], "the last instant of a clock is \(Instant.latestOfClock.text)", .outOfRange)])
    }
    return target
  }

  private func advanceTo(_ target: Instant) async throws -> Advanced {
    let (start, first) = (now, try await logEnd())
    try await saveUnsavedAttempt()
    var due = try await store.read(record.id) { try $0.due().at }
    while let next = due, next <= target { due = try await step(at: max(next, now), until: target) }
    return try await finish(at: max(target, now), from: start, eventsAfter: first)
  }

  private func advanceAsFarAs(_ move: ClockMove) async throws -> Advanced {
    let (start, first) = (now, try await logEnd())
    try await saveUnsavedAttempt()
    let limit = min(start + Self.longestSearch, .latestOfClock)
    var (due, last) = (try await store.read(record.id) { try $0.due().at }, first)
    while let next = due, next <= limit, try await hasReportsToSend() {
      due = try await step(at: max(next, now))
      last = try await logEnd()
      // Everything else that is due at the same instant belongs to the same event.
      if move == .toNextEvent, last > first, due.map({ $0 > now }) ?? true { break }
    }
    return try await finish(at: now, from: start, eventsAfter: first)
  }

  /// A timer that fires with nothing to send is not an event. WebKit's timer does so once after the last report.
  private func hasReportsToSend() async throws -> Bool {
    try await store.read(record.id) { reader in
      try !reader.earliestAttributions(limit: 1).isEmpty || !reader.earliestRetries(limit: 1).isEmpty
    }
  }

  private func finish(at target: Instant, from start: Instant, eventsAfter first: Int64) async throws -> Advanced {
    let (move, write) = await decide { live in
      let move = live.move(to: target)
      let now = move.now
      let write = submit { writer in
        var state = try writer.state()
        state.now = now
        try writer.save(state)
        if now > start { try writer.append(.clockAdvanced(ClockAdvanced(from: start, to: now)), at: now) }
      }
      return (move, write)
    }
    do {
      try await write.answer()
    } catch {
      withState { $0.revert(move) }
      throw error
    }
    return Advanced(now: move.now, events: try await store.read(record.id) { try $0.events(after: first, limit: .max) })
  }

  /// Returns the number of the last event, or 0 for an empty log.
  package func logEnd() async throws -> Int64 {
    try await store.read(record.id) { try $0.nextSequence() - 1 }
  }

  /// The limit of "until idle". Under `reliable`, a report to an unreachable endpoint is retried forever.
  private static let longestSearch = Interval.days(30)
}

/// How far to move a manual clock.
package enum ClockMove: Hashable, Sendable {
  case by(Interval)
  case to(Instant)
  /// Until the next instant at which something happens.
  case toNextEvent
  /// Until no report is left to send.
  case untilIdle

  /// - Parameter body: A body with exactly one member, as its definition requires.
  package init(_ body: ClockAdvance) {
    if let interval = body.by {
      self = .by(interval)
    } else if let instant = body.to {
      self = .to(instant)
    } else {
      self = body.toNextEvent == true ? .toNextEvent : .untilIdle
    }
  }
}

extension ClockMove {
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
  package let events: [LogEvent]

  package init(now: Instant, events: [LogEvent]) {
    self.now = now
    self.events = events
  }
}
