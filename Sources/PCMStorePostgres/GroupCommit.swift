import Foundation
import PCMStore
import Synchronization

/// A connection with group commit: one transaction, and thus one flush of the server's disk, for the writes that waited during the
/// previous one.
///
/// `add` enqueues a write before it returns, so the order of calls is the order of effects.
final class GroupCommit: Sendable {
  private let queue = WorkQueue<any QueuedWrite>()
  private let commits = Atomic<Int>(0)

  /// - Parameters:
  ///   - limit: The maximum number of writes in a commit.
  ///   - onCommit: Called after a commit with the numbers of the browsers that it may have changed.
  ///   - onUnknownOutcome: Called before the writes of a commit are answered whose outcome cannot be read.
  init(
    _ parameters: PostgresParameters, upTo limit: Int, onCommit: @escaping @Sendable ([Int64]) -> Void,
    onUnknownOutcome: @escaping @Sendable () -> Void
  ) {
    queue.startThread(upTo: limit) { [self] in
      let writer = CommitLoop(
        SessionOwner(parameters),
        didCommit: { [self] browsers in
          commits.add(1, ordering: .relaxed)
          onCommit(browsers)
        }, onUnknownOutcome: onUnknownOutcome)
      return { writer.commit($0) }
    }
  }

  /// The number of committed transactions.
  var commitCount: Int { commits.load(ordering: .relaxed) }

  /// Returns false when the connection is closed.
  func add(_ write: any QueuedWrite) -> Bool { queue.add(write) }

  /// Rejects new writes.
  func close() { queue.close() }

  /// Waits until all writes are settled that were accepted before `close`.
  func waitForEnd() async { await queue.waitForEnd() }
}

/// The state of a connection's thread.
final class CommitLoop {
  private let sessions: SessionOwner
  private let didCommit: ([Int64]) -> Void
  private let onUnknownOutcome: () -> Void
  /// The name of the writer in the table `writers`, where each transaction leaves its number.
  private var name: String?
  private var number: Int64 = 0
  /// The session of the last transaction.
  private weak var last: PostgresSession?
  /// The rule lists that are in the table.
  private var keptRules: Set<String> = []

  /// The maximum number of attempts for a transaction that fails because of a conflict or a lost session.
  private static let attemptLimit = 3
  /// The pauses in milliseconds between attempts to read the outcome of a commit: about ten seconds, the time of a restart.
  private static let pauses: [Int32] = [0, 50, 100, 200, 400, 800, 1_600, 3_000, 4_000]

  enum WriterSQL {
    static let name = "SELECT gen_random_uuid()::text"
    static let begin = """
      INSERT INTO writers (name, number, used_at) VALUES ($1, $2, now())
      ON CONFLICT (name) DO UPDATE SET number = excluded.number, used_at = excluded.used_at
      """
    /// Waits for the end of a transaction that is still open, which a selection would not find if it inserts the row. Rolled back.
    static let number = """
      INSERT INTO writers (name, number, used_at) VALUES ($1, 0, now())
      ON CONFLICT (name) DO UPDATE SET used_at = excluded.used_at RETURNING number
      """
  }

  init(_ sessions: SessionOwner, didCommit: @escaping ([Int64]) -> Void, onUnknownOutcome: @escaping () -> Void) {
    (self.sessions, self.didCommit, self.onUnknownOutcome) = (sessions, didCommit, onUnknownOutcome)
  }

  /// Commits writes together, and then the writes to browsers that other transactions have locked. All writes to a browser are in the
  /// same commit, so they keep their order.
  func commit(_ writes: [any QueuedWrite]) {
    let waiting = commit(writes, waits: false)
    if !waiting.isEmpty { _ = commit(waiting, waits: true) }
  }

  /// Commits writes together. If the server rejects that, commits each write separately, so that only invalid writes fail.
  ///
  /// - Parameter waits: Whether to wait for browsers that other transactions have locked.
  /// - Returns: The writes to the other browsers, which are not done.
  private func commit(_ writes: [any QueuedWrite], waits: Bool) -> [any QueuedWrite] {
    var skipped: [any QueuedWrite] = []
    var rest = writes
    var error = attempt(&rest, &skipped, waits: waits)
    for _ in 1..<Self.attemptLimit where error?.kind == .conflict || error?.kind == .lost {
      error = attempt(&rest, &skipped, waits: waits)
    }
    if let error, rest.count > 1, error.kind == .rejected || error.kind == .full || error.kind == .conflict {
      // Waits for locks, because a skipped write would follow later writes to its browser.
      return skipped + rest.flatMap { commit([$0], waits: true) }
    }
    for write in rest { write.settle(error) }
    return skipped
  }

  /// Returns the error for which all writes were rolled back.
  ///
  /// - Parameters:
  ///   - writes: Without the writes that are skipped afterward.
  ///   - skipped: Receives the writes to browsers that are not locked.
  private func attempt(
    _ writes: inout [any QueuedWrite], _ skipped: inout [any QueuedWrite], waits: Bool
  ) -> PostgresError? {
    var session: PostgresSession?
    do throws(PostgresError) {
      let open = try sessions.open()
      // A standby that replaced the server may lack the last commits.
      if open !== last { keptRules = [] }
      (session, last) = (open, open)
      let transaction = try begin(in: open, locking: writes.flatMap(\.browsers), waits: waits)
      if !waits {
        skipped += writes.filter { !$0.browsers.allSatisfy(transaction.hasLocked) }
        writes.removeAll { !$0.browsers.allSatisfy(transaction.hasLocked) }
      }
      for write in writes { try write.run(in: transaction) }
      try transaction.finish()
      try open.send(PostgresStatement("COMMIT"))
      do throws(PostgresError) {
        try open.synchronize()
      } catch {
        // A full disk may also end the session.
        guard error.kind == .lost || !open.isUsable() else { throw error }
        if let error = outcome(after: error) { throw error }
      }
      keptRules = transaction.keptRules
      didCommit(writes.flatMap(\.browsers))
      return nil
    } catch {
      keptRules = []
      session?.rollBack()
      return error
    }
  }

  private func begin(
    in session: PostgresSession, locking browsers: [Int64], waits: Bool
  ) throws(PostgresError) -> PostgresTransaction {
    let name = try name(in: session)
    number += 1
    let transaction = PostgresTransaction(in: session, keptRules: keptRules)
    try session.send(PostgresStatement("BEGIN"))
    try session.send(PostgresStatement(WriterSQL.begin, [name, number]))
    // The result shows that the number is locked: a commit that is sent later and is lost can be found.
    try transaction.lock(browsers, waits: waits)
    return transaction
  }

  private func name(in session: PostgresSession) throws(PostgresError) -> String {
    if let name { return name }
    name = try? session.result(of: PostgresStatement(WriterSQL.name)).map(of: "writers") { try $0.text() }.first
    guard let name else { throw session.failure ?? PostgresError(.rejected, "the server made no name") }
    return name
  }

  /// Reads whether the transaction was committed whose session ended during the commit. Returns nil if so.
  private func outcome(after error: PostgresError) -> PostgresError? {
    for pause in Self.pauses {
      _ = poll(nil, 0, pause)
      guard let session = try? sessions.open() else { continue }
      defer { session.rollBack() }
      let find = PostgresStatement(WriterSQL.number, [name])
      try? session.send(PostgresStatement("BEGIN"))
      guard let rows = try? session.result(of: find).map(of: "writers", { try $0.integer() }) else { continue }
      return rows == [number] ? nil : error
    }
    onUnknownOutcome()
    return PostgresError(.unknownOutcome, error.text)
  }
}
