import GRDB

/// The browsers that the writer knows, with their states and the ends of their logs. Only the writer changes them, because a second
/// process cannot open the file. A rollback forgets them.
///
/// `@unchecked Sendable`: it is only accessed on the writer queue.
final class WriterCache: @unchecked Sendable {
  private var browsers: [Int64: SQLiteBrowser] = [:]
  /// The browsers of the current transaction. The state of each is written once, before the commit.
  private var touched: [Int64: SQLiteBrowser] = [:]

  /// Returns the browser's rows for a body, or nil when the browser does not exist.
  func browser(_ id: Int64, in database: Database) throws -> SQLiteBrowser? {
    let rows = browsers[id] ?? SQLiteBrowser(database: database, id: id)
    guard try rows.begin() else { return nil }
    (browsers[id], touched[id]) = (rows, rows)
    return rows
  }

  /// Returns the rows of the service's requests.
  func service(in database: Database) -> SQLiteBrowser {
    let rows = browsers[SQLiteBrowser.service] ?? SQLiteBrowser(database: database, id: SQLiteBrowser.service)
    browsers[SQLiteBrowser.service] = rows
    return rows
  }

  /// Writes the states that were saved in the transaction.
  func flush() throws {
    for rows in touched.values {
      try rows.flush()
      rows.appended = []
    }
    touched.removeAll(keepingCapacity: true)
  }

  func forget(_ id: Int64) { (browsers[id], touched[id]) = (nil, nil) }

  func forgetAll() { (browsers, touched) = ([:], [:]) }
}
