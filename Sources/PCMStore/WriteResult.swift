import NIOConcurrencyHelpers

/// The result of a write, which its writer settles after the commit and its caller awaits.
package final class WriteResult<Answer: Sendable>: Sendable {
  private let state = NIOLockedValueBox(State())

  private struct State {
    var result: Result<Answer, any Error>?
    var isSettled = false
    var caller: CheckedContinuation<Answer, any Error>?
  }

  package init() {}

  /// Notes the result of a run. Only the last one counts.
  package func note(_ result: Result<Answer, any Error>) { state.withLockedValue { $0.result = result } }

  /// Answers the caller once: with the noted result after the commit, or with an error.
  package func settle(_ error: (any Error)?) {
    let (caller, result) = state.withLockedValue { state in
      if let error { state.result = .failure(error) }
      state.isSettled = true
      return (state.caller, state.result)
    }
    if let result { caller?.resume(with: result) }
  }

  package func answer() async throws -> Answer {
    try await withCheckedThrowingContinuation { caller in
      let result = state.withLockedValue { state -> Result<Answer, any Error>? in
        guard !state.isSettled else { return state.result }
        state.caller = caller
        return nil
      }
      if let result { caller.resume(with: result) }
    }
  }
}
