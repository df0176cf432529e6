import PCMStore

/// A table of one browser.
struct BrowserTable: Hashable {
  let browser: Int64
  let name: String
}

/// The rows of browsers that the bodies of a transaction have read and written. The browsers are locked, so only the transaction
/// changes them.
struct KnownRows {
  /// The rows by their keys; nil for a key without a row.
  private var rows: [BrowserTable: [AnyHashable: (any StoredRow)?]] = [:]
  /// The results of other statements, until their table changes.
  private var results: [BrowserTable: [PostgresStatement: PostgresRows]] = [:]
  /// The totals of tables with sizes.
  var totals: [BrowserTable: RowTotal] = [:]
  /// Lower bounds of the times of each browser.
  var oldest: [Int64: OldestTimes] = [:]

  /// Returns a row, or nil for a key without one, or nil when neither is known.
  func row(_ key: AnyHashable, in table: BrowserTable) -> (any StoredRow)?? { rows[table]?[key] }

  func result(of statement: PostgresStatement, in table: BrowserTable) -> PostgresRows? { results[table]?[statement] }

  mutating func note(_ row: (any StoredRow)?, for key: AnyHashable, in table: BrowserTable) {
    rows[table, default: [:]].updateValue(row, forKey: key)
  }

  mutating func note(_ result: PostgresRows, of statement: PostgresStatement, in table: BrowserTable) {
    results[table, default: [:]][statement] = result
  }

  /// Forgets the results that a change of a table affects.
  mutating func didChange(_ table: BrowserTable) { results[table] = nil }

  /// Forgets a table that a statement changes as a whole.
  mutating func forget(_ table: BrowserTable) { (rows[table], results[table], totals[table]) = (nil, nil, nil) }
}
