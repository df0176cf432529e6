import GRDB
import NIOConcurrencyHelpers
import PCMStore

/// A write that waits for its commit.
struct QueuedWrite: Sendable {
  /// Keeps the promise to the caller. It is called once, after the commit.
  typealias Settlement = @Sendable () -> Void

  /// Performs the work inside a transaction. It may run more than once; only the last settlement counts. It throws errors
  /// that require a rollback. An error without changes is a settlement.
  let run: @Sendable (Database, WriterCache) throws -> Settlement

  /// Answers the caller with an error.
  let fail: @Sendable (any Error) -> Void

  init<Answer: Sendable>(
    _ promise: WritePromise<Answer>,
    _ work: @escaping @Sendable (Database, WriterCache) throws -> Result<Answer, StoreError>
  ) {
    run = { database, cache in
      let result = try work(database, cache)
      return { promise.settle(result.mapError { $0 }) }
    }
    fail = { error in promise.settle(.failure(StoreError.leaving(error))) }
  }
}

/// The answer of a write: settled once by the writer, awaited once by the caller.
final class WritePromise<Answer: Sendable>: Sendable {
  private enum State {
    case submitted
    case awaited(CheckedContinuation<Answer, any Error>)
    case settled(Result<Answer, any Error>)
  }

  private let state = NIOLockedValueBox(State.submitted)

  func settle(_ result: Result<Answer, any Error>) {
    let caller = state.withLockedValue { state -> CheckedContinuation<Answer, any Error>? in
      guard case .awaited(let caller) = state else {
        state = .settled(result)
        return nil
      }
      return caller
    }
    caller?.resume(with: result)
  }

  func answer() async throws -> Answer {
    try await withCheckedThrowingContinuation { caller in
      let result = state.withLockedValue { state -> Result<Answer, any Error>? in
        guard case .settled(let result) = state else {
          state = .awaited(caller)
          return nil
        }
        return result
      }
      if let result { caller.resume(with: result) }
    }
  }
}
