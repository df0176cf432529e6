import GRDB
import PCMCore
import PCMStore

/// One browser's rows on one connection: in all transactions of the writer until a rollback, or in one transaction of a reader. It
/// caches values that only the writer changes.
///
/// The topics are in extensions, each with its statements as constants, so that a test can check SQLite's plan for all of
/// them.
final class SQLiteBrowser: BrowserWriter, SQLReader {
  static let sql = ReadingSQL(mark: "?", join: "CROSS JOIN", kinds: " INDEXED BY events_by_kind")
  let database: Database
  let id: Int64
  /// The requests of the service, which create browsers, are kept under this number. No browser has it.
  static let service: Int64 = 0
  /// The state; nil until it is needed.
  var knownState: BrowserState?
  /// Whether the known state is not in the table yet.
  var isUnsaved = false
  /// The end of the log; nil until it is needed.
  var logEnd: LogEnd?
  var oldest = OldestTimes()
  /// The totals of tables, where they are known.
  var totals: [String: RowTotal] = [:]
  /// The rule lists that are in the table.
  var keptRules: Set<String> = []
  var appended: [any BrowserEvent] = []
  /// Whether the transaction may exceed the maximum size of the file.
  private(set) var isRemoval = false

  /// The number of pages that a removal adds at most, for its event and its entry in the history.
  private static let pagesOfRemoval = 256

  init(database: Database, id: Int64) {
    (self.database, self.id) = (database, id)
  }

  /// Begins a body of the writer. Returns whether the browser exists.
  func begin() throws -> Bool {
    (appended, isRemoval) = ([], false)
    if knownState == nil { knownState = try storedState() }
    return knownState != nil
  }

  func beginRemoval() throws {
    isRemoval = true
    let present = try Int.fetchOne(database, sql: "PRAGMA page_count") ?? 0
    let limit = try Int.fetchOne(database, sql: "PRAGMA max_page_count") ?? 0
    guard limit < present + Self.pagesOfRemoval else { return }
    try database.execute(sql: "PRAGMA max_page_count = \(present + Self.pagesOfRemoval)")
  }

  func rows<Value>(
    _ sql: String, _ values: [any ColumnValue], of table: String, _ decode: (inout RowReader) throws -> Value
  ) throws -> [Value] {
    try database.rows(sql, values, of: table, decode)
  }
}
