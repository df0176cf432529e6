package import PCMCore
import PCMStore

extension Browser {
  /// Waits for an event of a kind behind a sequence number, and returns it as soon as it is in the log; nil when the
  /// time has run out or the caller has gone.
  ///
  /// - Parameter timeout: of the machine's time.
  package func event(of kind: EventKind, after sequence: Int64, timeout: Interval) async throws -> LogEvent? {
    let deadline = world.wallClock() + timeout
    var position = sequence
    while true {
      let growth = logGrowth
      let page = try await events(after: position, limit: Self.waitingPage)
      if let event = page.first(where: { $0.kind == kind }) { return event }
      position = page.last?.sequence ?? position
      guard page.count < Self.waitingPage else { continue }
      guard await logGrows(beyond: growth, before: deadline) else { return nil }
    }
  }

  private static let waitingPage = 256

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
