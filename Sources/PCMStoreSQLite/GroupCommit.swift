import GRDB
import NIOConcurrencyHelpers
import PCMStore
import Synchronization

/// Group commit: one commit, and thus one flush of the disk, for all writes that waited during the previous one.
///
/// `add` enqueues a write before it returns, so the order of calls is the order of effects. One drain at a time runs on the
/// database's writer queue until the inbox is empty.
final class GroupCommit: Sendable {
  private let file: DatabaseFile
  private let inbox = NIOLockedValueBox(Inbox())
  /// Accessed on the writer queue only. The lock is for the compiler.
  private let cache = NIOLockedValueBox(WriterCache())
  private let commits = Atomic<Int>(0)
  /// Whether the file was missing after a commit. The caller of that commit does not know its effect, so what is in memory
  /// and what is in the file may differ. Accessed on the writer queue only.
  private let isLost = Atomic<Bool>(false)

  /// The size of the log at which it is emptied. Accessed on the writer queue only.
  private let largestLog = Atomic<Int>(DatabaseFile.largestLog)

  /// The maximum number of writes in a commit: enough to hide the flush, and few enough for a short wait.
  private static let batchLimit = 512

  private struct Inbox {
    var waiting: [QueuedWrite] = []
    var isDraining = false
    var isClosed = false
  }

  init(file: DatabaseFile) {
    self.file = file
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

  private func drain(_ database: Database) {
    while let batch = nextBatch() {
      let settlements = cache.withLockedValue { cache in commit(batch, to: database, &cache) }
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

  private func nextBatch() -> [QueuedWrite]? {
    inbox.withLockedValue { inbox in
      guard !inbox.waiting.isEmpty else {
        inbox.isDraining = false
        return nil
      }
      let batch = Array(inbox.waiting.prefix(Self.batchLimit))
      inbox.waiting.removeFirst(batch.count)
      return batch
    }
  }

  /// Commits a batch together. If that fails, commits each write separately, so that only invalid ones fail.
  private func commit(
    _ batch: [QueuedWrite], to database: Database, _ cache: inout WriterCache
  ) -> [QueuedWrite.Settlement] {
    switch attempt(batch, on: database, &cache) {
    case .committed(let settlements):
      return settlements
    case .rolledBack where batch.count > 1:
      var settlements: [QueuedWrite.Settlement] = []
      for (index, write) in batch.enumerated() {
        let outcome = attempt([write], on: database, &cache)
        settlements += outcome.settlements(of: [write])
        guard case .unusable = outcome else { continue }
        return settlements + outcome.settlements(of: batch.dropFirst(index + 1))
      }
      return settlements
    case let failure:
      return failure.settlements(of: batch)
    }
  }

  private enum Outcome {
    case committed([QueuedWrite.Settlement])
    case rolledBack(any Error)
    /// The file was missing after the commit.
    case uncertain(any Error)
    /// No transaction could be started, or the file is missing, so separate writes are pointless.
    case unusable(any Error)

    func settlements(of writes: some Sequence<QueuedWrite>) -> [QueuedWrite.Settlement] {
      switch self {
      case .committed(let settlements): settlements
      case .rolledBack(let error), .uncertain(let error), .unusable(let error): writes.map { write in { write.fail(error) } }
      }
    }
  }

  private func attempt(_ batch: [QueuedWrite], on database: Database, _ cache: inout WriterCache) -> Outcome {
    var hasBegun = false
    var settlements: [QueuedWrite.Settlement] = []
    do {
      guard !isLost.load(ordering: .relaxed) else { throw StoreError.lostFile(path: file.path) }
      try file.checkPresence()
      try database.inTransaction(.immediate) {
        hasBegun = true
        for write in batch { settlements.append(try write.run(database, &cache)) }
        try cache.flush(to: database)
        return .commit
      }
    } catch {
      cache.forgetAll()
      return hasBegun ? .rolledBack(error) : .unusable(error)
    }
    // Acknowledges only what is in the file at its path.
    guard file.isPresent else {
      isLost.store(true, ordering: .relaxed)
      cache.forgetAll()
      return .uncertain(StoreError.uncertainCommit(path: file.path))
    }
    commits.add(1, ordering: .relaxed)
    return .committed(settlements)
  }
}
