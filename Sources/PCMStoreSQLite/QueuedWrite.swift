import GRDB
import PCMStore

/// A write that waits for its commit, with its caller.
struct QueuedWrite: Sendable {
  /// Tells the caller how it went; called once, after the commit.
  typealias Settlement = @Sendable () -> Void

  /// Does the work inside a transaction. May run more than once; only the last settlement counts. Throws what needs a
  /// rollback; a refusal that has changed nothing is a settlement.
  let run: @Sendable (Database, inout WriterCache) throws -> Settlement

  /// Tells the caller that nothing was done.
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
