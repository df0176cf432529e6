internal import DequeModule
import GRDB
import NIOConcurrencyHelpers
import PCMStore
import Synchronization

/// Group commit: one commit, and thus one flush of the disk, for the writes that waited during the previous one.
///
/// `add` enqueues a write before it returns, so the order of calls is the order of effects. One drain at a time runs on the
/// database's writer queue until the inbox is empty.
final class GroupCommit: Sendable {
  private let file: DatabaseFile
  private let uptime: @Sendable () -> Duration
  private let inbox = NIOLockedValueBox(Inbox())
  /// Accessed on the writer queue only. The lock is for the compiler.
  private let cache = NIOLockedValueBox(WriterCache())
  private let commits = Atomic<Int>(0)
  /// The maximum number of pages of the file; 0 for none. Accessed on the writer queue only.
  private let largestFile = Atomic<Int>(0)
  /// Whether a removal may have raised the maximum. Accessed on the writer queue only.
  private let isRaised = Atomic<Bool>(false)
  /// The size of the log at which it is emptied. Accessed on the writer queue only.
  private let largestLog = Atomic<Int>(DatabaseFile.largestLog)

  /// The maximum number of writes in a commit.
  private static let batchLimit = 512
  /// How long a commit takes further writes if the previous flush was not longer. The first write waits only briefly, and
  /// under load, flushes take at most half of the time.
  static let shortestBatch = Duration.milliseconds(5)
  /// The duration of the last flush.
  private let flushTime = NIOLockedValueBox(Duration.zero)

  private struct Inbox {
    var waiting: Deque<QueuedWrite> = []
    var isDraining = false
    var isClosed = false
  }

  /// - Parameter uptime: A monotonic clock.
  init(file: DatabaseFile, uptime: @escaping @Sendable () -> Duration) {
    self.file = file
    self.uptime = uptime
  }

  /// The number of committed transactions.
  var commitCount: Int { commits.load(ordering: .relaxed) }

  var isOpen: Bool { inbox.withLockedValue { !$0.isClosed } }

  func add(_ write: QueuedWrite) {
    let isAccepted = inbox.withLockedValue { inbox in
      guard !inbox.isClosed else { return false }
      inbox.waiting.append(write)
      guard !inbox.isDraining else { return true }
      inbox.isDraining = true
      // Under the lock, so that the drain is on the queue before `close`.
      file.pool.asyncWriteWithoutTransaction { [self] database in drain(database) }
      return true
    }
    if !isAccepted { write.fail(StoreError.closed) }
  }

  /// Rejects new writes, and returns when all earlier ones are settled.
  func close() async throws {
    try inbox.withLockedValue { inbox in
      guard !inbox.isClosed else { throw StoreError.closed }
      inbox.isClosed = true
    }
    await withCheckedContinuation { continuation in
      file.pool.asyncWriteWithoutTransaction { _ in continuation.resume() }
    }
  }

  /// Limits the size of the file. Call it on the writer queue.
  func limitPages(to count: Int, in database: Database) throws {
    largestFile.store(count, ordering: .relaxed)
    // SQLite takes the present size in place of a smaller number.
    try database.execute(sql: "PRAGMA max_page_count = \(count)")
  }

  /// Notes that a write raised the limit for its commit. Call it on the writer queue.
  func limitIsRaised() { isRaised.store(true, ordering: .relaxed) }

  private func restoreLimit(of database: Database) throws {
    let count = largestFile.load(ordering: .relaxed)
    guard isRaised.exchange(false, ordering: .relaxed), count > 0 else { return }
    try limitPages(to: count, in: database)
  }

  private func drain(_ database: Database) {
    while let count = countOfNextBatch() {
      let settlements = cache.withLockedValue { cache in commit(upTo: count, to: database, &cache) }
      for settle in settlements { settle() }
      emptyLargeLog(of: database)
    }
  }

