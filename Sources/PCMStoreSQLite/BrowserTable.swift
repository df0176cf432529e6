import GRDB
import PCMStore

/// A table with rows of browsers. They are copied and removed in steps, each in a transaction, so that other writes wait only
/// briefly.
struct BrowserTable: Sendable {
  let name: String
  /// The number of rows for which one counts. A report has up to 20 attempts of 4 KiB each.
  var weight = 1
  /// Whether a copy of a browser also has the rows.
  var isForked = true

  static let all =
    ["clicks", "attributions", "events", "event_subjects", "device_rows"].map { BrowserTable(name: $0) }
    + ["apps", "sites", "reports", "postbacks", "journal"].map { BrowserTable(name: $0, weight: 40) }
    // A repeated request is one of the original, and is answered by it.
    + [BrowserTable(name: "kept_requests", weight: 40, isForked: false)]
  static let forked = all.filter(\.isForked)

  /// The number of rows of a step, which takes some milliseconds. A browser of most tests has fewer.
  static let step = 1_000

  /// Copies the next rows of a browser to another browser, in the order of their keys. Returns whether the copy is complete.
  static func copyRows(of browser: Int64, to copy: Int64, in database: Database) throws -> Bool {
    try takeStep(forked) { table, limit in
      let sql = try BrowserTableSQL(table, in: database)
      let isBegun = try database.row(sql.find, [copy], of: table.name) { try $0.integer() } != nil
      try database.run(isBegun ? sql.copyNext : sql.copyFirst, [browser, copy, limit])
      return database.changesCount
    }
  }

  /// Removes the next rows of a browser. Returns whether none is left.
  static func removeRows(of browser: Int64, in database: Database) throws -> Bool {
    try takeStep(all) { table, limit in
      try database.run(BrowserTableSQL(table, in: database).remove, [browser, limit])
      return database.changesCount
    }
  }

  /// Processes the tables in order, up to the rows of a step. Returns whether all tables are complete.
  ///
  /// - Parameter change: Changes up to a number of rows of a table, and returns their number.
  private static func takeStep(_ tables: [BrowserTable], _ change: (BrowserTable, _ limit: Int) throws -> Int) throws -> Bool {
    var rest = step
    for table in tables {
      let limit = rest / table.weight
      guard limit > 0 else { return false }
      let count = try change(table, limit)
      guard count < limit else { return false }
      rest -= count * table.weight
    }
    return true
  }
}

/// The statements of a table, with all its columns.
///
/// A plus sign removes the affinity of a column. With it, SQLite would not use all columns of the key.
struct BrowserTableSQL: Sendable {
  let find: String
  let copyFirst: String
  let copyNext: String
  let remove: String

  init(_ table: BrowserTable, in database: Database) throws {
    let name = table.name
    let key = try database.primaryKey(name).columns.filter { $0 != "browser" }
    let columns = try database.columns(in: name).map(\.name).filter { $0 != "browser" }.joined(separator: ", ")
    let (order, values) = (key.joined(separator: ", "), key.map { "+\($0)" }.joined(separator: ", "))
    let reversed = key.map { "\($0) DESC" }.joined(separator: ", ")
    let last = "SELECT \(values) FROM \(name) WHERE browser = ?2 ORDER BY \(reversed) LIMIT 1"
    let copy = "INSERT INTO \(name) (browser, \(columns)) SELECT ?2, \(columns) FROM \(name) WHERE browser = ?1"
    find = "SELECT browser FROM \(name) WHERE browser = ? LIMIT 1"
    copyFirst = "\(copy) ORDER BY \(order) LIMIT ?3"
    copyNext = "\(copy) AND (\(order)) > (\(last)) ORDER BY \(order) LIMIT ?3"
    remove = """
      DELETE FROM \(name) WHERE browser = ?1 AND (\(order)) IN (
        SELECT \(values) FROM \(name) WHERE browser = ?1 ORDER BY \(order) LIMIT ?2)
      """
  }
}
