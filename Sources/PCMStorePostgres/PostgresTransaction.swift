import PCMStore

/// A transaction of a session.
///
/// The changes of a body stay in memory until the body returns or reads, so that one that throws in between costs nothing.
final class PostgresTransaction {
  private let session: PostgresSession
  private var unsent: [PostgresStatement] = []
  /// Whether a savepoint precedes the changes of the current body.
  private var hasSavepoint = false
  /// The locked rows of browsers. A damaged row is an error of the bodies that use it.
  private var heads: [Int64: Result<PostgresBrowser.Head, any Error>] = [:]
  /// The browsers whose rows must be written.
  private var changed: Set<Int64> = []
  /// The browsers of the current body.
  private var current: [PostgresBrowser] = []
  /// The rule lists that are in the table.
  var keptRules: Set<String>

  init(in session: PostgresSession, keptRules: Set<String> = []) {
    (self.session, self.keptRules) = (session, keptRules)
  }

  // MARK: Statements

  /// Changes rows.
  func run(_ sql: String, _ values: [any ColumnValue] = []) { unsent.append(PostgresStatement(sql, values)) }

  /// Changes rows, and returns the result.
  func change(_ sql: String, _ values: [any ColumnValue]) throws -> PostgresRows {
    try sendUnsent(isFollowed: true)
    return try session.result(of: PostgresStatement(sql, values))
  }

  /// Returns the decoded rows of a statement.
  func rows<Value>(
    _ sql: String, _ values: [any ColumnValue], of table: String, _ decode: (inout RowReader) throws -> Value
  ) throws -> [Value] {
    let statement = PostgresStatement(sql, values)
    // PostgreSQL rejects the character U+0000, so no row contains it.
    guard !statement.values.contains(where: \.hasNullCharacter) else { return [] }
    if !unsent.isEmpty { try sendUnsent(isFollowed: true) }
    return try session.result(of: statement).map(of: table, decode)
  }

  /// Returns the first row of a statement.
  func row<Value>(
    _ sql: String, _ values: [any ColumnValue], of table: String, _ decode: (inout RowReader) throws -> Value
  ) throws -> Value? {
    try rows(sql, values, of: table, decode).first
  }

  /// Sends the changes so far.
  ///
  /// - Parameter isFollowed: Whether the body, which may throw, goes on.
  private func sendUnsent(isFollowed: Bool) throws(PostgresError) {
    if isFollowed, !hasSavepoint {
      hasSavepoint = true
      try session.send(PostgresStatement("SAVEPOINT body"))
    }
    for statement in unsent { try session.send(statement) }
    unsent.removeAll(keepingCapacity: true)
  }

  // MARK: Bodies

  /// Runs a body of a transaction with several ones. If it throws, its changes are reverted, and the error is the result. Throws the
  /// errors of the session, after which the transaction must be rolled back.
  func perform<Answer>(
    _ body: (PostgresTransaction) throws -> Answer
  ) throws(PostgresError) -> Result<Answer, any Error> {
    let rules = keptRules
    defer { (hasSavepoint, current) = (false, []) }
    let result = Result { try body(self) }
    if let failure = session.failure { throw failure }
    if case .success = result {
      for browser in current where (try? heads[browser.id]?.get()) != browser.head {
        heads[browser.id] = .success(browser.head)
        changed.insert(browser.id)
      }
      try sendUnsent(isFollowed: false)
    } else {
      unsent.removeAll()
      keptRules = rules
      if hasSavepoint { try session.send(PostgresStatement("ROLLBACK TO SAVEPOINT body")) }
    }
    if hasSavepoint { try session.send(PostgresStatement("RELEASE SAVEPOINT body")) }
    return result
  }

  /// Locks the rows of browsers, in the order of their numbers, until the end of the transaction.
  ///
  /// - Parameter waits: Whether to wait for the rows that other transactions have locked. Otherwise, these are omitted.
  func lock(_ browsers: some Sequence<Int64>, waits: Bool = true) throws(PostgresError) {
    let sql = waits ? PostgresBrowser.StateSQL.lock : PostgresBrowser.StateSQL.lockFree
    let list = "{\(Set(browsers).sorted().map(String.init).joined(separator: ","))}"
    let rows = try session.result(of: PostgresStatement(sql, [list]))
    _ = rows.map(of: "browsers") { row in
      var start = row
      if let id = try? start.integer() { heads[id] = Result { try PostgresBrowser.Head(columns: &row) } }
    }
  }

  /// Returns whether the row of a browser is locked. That of a browser that does not exist is not.
  func hasLocked(_ id: Int64) -> Bool { heads[id] != nil }

  /// Returns a locked browser for the current body, or nil when the browser does not exist.
  func browser(_ id: Int64) throws -> PostgresBrowser? {
    guard let head = try heads[id]?.get() else { return nil }
    let browser = PostgresBrowser(in: self, id: id, head)
    current.append(browser)
    return browser
  }

  /// Forgets a browser that does not exist any longer.
  func forget(_ id: Int64) {
    heads[id] = nil
    changed.remove(id)
  }

  /// Writes the changed states of browsers.
  func saveStates() throws(PostgresError) {
    for id in changed {
      if case .success(let head)? = heads[id] { run(PostgresBrowser.StateSQL.update, [id] + head.columns) }
    }
    try sendUnsent(isFollowed: false)
  }
}

extension StoredValue {
  fileprivate var hasNullCharacter: Bool {
    if case .text(let text) = self { text.utf8.contains(0) } else { false }
  }
}