  /// Empties the log when a reader was always active, so that no checkpoint was complete. Waits for the readers, up to the busy
  /// timeout. After a failure, it waits again when the log has grown by as much.
  private func emptyLargeLog(of database: Database) {
    let size = file.logSize
    guard size > DatabaseFile.largestLog else { return largestLog.store(DatabaseFile.largestLog, ordering: .relaxed) }
    guard size > largestLog.load(ordering: .relaxed) else { return }
    do {
      try database.checkpoint(.truncate)
      largestLog.store(DatabaseFile.largestLog, ordering: .relaxed)
    } catch {
      largestLog.store(size + DatabaseFile.largestLog, ordering: .relaxed)
    }
  }

  /// Returns the maximum number of writes of the next batch; nil when none waits.
  private func countOfNextBatch() -> Int? {
    inbox.withLockedValue { inbox in
      inbox.isDraining = inbox.waiting.count > 0
      return inbox.isDraining ? min(inbox.waiting.count, Self.batchLimit) : nil
    }
  }

  /// Commits the next writes together. If that fails, commits each write separately, so that only invalid ones fail.
  private func commit(upTo count: Int, to database: Database, _ cache: inout WriterCache) -> [QueuedWrite.Settlement] {
    var batch: [QueuedWrite] = []
    let longest = max(Self.shortestBatch, flushTime.withLockedValue { $0 })
    let begin = uptime()
    let outcome = attempt(on: database, &cache) {
      guard batch.isEmpty || (batch.count < count && uptime() < begin + longest) else { return nil }
      let next = inbox.withLockedValue { $0.waiting.popFirst() }
      if let next { batch.append(next) }
      return next
    }
    switch outcome {
    case .committed(let settlements):
      return settlements
    case .rolledBack where batch.count > 1:
      return commitSeparately(batch, to: database, &cache)
    case .unusable:
      // No write was taken, and none of those that wait would succeed.
      return outcome.settlements(
        of: inbox.withLockedValue { inbox in (0..<count).compactMap { _ in inbox.waiting.popFirst() } })
    case let failure:
      return failure.settlements(of: batch)
    }
  }

  /// Commits each write by itself, until none can succeed.
  private func commitSeparately(
    _ batch: [QueuedWrite], to database: Database, _ cache: inout WriterCache
  ) -> [QueuedWrite.Settlement] {
    var settlements: [QueuedWrite.Settlement] = []
    for (index, write) in batch.enumerated() {
      var rest = [write]
      let outcome = attempt(on: database, &cache) { rest.popLast() }
      settlements += outcome.settlements(of: [write])
      guard case .unusable = outcome else { continue }
      return settlements + outcome.settlements(of: batch.dropFirst(index + 1))
    }
    return settlements
  }

  private enum Outcome {
    case committed([QueuedWrite.Settlement])
    case rolledBack(any Error)
    /// No transaction could be started, so separate writes are pointless.
    case unusable(any Error)

    func settlements(of writes: some Sequence<QueuedWrite>) -> [QueuedWrite.Settlement] {
      switch self {
      case .committed(let settlements): settlements
      case .rolledBack(let error), .unusable(let error): writes.map { write in { write.fail(error) } }
      }
    }
  }

  /// Commits the writes that `next` returns.
  private func attempt(on database: Database, _ cache: inout WriterCache, _ next: () -> QueuedWrite?) -> Outcome {
    var hasBegun = false
    var written = Duration.zero
    var settlements: [QueuedWrite.Settlement] = []
    do {
      try restoreLimit(of: database)
      try database.inTransaction(.immediate) {
        hasBegun = true
        while let write = next() { settlements.append(try write.run(database, &cache)) }
        try cache.flush(to: database)
        written = uptime()
        return .commit
      }
      flushTime.withLockedValue { $0 = uptime() - written }
    } catch {
      cache.forgetAll()
      return hasBegun ? .rolledBack(error) : .unusable(error)
    }
    commits.add(1, ordering: .relaxed)
    return .committed(settlements)
  }
}
