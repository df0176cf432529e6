import NIOConcurrencyHelpers

/// A one-shot, cancellable signal for a call that waits in a queue.
final class Waiter: Sendable {
  private enum State {
    case expected
    /// The call is suspended.
    case suspended(CheckedContinuation<Void, any Error>)
    case over(Result<Void, any Error>)
  }

  private let state = NIOLockedValueBox(State.expected)

  /// Returns when the call is resumed. Call it once.
  ///
  /// - Throws: `CancellationError` when the task is canceled before.
  func wait() async throws {
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        if let result = suspend(continuation) { continuation.resume(with: result) }
      }
    } onCancel: {
      end(.failure(CancellationError()))
    }
  }

  /// Resumes the call. Does nothing when the call is canceled.
  func resume() { end(.success(())) }

  /// Returns the result when the wait is over already.
  private func suspend(_ continuation: CheckedContinuation<Void, any Error>) -> Result<Void, any Error>? {
    state.withLockedValue { state in
      if case .over(let result) = state { return result }
      state = .suspended(continuation)
      return nil
    }
  }

  private func end(_ result: Result<Void, any Error>) {
    let suspended = state.withLockedValue { state -> CheckedContinuation<Void, any Error>? in
      if case .over = state { return nil }
      defer { state = .over(result) }
      guard case .suspended(let continuation) = state else { return nil }
      return continuation
    }
    suspended?.resume(with: result)
  }
}

extension [Waiter] {
  /// Removes a waiter that is still expected. Returns whether there was one.
  mutating func remove(_ waiter: Waiter) -> Bool {
    guard let index = firstIndex(where: { $0 === waiter }) else { return false }
    remove(at: index)
    return true
  }
}
