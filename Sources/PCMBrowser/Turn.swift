import NIOConcurrencyHelpers

/// The turn of a call that waits for others. It comes once, unless the call is canceled before.
final class Turn: Sendable {
  private enum State {
    case expected
    /// The call is suspended.
    case awaited(CheckedContinuation<Void, any Error>)
    case over(Result<Void, any Error>)
  }

  private let state = NIOLockedValueBox(State.expected)

  /// Returns when the turn comes. Call it once.
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
  func come() { end(.success(())) }

  /// Returns the result when the turn is over.
  private func suspend(_ continuation: CheckedContinuation<Void, any Error>) -> Result<Void, any Error>? {
    state.withLockedValue { state in
      if case .over(let result) = state { return result }
      state = .awaited(continuation)
      return nil
    }
  }

  private func end(_ result: Result<Void, any Error>) {
    let suspended = state.withLockedValue { state -> CheckedContinuation<Void, any Error>? in
      if case .over = state { return nil }
      defer { state = .over(result) }
      guard case .awaited(let continuation) = state else { return nil }
      return continuation
    }
    suspended?.resume(with: result)
  }
}

extension [Turn] {
  /// Removes a turn that is still expected. Returns whether there was one.
  mutating func remove(_ turn: Turn) -> Bool {
    guard let index = firstIndex(where: { $0 === turn }) else { return false }
    remove(at: index)
    return true
  }
}
