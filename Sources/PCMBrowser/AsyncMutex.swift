import NIOConcurrencyHelpers

/// A mutex for asynchronous code that serves calls one at a time, in order.
package final class AsyncMutex: Sendable {
  private let semaphore: AsyncSemaphore

  /// The number of calls that wait.
  var queueLength: Int { semaphore.queueLength }

  /// - Parameter maximumQueue: The number of calls that wait.
  package init(maximumQueue: Int = .max) {
    semaphore = AsyncSemaphore(1, maximumQueue: maximumQueue)
  }

  /// Runs `body` after all earlier calls, and releases the mutex when it returns or throws.
  ///
  /// - Parameter waiting: Runs the wait for the earlier calls.
  /// - Throws: `AsyncSemaphore.QueueFullError` or, when the task is canceled while it waits, `CancellationError`, without running
  ///   `body`. `body` handles later cancellation.
  package func withLock<Value>(
    waiting: CallWait = waitInTask, _ body: () async throws -> Value
  ) async throws -> Value {
    try await semaphore.withPermit(waiting: waiting, body)
  }
}

/// A mutex per name, kept while in use.
final class NamedMutexes: Sendable {
  private let mutexes = NIOLockedValueBox<[String: (mutex: AsyncMutex, callers: Int)]>([:])

  /// Runs `body` after all earlier calls with the same name. Calls with other names do not wait.
  ///
  /// - Throws: `CancellationError` when the task is canceled while it waits, without running `body`.
  func withLock<Value>(
    _ name: String, _ body: () async throws -> Value
  ) async throws -> Value {
    let mutex = mutexes.withLockedValue { mutexes in
      let (mutex, callers) = mutexes[name] ?? (AsyncMutex(), 0)
      mutexes[name] = (mutex, callers + 1)
      return mutex
    }
    defer {
      mutexes.withLockedValue { mutexes in
        guard let (mutex, callers) = mutexes[name] else { return }
        mutexes[name] = callers > 1 ? (mutex, callers - 1) : nil
      }
    }
    return try await mutex.withLock(body)
  }
}
