import NIOConcurrencyHelpers
import PCMCore
import PCMStore

/// Counts the transactions that may have extended a log, and resumes the tasks that wait for the next one.
final class LogSignal: Sendable {
  private struct State {
    var count = 0
    var waiting: [Int: CheckedContinuation<Bool, Never>] = [:]
    var lastNumber = 0
    var page: Page?
    var followerCount = 0
    /// The number of the next event when another process's transactions were noted last.
    var nextSequence: Int64 = 0
  }

  /// The page of the log that was read last, for a certain length of the log.
  private struct Page {
    let position: Int64
    let count: Int
    let task: Task<NewEvents, any Error>
  }

  private let state = NIOLockedValueBox(State())

  /// The number of transactions so far.
  var count: Int { state.withLockedValue { $0.count } }

  /// Notes a transaction.
  func note() {
    let waiting = state.withLockedValue { state in
      state.count += 1
      guard !state.waiting.isEmpty else { return [CheckedContinuation<Bool, Never>]() }
      defer { state.waiting.removeAll() }
      return Array(state.waiting.values)
    }
    for task in waiting { task.resume(returning: true) }
  }

  /// Notes transactions of another process, unless the log has the same end as at the last call.
  ///
  /// Comparing with the last read is not enough: a task may still wait for an event that another task has read.
  func note(nextSequence: Int64) {
    let isLonger = state.withLockedValue { state in
      defer { state.nextSequence = nextSequence }
      return state.nextSequence != nextSequence
    }
    if isLonger { note() }
  }

  /// Whether a task reads the log, and waits when it is at the end.
  var isFollowed: Bool { state.withLockedValue { $0.followerCount > 0 } }

  /// Runs a task that reads the log, and waits when it is at the end.
  func following<Answer: Sendable>(_ body: () async throws -> Answer) async throws -> Answer {
    state.withLockedValue { $0.followerCount += 1 }
    defer { state.withLockedValue { $0.followerCount -= 1 } }
    return try await body()
  }

  /// Waits for a transaction after the first `count`. Returns false when the task is canceled before.
  func wait(beyond count: Int) async -> Bool {
    let number = state.withLockedValue { state in
      state.lastNumber += 1
      return state.lastNumber
    }
    return await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let answer = state.withLockedValue { state -> Bool? in
          // A transaction since the caller's read of the log counts.
          if state.count != count { return true }
          if Task.isCancelled { return false }
          state.waiting[number] = continuation
          return nil
        }
        if let answer { continuation.resume(returning: answer) }
      }
    } onCancel: {
      state.withLockedValue { $0.waiting.removeValue(forKey: number) }?.resume(returning: false)
    }
  }

  /// Returns the page of the log after a position. Tasks that wait at the same position resume together and share one read.
  func sharedPage(
    after position: Int64, read: @escaping @Sendable () async throws -> NewEvents
  ) async throws -> NewEvents {
    let task = state.withLockedValue { state in
      if let page = state.page, page.position == position, page.count == state.count { return page.task }
      let task = Task { try await read() }
      state.page = Page(position: position, count: state.count, task: task)
      return task
    }
    do {
      return try await task.value
    } catch {
      // A later read may succeed.
      state.withLockedValue { $0.page = nil }
      throw error
    }
  }
}
