import GRDB
package import PCMStore

/// A store in one SQLite file. Acknowledged writes survive a power loss.
package final class SQLiteStore: Store {
  let file: DatabaseFile
  let queue: GroupCommit

  /// Opens or creates the file. Its folder must exist.
  ///
  /// Throws `StoreError.otherVersion` for a file of another version, `StoreError.foreignFile` for a file of another program,
  /// `StoreError.brokenOwnerFile` when the file next to it cannot be locked, and `StoreError.unavailable` when another process
  /// uses it or it cannot be opened.
  ///
  /// - Parameter uptime: A monotonic clock. A commit takes writes for a limited time by it. By default, it stands still, and time ends no
  ///   commit.
  package init(path: String, uptime: @escaping @Sendable () -> Duration = { .zero }) throws {
    file = try DatabaseFile(path: path)
    queue = GroupCommit(file: file, uptime: uptime)
    removeRemains()
  }

  /// Limits the size of the file. Writes that would exceed it throw `StoreError.full`. A larger file keeps its size.
  package func limitSize(to bytes: Int) async throws {
    try await file.pool.writeWithoutTransaction { [queue] database in
      let pageSize = try Int.fetchOne(database, sql: "PRAGMA page_size") ?? 4_096
      // SQLite ignores a number that exceeds its own limit.
      try queue.limitPages(to: max(1, min(bytes / pageSize, 4_294_967_294)), in: database)
    }
  }

  /// The number of commits so far. Many writes share one.
  package var commitCount: Int { queue.commitCount }

  package func submit<Answer: Sendable>(
    _ browser: BrowserID, _ body: @escaping @Sendable (any BrowserWriter) throws -> Answer
  ) -> PendingWrite<Answer> {
    submit { [queue] database, cache in
      guard let rows = try cache.browser(browser.number, in: database) else { return .failure(.unknownBrowser) }
      defer { if rows.isRemoval { queue.limitIsRaised() } }
      return .success(try body(rows))
    }
  }

  package func read<Answer: Sendable>(
    _ browser: BrowserID, _ body: @escaping @Sendable (any BrowserReader) throws -> Answer
  ) async throws -> Answer {
    try await view { database in
      let rows = SQLiteBrowser(database: database, id: browser.number)
      guard try rows.exists() else { throw StoreError.unknownBrowser }
      return try body(rows)
    }
  }

  package func checkWritable() async throws {
    try file.checkPresence()
    try await submit { database, _ in
      try database.execute(sql: "UPDATE probe SET writes = writes + 1")
      return .success(())
    }.answer()
  }

  package func close() async throws {
    try await queue.close()
    do {
      try file.close()
    } catch {
      throw StoreError.leaving(error)
    }
  }

  /// Submits work to the writer.
  func submit<Answer: Sendable>(
    _ work: @escaping @Sendable (Database, WriterCache) throws -> Result<Answer, StoreError>
  ) -> PendingWrite<Answer> {
    let write = PendingCommit(work: work)
    queue.add(write)
    return PendingWrite { try await write.result.answer() }
  }

  /// Runs `body` on a snapshot. Cancellation has no effect, as in the memory store.
  func view<Answer: Sendable>(_ body: @escaping @Sendable (Database) throws -> Answer) async throws -> Answer {
    guard queue.isOpen else { throw StoreError.closed }
    return try await withCheckedThrowingContinuation { continuation in
      file.pool.asyncRead { [queue] snapshot in
        do {
          continuation.resume(returning: try body(snapshot.get()))
        } catch {
          // The file may have been closed since the call.
          let isClosed = error is DatabaseError && !queue.isOpen
          continuation.resume(throwing: isClosed ? StoreError.closed : StoreError.leaving(error))
        }
      }
    }
  }
}
