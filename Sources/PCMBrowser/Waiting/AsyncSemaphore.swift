import NIOConcurrencyHelpers

/// A semaphore for asynchronous code: a limited number of calls run at a time, and a limited number of others wait in order.
///
/// It uses a lock, not an actor: a call enters the queue before it suspends, so a call of higher priority cannot overtake
/// it.
final class AsyncSemaphore: Sendable {
  fileprivate struct State {
    let capacity: Int
    let maximumQueue: Int
    /// The number of calls that run, or whose turn has come.
    var holderCount = 0
    var waiting: [Waiter] = []
  }

  private let state: NIOLockedValueBox<State>

  /// - Parameters:
  ///   - capacity: The number of calls that run at a time.
  ///   - maximumQueue: The number of calls that wait.
  init(_ capacity: Int, maximumQueue: Int = .max) {
    state = NIOLockedValueBox(State(capacity: capacity, maximumQueue: maximumQueue))
  }

  /// The number of calls that wait.
  var queueLength: Int { state.withLockedValue { $0.waiting.count } }

  /// The error of a call that would exceed the maximum queue.
  struct QueueFullError: Error {}

  /// Runs `body` once there is capacity.
  ///
  /// - Throws: `QueueFullError` or, when the task is canceled while it waits, `CancellationError`, without running `body`. `body`
  ///   handles later cancellation.
  func withPermit<Value>(_ body: () async throws -> Value) async throws -> Value {
    try Task.checkCancellation()
    if let waiter = try state.withLockedValue({ try $0.enter() }) {
      do {
        try await waiter.wait()
      } catch {
        state.withLockedValue { $0.abandon(waiter) }?.resume()
        throw error
      }
    }
    defer { state.withLockedValue { $0.release() }?.resume() }
    return try await body()
  }
}

extension AsyncSemaphore.State {
  /// Adds a call. Returns its waiter when it has to wait.
  fileprivate mutating func enter() throws -> Waiter? {
    guard holderCount >= capacity else {
      holderCount += 1
      return nil
    }
    guard waiting.count < maximumQueue else { throw AsyncSemaphore.QueueFullError() }
    let waiter = Waiter()
    waiting.append(waiter)
    return waiter
  }

  /// Removes a call that was canceled. Returns the next waiter if the turn of the call has come already.
  fileprivate mutating func abandon(_ waiter: Waiter) -> Waiter? { waiting.remove(waiter) ? nil : release() }

  /// Ends a call. Returns the next waiter.
  fileprivate mutating func release() -> Waiter? {
    guard waiting.isEmpty else { return waiting.removeFirst() }
    holderCount -= 1
    return nil
  }
}
