package import PCMCore
import PCMStore

extension Browser {
  /// Waits for an event of a kind after a sequence number, and returns it as soon as it is in the log. Returns nil after the
  /// timeout or cancellation.
  ///
  /// - Parameters:
  ///   - names: The names of subjects, such as reports, one of which the event is about; empty for any event of the kind.
  ///   - timeout: The timeout in the machine's time.
  package func event(
    of kind: EventKind, about names: Set<String>, after sequence: Int64, timeout: Interval
  ) async throws -> LogEvent? {
    let deadline = world.wallClock() + timeout
    // The index finds existing events; new events are examined as they arrive.
    let (logged, end) = try await store.read(record.id) { reader in
      let events = try reader.events(aboutAnyOf: names, kind: kind, after: sequence, limit: 1)
      return (events.first, try reader.nextSequence() - 1)
    }
    if let logged { return logged }
    var position = max(sequence, end)
    while true {
      let page = try await nextEvents(after: position, before: deadline)
      guard let last = page.last else { return nil }
      if let event = try page.first(where: { try $0.kind == kind && $0.isAbout(anyOf: names) }) { return event }
      position = last.sequence
    }
  }

  /// Returns a page of events after a sequence number as soon as there are any, or none after the timeout or cancellation.
  package func nextEvents(after sequence: Int64, within timeout: Interval) async throws -> [LogEvent] {
    try await nextEvents(after: sequence, before: world.wallClock() + timeout)
  }

  private func nextEvents(after sequence: Int64, before deadline: Instant) async throws -> [LogEvent] {
    while true {
      let growth = logGrowth.count
      let page = try await logGrowth.sharedPage(after: sequence) { [self] in
        try await events(after: sequence, limit: Self.waitingPage)
      }
      guard page.isEmpty, await logGrows(beyond: growth, before: deadline) else { return page }
    }
  }

  /// The page size: enough for a burst, and small enough to buffer for a slow reader.
  package static let waitingPage = 256

  /// Returns true as soon as the log is longer than at `growth`, or false after the deadline or cancellation.
  private func logGrows(beyond growth: Int, before deadline: Instant) async -> Bool {
    let sleep = world.sleep
    return await withTaskGroup(of: Bool.self) { group in
      group.addTask { [logGrowth] in await logGrowth.wait(beyond: growth) }
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
