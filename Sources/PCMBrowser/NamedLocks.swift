import NIOConcurrencyHelpers

/// A lock per name, kept while in use.
final class NamedLocks: Sendable {
  private let locks = NIOLockedValueBox<[String: (lock: OperationLock, callers: Int)]>([:])

  /// Runs `body` after all earlier calls with the same name. Calls with other names do not wait.
  ///
  /// - Throws: `CancellationError` when the task is canceled while it waits, without running `body`.
  func withLock<Value>(_ name: String, _ body: () async throws -> Value) async throws -> Value {
    let lock = locks.withLockedValue { locks in
      let (lock, callers) = locks[name] ?? (OperationLock(), 0)
      locks[name] = (lock, callers + 1)
      return lock
    }
    defer {
      locks.withLockedValue { locks in
        guard let (lock, callers) = locks[name] else { return }
        locks[name] = callers > 1 ? (lock, callers - 1) : nil
      }
    }
    return try await lock.excluding(body)
  }
}
