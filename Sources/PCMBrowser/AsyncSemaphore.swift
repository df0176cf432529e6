import NIOConcurrencyHelpers

/// A semaphore for asynchronous code: a limited number of calls run at a time, and a limited number of others wait in order.
///
/// It uses a lock, not an actor: a call enters the queue before it suspends, so a call of higher priority cannot overtake
/// it.
package final class AsyncSemaphore: Sendable {
  fileprivate struct State {
    let capacity: Int
    let maximumQueue: Int
    /// The calls that run.
    var holders: Set<Int> = []
    var lastTicket = 0
    /// The waiting calls. A call is in the queue before it has a continuation.
    var waiting: [(ticket: Int, continuation: Continuation?)] = []
  }

  fileprivate typealias Continuation = CheckedContinuation<Void, any Error>

  private let state: NIOLockedValueBox<State>

  /// - Parameters:
  ///   - capacity: The number of calls that run at a time.
  ///   - maximumQueue: The number of calls that wait.
  package init(_ capacity: Int, maximumQueue: Int = .max) {
    state = NIOLockedValueBox(State(capacity: capacity, maximumQueue: maximumQueue))
  }

  /// The number of calls that wait.
  package var queueLength: Int { state.withLockedValue { $0.waiting.count } }

  /// The error of a call that would exceed the maximum queue.
  package struct QueueFullError: Error {}

  /// Runs `body` once there is capacity, and the wait for it within `waiting`, such as in a task that another event cancels.
  ///
  /// - Parameter waiting: Runs `wait` and returns or throws after it.
  /// - Throws: `QueueFullError` or, when the task is canceled while it waits, `CancellationError`, without running `body`. `body`
  ///   handles later cancellation.
  package func withPermit<Value>(
    waiting: (_ wait: @escaping @Sendable () async throws -> Void) async throws -> Void = { try await $0() },
    _ body: () async throws -> Value
  ) async throws -> Value {
    try Task.checkCancellation()
    guard let (ticket, mustWait) = state.withLockedValue({ $0.enter() }) else { throw QueueFullError() }
    if mustWait {
      do {
        try await waiting { try await self.wait(ticket) }
      } catch {
        state.withLockedValue { $0.abandon(ticket) }?.resume()
        throw error
      }
    }
    defer { state.withLockedValue { $0.release(ticket) }?.resume() }
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

extension AsyncSemaphore.State {
  /// Adds a call. Returns its ticket, and whether it has to wait; nil when the queue is full.
  fileprivate mutating func enter() -> (ticket: Int, mustWait: Bool)? {
    let mustWait = holders.count >= capacity
    guard !mustWait || waiting.count < maximumQueue else { return nil }
    lastTicket += 1
    if mustWait { waiting.append((lastTicket, nil)) } else { holders.insert(lastTicket) }
    return (lastTicket, mustWait)
  }

  /// Returns the result when the call no longer waits: it runs or was canceled.
  fileprivate mutating func suspend(_ ticket: Int, _ continuation: AsyncSemaphore.Continuation) -> Result<Void, any Error>? {
    guard let index = waiting.firstIndex(where: { $0.ticket == ticket }) else {
      return holders.contains(ticket) ? .success(()) : .failure(CancellationError())
    }
    waiting[index].continuation = continuation
    return nil
  }

  /// Removes a waiting call from the queue.
  fileprivate mutating func leave(_ ticket: Int) -> AsyncSemaphore.Continuation? {
    guard let index = waiting.firstIndex(where: { $0.ticket == ticket }) else { return nil }
    return waiting.remove(at: index).continuation
  }

  /// Removes a call whose wait threw or never ran. Returns the next call if it is suspended.
  fileprivate mutating func abandon(_ ticket: Int) -> AsyncSemaphore.Continuation? {
    guard !holders.contains(ticket) else { return release(ticket) }
    waiting.removeAll { $0.ticket == ticket }
    return nil
  }

  /// Ends a call. Returns the next call if it is suspended.
  fileprivate mutating func release(_ ticket: Int) -> AsyncSemaphore.Continuation? {
    holders.remove(ticket)
    guard !waiting.isEmpty else { return nil }
    let next = waiting.removeFirst()
    holders.insert(next.ticket)
    return next.continuation
  }
}
