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
  private let cache = WriterCache()
  private let commits = Atomic<Int>(0)
  // These variables are accessed on the writer queue only.
  /// The maximum number of pages of the file; 0 for none.
  nonisolated(unsafe) private var largestFile = 0
  /// Whether a removal may have raised the maximum.
  nonisolated(unsafe) private var isRaised = false
  /// The size of the log at which it is emptied.
  nonisolated(unsafe) private var largestLog = DatabaseFile.largestLog
  /// The duration of the last flush.
  nonisolated(unsafe) private var flushTime = Duration.zero

  /// The maximum number of writes in a commit.
  private static let batchLimit = 512
  /// How long a commit takes further writes if the previous flush was not longer. The first write waits only briefly, and
  /// under load, flushes take at most half of the time.
  static let shortestBatch = Duration.milliseconds(5)

  private struct Inbox {
    var waiting: Deque<any QueuedWrite> = []
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

  func add(_ write: any QueuedWrite) {
    let isAccepted = inbox.withLockedValue { inbox in
      guard !inbox.isClosed else { return false }
      inbox.waiting.append(write)
      guard !inbox.isDraining else { return true }
      inbox.isDraining = true
      // Under the lock, so that the drain is on the queue before `close`.
      file.pool.asyncWriteWithoutTransaction { [self] database in drain(database) }
      return true
    }
    if !isAccepted { write.settle(StoreError.closed) }
  }

  /// Rejects new writes, and returns when all earlier writes are settled.
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
    largestFile = count
    // SQLite takes the present size in place of a smaller number.
    try database.execute(sql: "PRAGMA max_page_count = \(count)")
  }

  /// Notes that a write raised the limit for its commit. Call it on the writer queue.
  func limitIsRaised() { isRaised = true }

  private func restoreLimit(of database: Database) throws {
    guard isRaised, largestFile > 0 else { return }
    isRaised = false
    try limitPages(to: largestFile, in: database)
  }

  private func drain(_ database: Database) {
    while true {
      let count = inbox.withLockedValue { inbox in
        inbox.isDraining = !inbox.waiting.isEmpty
        return min(inbox.waiting.count, Self.batchLimit)
      }
      guard count > 0 else { return }
      commit(upTo: count, to: database)
      emptyLargeLog(of: database)
    }
  }

  /// Empties the log when a reader was always active, so that no checkpoint was complete. Waits for the readers, up to the busy
  /// timeout. After a failure, it waits again when the log has grown by as much.
  private func emptyLargeLog(of database: Database) {
    let size = file.logSize
    guard size > DatabaseFile.largestLog else {
      largestLog = DatabaseFile.largestLog
      return
    }
    guard size > largestLog else { return }
    let isEmptied = (try? database.checkpoint(.truncate)) != nil
    largestLog = isEmptied ? DatabaseFile.largestLog : size + DatabaseFile.largestLog
  }

  /// Commits the next writes together. If that fails, commits each write separately, so that only invalid writes fail.
  private func commit(upTo count: Int, to database: Database) {
    var batch: [any QueuedWrite] = []
    let end = uptime() + max(Self.shortestBatch, flushTime)
    let error = attempt(on: database) {
      guard batch.isEmpty || (batch.count < count && uptime() < end) else { return nil }
      let next = inbox.withLockedValue { $0.waiting.popFirst() }
      if let next { batch.append(next) }
      return next
    }
    if error != nil, batch.isEmpty {
      // No transaction could be started, and none of the writes that wait would succeed.
      batch = inbox.withLockedValue { inbox in (0..<count).compactMap { _ in inbox.waiting.popFirst() } }
    } else if error != nil, batch.count > 1 {
      for write in batch {
        var rest = [write]
        write.settle(attempt(on: database) { rest.popLast() })
      }
      return
    }
    for write in batch { write.settle(error) }
  }

  /// Commits the writes that `next` returns. Returns the error for which all of them were rolled back.
  private func attempt(on database: Database, _ next: () -> (any QueuedWrite)?) -> (any Error)? {
    do {
      try restoreLimit(of: database)
      var written = Duration.zero
      try database.inTransaction(.immediate) {
        while let write = next() { try write.run(database, cache) }
        try cache.flush()
        written = uptime()
        return .commit
      }
      flushTime = uptime() - written
      commits.add(1, ordering: .relaxed)
      return nil
    } catch {
      cache.forgetAll()
      return error
    }
  }
}
