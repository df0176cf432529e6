package import PCMCore
import PCMStore

extension Browser {
  /// Waits for an event of a kind behind a sequence number, and returns it as soon as it is in the log; nil when the
  /// time has run out or the caller has gone.
  ///
  /// - Parameters:
  ///   - name: what the event must name, such as a report; nil for any event of the kind.
  ///   - timeout: of the machine's time.
  package func event(
    of kind: EventKind, about name: String?, after sequence: Int64, timeout: Interval
  ) async throws -> LogEvent? {
    let deadline = world.wallClock() + timeout
    // The index knows what is in the log already; what comes is looked at as it comes.
    let (logged, end) = try await store.read(record.id) { reader in
      let events = try reader.events(EventFilter(about: name, kind: kind), after: sequence, limit: 1)
      return (events.first, try reader.nextSequence() - 1)
    }
    if let logged { return logged }
    var position = max(sequence, end)
    while true {
      let page = try await nextEvents(after: position, before: deadline)
      guard let last = page.last else { return nil }
      if let event = try page.first(where: { try $0.kind == kind && $0.isAbout(name) }) { return event }
      position = last.sequence
    }
  }

  /// The events behind a sequence number, a page of them, as soon as there are any; none when the time has run out or
  /// the caller has gone.
  package func nextEvents(after sequence: Int64, within timeout: Interval) async throws -> [LogEvent] {
    try await nextEvents(after: sequence, before: world.wallClock() + timeout)
  }

  private func nextEvents(after sequence: Int64, before deadline: Instant) async throws -> [LogEvent] {
    while true {
      let growth = logGrowth
      let page = try await sharedPage(after: sequence)
      guard page.isEmpty, await logGrows(beyond: growth, before: deadline) else { return page }
    }
  }

  /// Readers who wait at the same place are woken together and would all ask the store for the same page.
  private func sharedPage(after sequence: Int64) async throws -> [LogEvent] {
    if let pageReading, pageReading.after == sequence, pageReading.growth == logGrowth {
      return try await pageReading.page.value
    }
    let page = Task { try await events(after: sequence, limit: Self.waitingPage) }
    pageReading = PageReading(after: sequence, growth: logGrowth, page: page)
    return try await page.value
  }

  /// Enough for a burst, and little to hold for a reader who is slow to take it.
  package static let waitingPage = 256

  /// True once the log is longer than at `growth`; false when the deadline has passed or the task was cancelled.
  private func logGrows(beyond growth: Int, before deadline: Instant) async -> Bool {
    let sleep = world.sleep
    return await withTaskGroup(of: Bool.self) { group in
      group.addTask { await self.waitForGrowth(beyond: growth) }
      group.addTask {
        try? await sleep(deadline)
        return false
      }
      let grew = await group.next() ?? false
      group.cancelAll()
      return grew
    }
  }

  private func waitForGrowth(beyond growth: Int) async -> Bool {
    nextWatcher += 1
    let number = nextWatcher
    return await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        // What came between the look at the log and here must not be missed.
        if logGrowth != growth || Task.isCancelled {
          continuation.resume(returning: logGrowth != growth)
        } else {
          watchers[number] = continuation
        }
      }
    } onCancel: {
      Task { await self.stopWatching(number) }
    }
  }

  private func stopWatching(_ number: Int) {
    watchers.removeValue(forKey: number)?.resume(returning: false)
  }
}

/// The page of the log that was asked for last, as of a length of the log.
struct PageReading {
  let after: Int64
  let growth: Int
  let page: Task<[LogEvent], any Error>
}
