import GRDB
import PCMStore

/// A write that waits for its commit, with its caller.
struct QueuedWrite: Sendable {
  /// Resumes the caller with the result. It is called once, after the commit.
  typealias Settlement = @Sendable () -> Void

  /// Performs the work inside a transaction. It may run more than once; only the last settlement counts. It throws errors
  /// that require a rollback. An error without changes is a settlement.
  let run: @Sendable (Database, inout WriterCache) throws -> Settlement

  /// Resumes the caller with an error: nothing was done.
  let fail: @Sendable (any Error) -> Void

  init<Answer: Sendable>(
    _ continuation: CheckedContinuation<Answer, any Error>,
    _ work: @escaping @Sendable (Database, inout WriterCache) throws -> Result<Answer, StoreError>
  ) {
    run = { database, cache in
      let result = try work(database, &cache)
      return { continuation.resume(with: result) }
    }
    fail = { error in continuation.resume(throwing: StoreError.leaving(error)) }
  }
}
