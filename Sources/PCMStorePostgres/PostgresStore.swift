package import PCMCore
package import PCMStore

/// A store in a PostgreSQL database. Acknowledged writes survive a power loss.
///
/// Writes use a few connections with group commit, among which browsers are distributed by number. Copies and deletions, which
/// take longer, have a separate connection. So do claims, which do not wait, and notifications.
package final class PostgresStore: Store {
  private let writers: [GroupCommit]
  let keeper: GroupCommit
  let claimer: GroupCommit
  let address: PostgresAddress
  let lease: Lease
  let notifications: Notifications
  private let readers = WorkQueue<@Sendable (Result<PostgresSession, PostgresError>) -> Void>()

  /// The maximum number of writes in a commit. Each waits for the reads of all others.
  private static let batchLimit = 64

  /// Connects to the database, and creates the tables if they do not exist.
  ///
  /// Throws `StoreError.otherVersion` for tables of another version, and `StoreError.unavailable` when the database cannot be used.
  ///
  /// - Parameters:
  ///   - schema: The schema of the tables.
  ///   - uptime: A monotonic clock that goes on while the process or the machine is paused. The instance's lease ends by it. By default,
  ///     it stands still, and the lease does not end.
  ///   - wallClock: The machine's clock, which is compared with the server's; nil for no comparison.
  package init(
    _ address: PostgresAddress, schema: String = "pcm_browser", writerCount: Int = 2, readerCount: Int = 2,
    uptime: @escaping @Sendable () -> Duration = { .zero }, wallClock: (@Sendable () -> Instant)? = nil
  ) async throws {
    let parameters = PostgresParameters(address: address, schema: schema)
    let lease = try Lease(parameters, uptime: uptime, wallClock: wallClock)
    let notifications = Notifications(parameters)
    (self.address, self.lease, self.notifications) = (address, lease, notifications)
    func connection(_ parameters: PostgresParameters, upTo limit: Int) -> GroupCommit {
      GroupCommit(
        parameters, upTo: limit, onCommit: { notifications.add($0) }, onUnknownOutcome: { lease.abandonClaims() })
    }
    writers = (0..<writerCount).map { _ in connection(parameters, upTo: Self.batchLimit) }
    let unlimited = PostgresParameters(address: address, schema: schema, isUnlimited: true)
    keeper = connection(unlimited, upTo: 1)
    claimer = connection(parameters, upTo: 1)
    for _ in 0..<readerCount {
      readers.startThread(upTo: 1) {
        let sessions = SessionOwner(parameters)
        return { work in
          let session = Result { () throws(PostgresError) in try sessions.open() }
          for body in work { body(session) }
        }
      }
    }
    do {
      try await withSession { try PostgresSchema.prepare($0, schema: schema, path: address.description) }
      try await lease.start()
      await notifications.start()
      try await removeRemains()
    } catch {
      try? await close()
      throw error
    }
  }

  /// The difference between the clocks of the machine and the server.
  package var skew: Interval { lease.skew }

  /// The number of commits so far. Many writes share one.
  package var commitCount: Int { connections.map(\.commitCount).reduce(0, +) }

  private var connections: [GroupCommit] { writers + [keeper, claimer] }

  package func submit<Answer: Sendable>(
    _ browser: BrowserID, _ body: @escaping @Sendable (any BrowserWriter) throws -> Answer
  ) -> PendingWrite<Answer> {
    submit(to: writer(of: browser), locking: [browser.number]) { transaction in
      guard let rows = try transaction.browser(browser.number) else { throw StoreError.unknownBrowser }
      return try body(rows)
    }
  }

  package func read<Answer: Sendable>(
    _ browser: BrowserID, _ body: @escaping @Sendable (any BrowserReader) throws -> Answer
  ) async throws -> Answer {
    try await view { transaction in
      guard let rows = try PostgresBrowser.find(browser.number, in: transaction) else { throw StoreError.unknownBrowser }
      return try body(rows)
    }
  }

  package func checkWritable() async throws {
    // The renewal is a write, with a connection that no other work delays.
    try await lease.requireReady()
  }

  package func close() async throws {
    guard readers.close() else { throw StoreError.closed }
    for connection in connections { connection.close() }
    for connection in connections { await connection.waitForEnd() }
    await readers.waitForEnd()
    await notifications.close()
    await lease.close()
  }
}

extension PostgresStore {
  func writer(of browser: BrowserID) -> GroupCommit { writers[Int(browser.number.magnitude % UInt64(writers.count))] }

  /// The connection for creations, which take effect in the order of the calls.
  var creator: GroupCommit { writers[0] }

  /// Submits work to a connection.
  func submit<Answer: Sendable>(
    to writer: GroupCommit, locking browsers: [Int64] = [],
    _ work: @escaping @Sendable (PostgresTransaction) throws -> Answer
  ) -> PendingWrite<Answer> {
    let write = PendingCommit(browsers: browsers, work: work)
    if !writer.add(write) { write.result.settle(StoreError.closed) }
    return PendingWrite { try await write.result.answer() }
  }

  /// Runs `body` on a snapshot. Cancellation has no effect, as in the memory store.
  func view<Answer: Sendable>(
    _ body: @escaping @Sendable (PostgresTransaction) throws -> Answer
  ) async throws -> Answer {
    try await withSession { session in
      try session.send(PostgresStatement("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"))
      return try body(PostgresTransaction(in: session))
    }
  }

  /// Runs `body` with the session of a thread for reads. A transaction that it leaves open is rolled back.
  private func withSession<Answer: Sendable>(
    _ body: @escaping @Sendable (PostgresSession) throws -> Answer
  ) async throws -> Answer {
    try await withCheckedThrowingContinuation { caller in
      let isAccepted = readers.add { opened in
        do {
          let session = try opened.get()
          defer { session.rollBack() }
          caller.resume(returning: try body(session))
        } catch {
          caller.resume(throwing: StoreError.leaving(error))
        }
      }
      if !isAccepted { caller.resume(throwing: StoreError.closed) }
    }
  }
}
