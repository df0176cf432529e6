import NIOConcurrencyHelpers
import PCMStore

/// A write that waits for its commit, and then answers its caller.
protocol QueuedWrite: Sendable {
  /// The numbers of the browsers whose rows it locks.
  var browsers: [Int64] { get }

  /// Performs the work inside a transaction. It may run more than once; only the last result counts. It throws errors that require
  /// a rollback.
  func run(in transaction: PostgresTransaction) throws(PostgresError)

  /// Answers the caller once: with the result after the commit, or with an error.
  func settle(_ error: PostgresError?)
}

/// A write with its answer, which the connection settles and the caller awaits.
final class Write<Answer: Sendable>: QueuedWrite {
  let browsers: [Int64]
  private let work: @Sendable (PostgresTransaction) throws -> Answer
  private let state = NIOLockedValueBox(State())

  private struct State {
    var result: Result<Answer, any Error>?
    var isSettled = false
    var caller: CheckedContinuation<Answer, any Error>?
  }

  init(locking browsers: [Int64], _ work: @escaping @Sendable (PostgresTransaction) throws -> Answer) {
    (self.browsers, self.work) = (browsers, work)
  }

  func run(in transaction: PostgresTransaction) throws(PostgresError) {
    let result = try transaction.perform(work)
    state.withLockedValue { $0.result = result }
  }

  func settle(_ error: PostgresError?) { settle(error.map { StoreError.leaving($0) }) }

  /// Rejects the write, which does not run.
  func reject() { settle(StoreError.closed) }

  private func settle(_ error: (any Error)?) {
    let (caller, result) = state.withLockedValue { state in
      if let error { state.result = .failure(error) }
      state.isSettled = true
      return (state.caller, state.result)
    }
    if let result { caller?.resume(with: result) }
  }

  func answer() async throws -> Answer {
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
