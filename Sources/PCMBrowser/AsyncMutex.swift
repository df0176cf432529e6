import NIOConcurrencyHelpers

/// Lets one call at a time through, in the order of the calls: two that move the same clock must not mix.
///
/// A lock and not an actor: a call takes its place before it suspends, so one of higher priority cannot overtake it.
package final class AsyncMutex: Sendable {
  fileprivate struct State {
    /// The call whose turn it is.
    var holder: Int?
    var lastTicket = 0
    /// A call has its place before it has a continuation.
    var waiting: [(ticket: Int, continuation: Continuation?)] = []
  }

  fileprivate typealias Continuation = CheckedContinuation<Void, any Error>

  private let state = NIOLockedValueBox(State())

  package init() {}

  /// Runs `body` after the calls that came before, and lets the next one in when it returns or throws.
  ///
  /// - Throws: `CancellationError`, without having run `body`, when the task is cancelled before its turn. Later
  ///   cancellation is left to `body`.
  package func withLock<Value>(_ body: () async throws -> Value) async throws -> Value {
    try Task.checkCancellation()
    if let ticket = state.withLockedValue({ $0.enter() }) { try await wait(ticket) }
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
  /// Returns the place of a call that has to wait; nil when it has its turn.
  fileprivate mutating func enter() -> Int? {
    lastTicket += 1
    guard holder != nil else {
      holder = lastTicket
      return nil
    }
    waiting.append((lastTicket, nil))
    return lastTicket
  }

  /// Returns the answer when the call waits no longer: it got its turn, or was cancelled.
  fileprivate mutating func suspend(_ ticket: Int, _ continuation: AsyncMutex.Continuation) -> Result<Void, any Error>? {
    guard let index = waiting.firstIndex(where: { $0.ticket == ticket }) else {
      return holder == ticket ? .success(()) : .failure(CancellationError())
    }
    waiting[index].continuation = continuation
    return nil
  }

  /// Takes a call that still waits out of the queue.
  fileprivate mutating func leave(_ ticket: Int) -> AsyncMutex.Continuation? {
    guard let index = waiting.firstIndex(where: { $0.ticket == ticket }) else { return nil }
    return waiting.remove(at: index).continuation
  }

  /// Ends the present turn and returns the call that is next, when it is suspended.
  fileprivate mutating func next() -> AsyncMutex.Continuation? {
    let first = waiting.isEmpty ? nil : waiting.removeFirst()
    holder = first?.ticket
    return first?.continuation
  }
}

/// A mutex for each name that is in use.
final class NamedMutexes: Sendable {
  private let mutexes = NIOLockedValueBox<[String: (mutex: AsyncMutex, callers: Int)]>([:])

  /// Runs `body` after the calls under the same name that came before; calls under other names do not wait.
  func withLock<Value>(_ name: String, _ body: () async throws -> Value) async throws -> Value {
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
