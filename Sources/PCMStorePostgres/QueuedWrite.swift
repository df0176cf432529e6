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

/// A write with its answer.
struct PendingCommit<Answer: Sendable>: QueuedWrite {
  let browsers: [Int64]
  let work: @Sendable (PostgresTransaction) throws -> Answer
  let result = WriteResult<Answer>()

  func run(in transaction: PostgresTransaction) throws(PostgresError) { result.note(try transaction.perform(work)) }

  func settle(_ error: PostgresError?) { result.settle(error.map { StoreError.leaving($0) }) }
}
