import NIOConcurrencyHelpers

/// A lock for each name, kept while in use.
package final class NamedLocks: Sendable {
  /// The calls that wait for each locked name, in the order of their arrival.
  private let waiting = NIOLockedValueBox<[String: [Waiter]]>([:])

  /// Locks a name after all earlier calls with the same name. Calls with other names do not wait.
  ///
  /// - Throws: `CancellationError` when the task is canceled while it waits. The call does not have the lock then.
  package func lock(_ name: String) async throws {
    let waiter = waiting.withLockedValue { waiting -> Waiter? in
      guard waiting[name] != nil else {
        waiting[name] = []
        return nil
      }
      let waiter = Waiter()
      waiting[name]?.append(waiter)
      return waiter
    }
    guard let waiter else { return }
    do {
      try await waiter.wait()
    } catch {
      // Its turn may have come already.
      if !waiting.withLockedValue({ $0[name]?.remove(waiter) ?? false }) { unlock(name) }
      throw error
    }
  }

  package func unlock(_ name: String) {
    let next = waiting.withLockedValue { waiting -> Waiter? in
      guard waiting[name]?.isEmpty == false else {
        waiting[name] = nil
        return nil
      }
      return waiting[name]?.removeFirst()
    }
    next?.resume()
  }

  func withLock<Value>(_ name: String, _ body: () async throws -> Value) async throws -> Value {
    try await lock(name)
    defer { unlock(name) }
    return try await body()
  }
}
