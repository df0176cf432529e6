package import PCMCore
package import PCMStore

extension Browser {
  /// Returns a page of the selected events as soon as there are any, or an empty page after the timeout or cancellation,
  /// also while other events arrive faster than they are read.
  ///
  /// - Parameter timeout: The timeout in the machine's time.
  package func eventPage(
    after sequence: Int64, limit: Int, _ selection: EventSelection, waiting timeout: Interval
  ) async throws -> EventPage {
    let deadline = environment.wallClock() + timeout
    // The index finds existing events; new events are examined as they arrive.
    var logged = try await eventPage(after: sequence, limit: limit, selection)
    while logged.items.isEmpty, let next = logged.next, !Task.isCancelled {
      logged = try await eventPage(after: next, limit: limit, selection)
    }
    guard logged.items.isEmpty else { return logged }
    var position = logged.resumeAfter
    var found: [LogEvent] = []
    repeat {
      let page = try await nextEvents(after: position, before: deadline)
      guard let last = page.events.last else { break }
      found = try page.events.filter(selection.contains)
      position = last.sequence
    } while found.isEmpty && !Task.isCancelled && environment.wallClock() < deadline
    return EventPage(FoundEvents(found, end: position, isComplete: true), limit: limit)
  }

  /// Returns a page of events after a sequence number as soon as there are any, or none after the timeout or cancellation.
  package func nextEvents(after sequence: Int64, within timeout: Interval) async throws -> NewEvents {
    try await nextEvents(after: sequence, before: environment.wallClock() + timeout)
  }

  func nextEvents(after sequence: Int64, before deadline: Instant) async throws -> NewEvents {
    try await logSignal.following {
      while true {
        let growth = logSignal.count
        let page = try await logSignal.sharedPage(after: sequence) { [self] in
          try await read { reader in
            let events = try reader.events(after: sequence, limit: Self.waitingPage).page(of: Self.waitingPageBytes)
            return NewEvents(events: events, logEnd: try reader.nextSequence() - 1)
          }
        }
        guard page.events.isEmpty, await logGrows(beyond: growth, before: deadline) else { return page }
      }
    }
  }

  /// The page size: enough for a burst, and small enough to buffer for a slow reader.
  package static let waitingPage = 256
  /// The size with which such a page ends. Half of the connections may have one each.
  package static let waitingPageBytes = 65_536

  /// Returns true as soon as the log is longer than at `growth`, or false after the deadline or cancellation.
  func logGrows(beyond growth: Int, before deadline: Instant) async -> Bool {
    let sleep = environment.sleep
    return await withTaskGroup(of: Bool.self) { group in
      group.addTask { [logSignal] in await logSignal.wait(beyond: growth) }
      group.addTask {
        try? await sleep(deadline)
        return false
      }
      let grew = await group.next() ?? false
      group.cancelAll()
      return grew
    }
  }
}

/// A page of consecutive events for a reader that follows the log.
package struct NewEvents: Sendable {
  package let events: [LogEvent]
  /// The number of the last event in the log.
  package let logEnd: Int64
}
