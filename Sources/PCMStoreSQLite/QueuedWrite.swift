import GRDB
import PCMStore

/// A write that waits for its commit, and then answers its caller.
protocol QueuedWrite: Sendable {
  /// Performs the work inside a transaction. It may run more than once; only the last result counts. It throws errors that require
  /// a rollback. An error without changes is a result.
  func run(_ database: Database, _ cache: WriterCache) throws

  /// Answers the caller once: with the result after the commit, or with an error.
  func settle(_ error: (any Error)?)
}

/// A write with its answer.
struct PendingCommit<Answer: Sendable>: QueuedWrite {
  let work: @Sendable (Database, WriterCache) throws -> Result<Answer, StoreError>
  let result = WriteResult<Answer>()

  func run(_ database: Database, _ cache: WriterCache) throws {
    result.note(try work(database, cache).mapError { $0 as any Error })
  }

  func settle(_ error: (any Error)?) { result.settle(error.map { StoreError.leaving($0) }) }
}
