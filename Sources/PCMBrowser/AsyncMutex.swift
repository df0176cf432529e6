import NIOConcurrencyHelpers

/// A mutex for asynchronous code that serves calls one at a time, in order. It keeps two moves of the same clock apart.
///
/// It uses a lock, not an actor: a call enters the queue before it suspends, so a call of higher priority cannot overtake
/// it.
package final class AsyncMutex: Sendable {
  fileprivate struct State {
    /// The call that holds the mutex.
    var holder: Int?
    var lastTicket = 0
    /// The waiting calls. A call is in the queue before it has a continuation.
    var waiting: [(ticket: Int, continuation: Continuation?)] = []
  }

  fileprivate typealias Continuation = CheckedContinuation<Void, any Error>

  private let state = NIOLockedValueBox(State())

  package init() {}

  /// Runs `body` after all earlier calls, and releases the mutex when it returns or throws.
  ///
  /// - Throws: `CancellationError`, without running `body`, when the task is cancelled while it waits. `body` handles later
  ///   cancellation.
  package func withLock<Value>(_ body: () async throws -> Value) async throws -> Value {
    try await withLock(waiting: { try await $0() }, body)
  }

  /// Runs `body` after all earlier calls, and the wait for them within `waiting`, such as in a task that another event
  /// cancels.
  ///
  /// - Parameter waiting: Runs `wait` and returns or throws after it.
  package func withLock<Value>(
    waiting: (_ wait: @escaping @Sendable () async throws -> Void) async throws -> Void,
    _ body: () async throws -> Value
  ) async throws -> Value {
    try Task.checkCancellation()
    if let ticket = state.withLockedValue({ $0.enter() }) {
      do {
        try await waiting { try await self.wait(ticket) }
      } catch {
        state.withLockedValue { $0.abandon(ticket) }?.resume()
        throw error
      }
    }
    defer { state.withLockedValue { $0.next() }?.resume() }
    return try await body()
  }

  private func wait(_ ticket: Int) async throws {
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        if let answer = state.withLockedValue({ $0.suspend(ticket, continuation) }) { continuation.resume(with: answer) }
      }
    } onCancel: {
      state.withLockedValue { $0.leave(ticket) }?.resume(throwing: CancellationError())
    }
  }
}

extension AsyncMutex.State {
  /// Adds a call. Returns its place in the queue, or nil when it holds the mutex.
  fileprivate mutating func enter() -> Int? {
    lastTicket += 1
    guard holder != nil else {
      holder = lastTicket
      return nil
    }
    waiting.append((lastTicket, nil))
    return lastTicket
  }

  /// Returns the result when the call no longer waits: it holds the mutex or was cancelled.
  fileprivate mutating func suspend(_ ticket: Int, _ continuation: AsyncMutex.Continuation) -> Result<Void, any Error>? {
    guard let index = waiting.firstIndex(where: { $0.ticket == ticket }) else {
      return holder == ticket ? .success(()) : .failure(CancellationError())
    }
    waiting[index].continuation = continuation
    return nil
  }

  /// Removes a waiting call from the queue.
  fileprivate mutating func leave(_ ticket: Int) -> AsyncMutex.Continuation? {
    guard let index = waiting.firstIndex(where: { $0.ticket == ticket }) else { return nil }
    return waiting.remove(at: index).continuation
  }

  /// Removes a call whose wait threw or never ran. Returns the next call if it is suspended.
  fileprivate mutating func abandon(_ ticket: Int) -> AsyncMutex.Continuation? {
    guard holder != ticket else { return next() }
    waiting.removeAll { $0.ticket == ticket }
    return nil
  }

  /// Releases the mutex. Returns the next call if it is suspended.
  fileprivate mutating func next() -> AsyncMutex.Continuation? {
    let first = waiting.isEmpty ? nil : waiting.removeFirst()
    holder = first?.ticket
    return first?.continuation
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
