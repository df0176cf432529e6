import PCMStore

/// A transaction of a session.
///
/// The changes of a body stay in memory until the body returns or reads, so that one that throws in between costs nothing. If the body
/// has guessed rows, they stay there until the guesses are verified.
final class PostgresTransaction {
  private let session: PostgresSession
  private var unsent: [Change] = []
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
  /// What `keptRules` was before the current body.
  private var rulesBefore: Set<String> = []
  /// The rows that the bodies have read and written.
  var reads = BatchReads()
  /// Whether the bodies run without the rows that are not known yet.
  private var isAhead = false
  /// The bodies of this run whose results depend on guesses; nil while there are none.
  private var guessed: Guessed?

  private struct Guessed {
    // What was before them.
    let heads: [Int64: Result<PostgresBrowser.Head, any Error>]
    let changed: Set<Int64>
    let keptRules: Set<String>
    let writes: [BrowserTable: TableWrites]
    /// Their changes.
    var unsent: [Change] = []
    /// Whether one of them needs a result that no guess replaces.
    var isIncomplete = false
  }

  /// Ends a body that has to wait for a result. It runs again.
  private struct ResultNeeded: Error {}

  /// The number of runs without the rows that are not known. Which rows a body reads may depend on earlier ones.
  private static let runLimit = 3

  init(in session: PostgresSession, keptRules: Set<String> = []) {
    (self.session, self.keptRules) = (session, keptRules)
  }

  // MARK: Statements

  private enum Change {
    case insertion(RowInsertion, [any ColumnValue], key: RowInsertions.Key?)
    case statement(PostgresStatement)
  }

  /// Changes rows.
  func run(_ sql: String, _ values: [any ColumnValue] = []) { unsent.append(.statement(PostgresStatement(sql, values))) }

  /// Inserts a row, together with those that are inserted before and after it.
  ///
  /// - Parameter key: The key of a row that replaces one with the same key.
  func insert(_ row: [any ColumnValue], withKey key: RowInsertions.Key? = nil, by insertion: RowInsertion) {
    unsent.append(.insertion(insertion, row, key: key))
  }

  /// Changes rows, and returns the result.
  func change(_ sql: String, _ values: [any ColumnValue]) throws -> PostgresRows {
    try requireResults()
    try sendUnsent(isFollowed: true)
    return try session.result(of: PostgresStatement(sql, values))
  }

  /// Returns the decoded rows of a statement.
  func rows<Value>(
    _ sql: String, _ values: [any ColumnValue], of table: String, _ decode: (inout RowReader) throws -> Value
  ) throws -> [Value] {
    try rows(of: PostgresStatement(sql, values), table, decode)
  }

  private func rows<Value>(
    of statement: PostgresStatement, _ table: String, _ decode: (inout RowReader) throws -> Value
  ) throws -> [Value] {
    guard !statement.hasNullCharacter else { return [] }
    try requireResults()
    if !unsent.isEmpty { try sendUnsent(isFollowed: true) }
    return try session.result(of: statement).map(of: table, decode)
  }

  /// Returns the decoded rows of a statement about a table of a locked browser, which may be known, or guessed.
  ///
  /// - Parameters:
  ///   - isUnchanged: Returns whether the result stays the same after the writes to the table.
  ///   - isRight: Returns whether the body has the same effect with the result as without rows.
  func rows<Value>(
    _ sql: String, _ values: [any ColumnValue], of table: BrowserTable,
    isUnchanged: (TableWrites, [Value]) -> Bool = { _, _ in false },
    isRight: @escaping (PostgresRows) -> Bool = \.isEmpty,
    _ decode: (inout RowReader) throws -> Value
  ) throws -> [Value] {
    let statement = PostgresStatement(sql, values)
    let writes = reads.writes[table]
    if let known = reads.results[statement] {
      let found = try known.map(of: table.name, decode)
      if writes.map({ isUnchanged($0, found) }) ?? true { return found }
    } else if isAhead, !statement.hasNullCharacter, writes.map({ isUnchanged($0, []) }) ?? true {
      beginGuesses()
      reads.guess(statement, isRight)
      return []
    }
    return try rows(of: statement, table.name, decode)
  }

  private func beginGuesses() {
    if guessed == nil { guessed = Guessed(heads: heads, changed: changed, keptRules: rulesBefore, writes: reads.writes) }
  }

  /// Ends a body that runs ahead, because it has to wait for a result.
  private func requireResults() throws {
    guard isAhead else { return }
    beginGuesses()
    guessed?.isIncomplete = true
    throw ResultNeeded()
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
    var insertions = RowInsertions()
    for change in unsent {
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
    unsent.removeAll(keepingCapacity: true)
  }

  // MARK: Bodies

  /// Runs the bodies of writes, in order. Those of several run ahead of their reads, and then again if they find rows.
  func run(_ writes: [any QueuedWrite]) throws(PostgresError) {
    var rest = writes[...]
    var runsLeft = writes.count > 1 ? Self.runLimit : 0
    while !rest.isEmpty, runsLeft > 0 {
      let (again, isIncomplete) = try runAhead(rest)
      (rest, runsLeft) = (again, isIncomplete ? 0 : runsLeft - 1)
    }
    for write in rest { try write.run(in: self) }
  }

  /// Runs bodies without waiting for rows, and then reads them. Returns the writes whose bodies must run again, and whether one of
  /// them has to wait.
  private func runAhead(
    _ writes: ArraySlice<any QueuedWrite>
  ) throws(PostgresError) -> (ArraySlice<any QueuedWrite>, isIncomplete: Bool) {
    isAhead = true
    defer { (isAhead, guessed) = (false, nil) }
    var certainCount = 0
    for write in writes {
      try write.run(in: self)
      if guessed == nil { certainCount += 1 }
    }
    let areRight = try reads.verify(in: session)
    guard let guessed else { return ([], false) }
    guard !areRight || guessed.isIncomplete else {
      unsent = guessed.unsent
      try sendUnsent(isFollowed: false)
      return ([], false)
    }
    (heads, changed, keptRules) = (guessed.heads, guessed.changed, guessed.keptRules)
    reads.restore(guessed.writes)
    return (writes.dropFirst(certainCount), guessed.isIncomplete)
  }

  /// Runs a body of a transaction with several ones. If it throws, its changes are reverted, and the error is the result. Throws the
  /// errors of the session, after which the transaction must be rolled back.
  func perform<Answer>(
    _ body: (PostgresTransaction) throws -> Answer
  ) throws(PostgresError) -> Result<Answer, any Error> {
    rulesBefore = keptRules
    defer { (hasSavepoint, current) = (false, []) }
    let result = Result { try body(self) }
    if let failure = session.failure { throw failure }
    if case .success = result {
      for browser in current where (try? heads[browser.id]?.get()) != browser.head {
        heads[browser.id] = .success(browser.head)
        changed.insert(browser.id)
      }
      if guessed == nil {
        try sendUnsent(isFollowed: false)
      } else {
        guessed?.unsent += unsent
        unsent.removeAll(keepingCapacity: true)
      }
    } else {
      unsent.removeAll()
      keptRules = rulesBefore
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

extension PostgresStatement {
  /// Whether a value has the character U+0000. PostgreSQL rejects it, so no row contains it.
  fileprivate var hasNullCharacter: Bool {
    values.contains { if case .text(let text) = $0 { text.utf8.contains(0) } else { false } }
  }
}
