import PCMStore

/// A transaction of a session.
///
/// The changes of the bodies stay in memory until one of them reads a table with unsent changes, so that a body that throws before costs
/// nothing, and the changes of several bodies are sent together.
final class PostgresTransaction {
  private let session: PostgresSession
  private var unsent: [Change] = []
  /// The number of unsent changes before the current body.
  private var earlierCount = 0
  /// The tables with unsent changes.
  private var unsentTables: Set<BrowserTable> = []
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
  /// The rows that the bodies have read and written.
  var known = KnownRows()

  init(in session: PostgresSession, keptRules: Set<String> = []) {
    (self.session, self.keptRules) = (session, keptRules)
  }

  // MARK: Statements

  private enum Change {
    case insertion(RowInsertion, [any ColumnValue], key: RowInsertions.Key?)
    case statement(PostgresStatement)
  }

  /// Changes rows.
  ///
  /// - Parameter table: The table of a browser whose reads follow the change.
  func run(_ sql: String, _ values: [any ColumnValue] = [], in table: BrowserTable? = nil) {
    add(.statement(PostgresStatement(sql, values)), to: table)
  }

  /// Inserts a row, together with the inserted rows before and after it.
  ///
  /// - Parameter key: The key of a row that replaces another row with it.
  func insert(
    _ row: [any ColumnValue], withKey key: RowInsertions.Key? = nil, by insertion: RowInsertion, in table: BrowserTable
  ) {
    add(.insertion(insertion, row, key: key), to: table)
  }

  private func add(_ change: Change, to table: BrowserTable?) {
    unsent.append(change)
    guard let table else { return }
    unsentTables.insert(table)
    known.didChange(table)
  }

  /// Changes rows, and returns the result.
  func change(_ sql: String, _ values: [any ColumnValue]) throws -> PostgresRows {
    try sendUnsent(isChangeNext: true)
    return try session.result(of: PostgresStatement(sql, values))
  }

  /// Returns the decoded rows of a statement.
  func rows<Value>(
    _ sql: String, _ values: [any ColumnValue], of table: String, _ decode: (inout RowReader) throws -> Value
  ) throws -> [Value] {
    let statement = PostgresStatement(sql, values)
    guard !statement.hasNullCharacter else { return [] }
    if !unsent.isEmpty { try sendUnsent() }
    return try session.result(of: statement).map(of: table, decode)
  }

  /// Returns the decoded rows of a statement about a table of a browser.
  ///
  /// - Parameter isOfKey: Whether the statement finds a row whose key has no unsent change.
  func rows<Value>(
    _ sql: String, _ values: [any ColumnValue], of table: BrowserTable, isOfKey: Bool = false,
    _ decode: (inout RowReader) throws -> Value
  ) throws -> [Value] {
    let statement = PostgresStatement(sql, values)
    guard !statement.hasNullCharacter else { return [] }
    guard !isOfKey else { return try session.result(of: statement).map(of: table.name, decode) }
    if let result = known.result(of: statement, in: table) { return try result.map(of: table.name, decode) }
    if unsentTables.contains(table) { try sendUnsent() }
    let result = try session.result(of: statement)
    known.note(result, of: statement, in: table)
    return try result.map(of: table.name, decode)
  }

  /// Returns the first row of a statement.
  func row<Value>(
    _ sql: String, _ values: [any ColumnValue], of table: String, _ decode: (inout RowReader) throws -> Value
  ) throws -> Value? {
    try rows(sql, values, of: table, decode).first
  }

  /// Sends the changes so far. The current body, which may throw, goes on.
  ///
  /// - Parameter isChangeNext: Whether a change of the body follows.
  private func sendUnsent(isChangeNext: Bool = false) throws(PostgresError) {
    try send(unsent[..<earlierCount])
    if !hasSavepoint, isChangeNext || unsent.count > earlierCount {
      hasSavepoint = true
      try session.send(PostgresStatement("SAVEPOINT body"))
    }
    try send(unsent[earlierCount...])
    unsent.removeAll(keepingCapacity: true)
    unsentTables.removeAll(keepingCapacity: true)
    earlierCount = 0
  }

  private func send(_ changes: ArraySlice<Change>) throws(PostgresError) {
    var insertions = RowInsertions()
    for change in changes {
      switch change {
      case .insertion(let insertion, let row, let key):
        if insertions.add(row, withKey: key, to: insertion) { continue }
        for statement in insertions.take() { try session.send(statement) }
        _ = insertions.add(row, withKey: key, to: insertion)
      case .statement(let statement):
        for statement in insertions.take() + [statement] { try session.send(statement) }
      }
    }
    for statement in insertions.take() { try session.send(statement) }
  }

  // MARK: Bodies

  /// Runs one of a transaction's bodies. If it throws, its changes are reverted, and the error is the result. Throws the
  /// errors of the session, after which the transaction must be rolled back.
  func perform<Answer>(
    _ body: (PostgresTransaction) throws -> Answer
  ) throws(PostgresError) -> Result<Answer, any Error> {
    let (knownBefore, rulesBefore) = (known, keptRules)
    earlierCount = unsent.count
    defer { (hasSavepoint, current) = (false, []) }
    let result = Result { try body(self) }
    if let failure = session.failure { throw failure }
    if case .success = result {
      for browser in current where (try? heads[browser.id]?.get()) != browser.head {
        heads[browser.id] = .success(browser.head)
        changed.insert(browser.id)
      }
    } else {
      unsent.removeLast(unsent.count - earlierCount)
      (known, keptRules) = (knownBefore, rulesBefore)
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

  /// Returns whether the row of a browser is locked. A browser that does not exist has none.
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

  /// Sends the changes of the bodies, and the changed states of browsers.
  func finish() throws(PostgresError) {
    for id in changed {
      if case .success(let head)? = heads[id] { run(PostgresBrowser.StateSQL.update, [id] + head.columns) }
    }
    try send(unsent[...])
  }
}

extension PostgresStatement {
  /// Whether a value has the character U+0000. PostgreSQL rejects it, so no row contains it.
  fileprivate var hasNullCharacter: Bool {
    values.contains { if case .text(let text) = $0 { text.utf8.contains(0) } else { false } }
  }
}
