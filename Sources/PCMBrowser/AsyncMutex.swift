import NIOConcurrencyHelpers

/// A mutex for asynchronous code that serves calls one at a time, in order.
package final class AsyncMutex: Sendable {
  private let semaphore = AsyncSemaphore(1)

  package init() {}

  /// Runs `body` after all earlier calls, and releases the mutex when it returns or throws.
  ///
  /// - Throws: `CancellationError`, without running `body`, when the task is canceled while it waits. `body` handles later
  ///   cancellation.
  package func withLock<Value>(_ body: () async throws -> Value) async throws -> Value {
    try await semaphore.withPermit(body)
  }

  /// Runs `body` after all earlier calls, and the wait for them within `waiting`, such as in a task that another event
  /// cancels.
  ///
  /// - Parameter waiting: Runs `wait` and returns or throws after it.
  package func withLock<Value>(
    waiting: (_ wait: @escaping @Sendable () async throws -> Void) async throws -> Void,
    _ body: () async throws -> Value
  ) async throws -> Value {
    try await semaphore.withPermit(waiting: waiting, body)
  }
}

/// A mutex per name, kept while in use.
final class NamedMutexes: Sendable {
  private let mutexes = NIOLockedValueBox<[String: (mutex: AsyncMutex, callers: Int)]>([:])

  /// Runs `body` after all earlier calls with the same name. Calls with other names do not wait.
  ///
  /// - Parameter waiting: Runs `wait` and returns or throws after it.
  func withLock<Value>(
    _ name: String, waiting: (_ wait: @escaping @Sendable () async throws -> Void) async throws -> Void = { try await $0() },
    _ body: () async throws -> Value
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
    return try await mutex.withLock(waiting: waiting, body)
  }
}
