import GRDBSQLite

/// The rows of a store, inserted again through SQLite's C API and nothing else.
final class RawSQLite {
  private static let tables = [("clicks", "id"), ("events", "sequence"), ("event_subjects", "sequence")]

  private enum Value {
    case null
    case integer(Int64)
    case text(String)
  }

  /// The rows of one event, by table.
  private var rows: [[(table: Int, values: [Value])]] = []
  private var inserts: [OpaquePointer?] = []
  private let database: OpaquePointer?
  private var failures = 0

  /// - Parameter path: a store with the browsers of the source and nothing else.
  init(copyOf source: String, at path: String) {
    database = Self.open(path)
    for setting in ["journal_mode = WAL", "synchronous = FULL", "foreign_keys = ON", "wal_autocheckpoint = 1000"] {
      sqlite3_exec(database, "PRAGMA \(setting)", nil, nil, nil)
    }
    read(source)
  }

  deinit {
    for insert in inserts { sqlite3_finalize(insert) }
    sqlite3_close(database)
  }

  /// Returns the seconds that it took.
  func insertAll(inTransactionsOf batch: Int) -> Double {
    let watch = Stopwatch()
    for start in stride(from: 0, to: rows.count, by: batch) {
      sqlite3_exec(database, "BEGIN IMMEDIATE", nil, nil, nil)
      for row in rows[start..<min(start + batch, rows.count)].joined() { insert(row.values, with: inserts[row.table]) }
      sqlite3_exec(database, "COMMIT", nil, nil, nil)
    }
    let seconds = watch.seconds
    if failures > 0 { print("sqlite-failures \(failures)") }
    return seconds
  }

  private func read(_ source: String) {
    let stored = Self.open(source)
    defer { sqlite3_close(stored) }
    for (index, (table, key)) in Self.tables.enumerated() {
      let select = Self.prepare("SELECT \(key), * FROM \(table) ORDER BY \(key)", stored)
      defer { sqlite3_finalize(select) }
      let columns = sqlite3_column_count(select) - 1
      guard columns > 0 else { continue }
      let places = Array(repeating: "?", count: Int(columns)).joined(separator: ", ")
      inserts.append(Self.prepare("INSERT INTO \(table) VALUES (\(places))", database))
      while sqlite3_step(select) == SQLITE_ROW {
        let number = Int(sqlite3_column_int64(select, 0))
        while rows.count < number { rows.append([]) }
        rows[number - 1].append((index, (1...columns).map { Self.value(select, $0) }))
      }
    }
  }

  private func insert(_ values: [Value], with statement: OpaquePointer?) {
    for (index, value) in zip(Int32(1)..., values) {
      switch value {
      case .null: sqlite3_bind_null(statement, index)
      case .integer(let number): sqlite3_bind_int64(statement, index, number)
      case .text(let text):
        // Copied: the buffer of a Swift string lasts as long as the call.
        sqlite3_bind_text(statement, index, text, Int32(text.utf8.count), unsafeBitCast(-1, to: sqlite3_destructor_type.self))
      }
    }
    if sqlite3_step(statement) != SQLITE_DONE { failures += 1 }
    sqlite3_reset(statement)
  }

  private static func value(_ statement: OpaquePointer?, _ column: Int32) -> Value {
    switch sqlite3_column_type(statement, column) {
    case SQLITE_INTEGER: .integer(sqlite3_column_int64(statement, column))
    case SQLITE_TEXT: .text(sqlite3_column_text(statement, column).map { String(cString: $0) } ?? "")
    default: .null
    }
  }

  private static func open(_ path: String) -> OpaquePointer? {
    var database: OpaquePointer?
    sqlite3_open(path, &database)
    return database
  }

  private static func prepare(_ sql: String, _ database: OpaquePointer?) -> OpaquePointer? {
    var statement: OpaquePointer?
    sqlite3_prepare_v2(database, sql, -1, &statement, nil)
    return statement
  }
}
