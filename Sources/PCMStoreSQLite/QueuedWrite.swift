import GRDB
import NIOConcurrencyHelpers
import PCMStore

/// A write that waits for its commit, and then answers its caller.
protocol QueuedWrite: Sendable {
  /// Performs the work inside a transaction. It may run more than once; only the last result counts. It throws errors that require
  /// a rollback. An error without changes is a result.
  func run(_ database: Database, _ cache: WriterCache) throws

  /// Answers the caller once: with the result after the commit, or with an error.
  func settle(_ error: (any Error)?)
}

/// A write with its answer, which the writer settles and the caller awaits.
final class Write<Answer: Sendable>: QueuedWrite {
  private let work: @Sendable (Database, WriterCache) throws -> Result<Answer, StoreError>
  private let state = NIOLockedValueBox(State())

  private struct State {
    var result: Result<Answer, any Error>?
    var isSettled = false
    var caller: CheckedContinuation<Answer, any Error>?
  }

  init(_ work: @escaping @Sendable (Database, WriterCache) throws -> Result<Answer, StoreError>) {
    self.work = work
  }

  func run(_ database: Database, _ cache: WriterCache) throws {
    let result = try work(database, cache).mapError { $0 as any Error }
    state.withLockedValue { $0.result = result }
  }

  func settle(_ error: (any Error)?) {
    let (caller, result) = state.withLockedValue { state in
      if let error { state.result = .failure(StoreError.leaving(error)) }
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
