import GRDB
import GRDBSQLite
import PCMStore

/// A statement that GRDB prepares and caches, executed through SQLite's C interface. GRDB boxes each argument twice and each
/// row once, which takes about half as long as SQLite's own work.
struct PreparedStatement {
  private let statement: SQLiteStatement
  private let connection: SQLiteConnection?

  /// Binds the values in the order of the statement's parameters.
  init(_ sql: String, _ values: [any ColumnValue], in database: Database) throws {
    statement = try database.cachedStatement(sql: sql).sqliteStatement
    connection = database.sqliteConnection
    sqlite3_reset(statement)
    for (index, value) in values.enumerated() { try check(value.bind(to: statement, at: Int32(index + 1))) }
  }

  /// Runs a statement that returns no rows.
  func execute() throws {
    defer { sqlite3_reset(statement) }
    while try step() {}
  }

  /// Returns the decoded rows, up to a limit.
  func rows<Value>(
    of table: String, limit: Int = .max, _ decode: (inout RowReader) throws -> Value
  ) throws -> [Value] {
    // Without a reset, the statement keeps its read transaction open.
    defer { sqlite3_reset(statement) }
    var values: [Value] = []
    while values.count < limit, try step() {
      var reader = RowReader(StatementColumns(statement: statement), of: table)
      values.append(try decode(&reader))
    }
    return values
  }

  /// Returns whether there is a row.
  private func step() throws -> Bool {
    switch sqlite3_step(statement) {
    case SQLITE_ROW: return true
    case SQLITE_DONE: return false
    case let code: throw error(code)
    }
  }

  private func check(_ code: Int32) throws {
    guard code == SQLITE_OK else { throw error(code) }
  }

  private func error(_ code: Int32) -> DatabaseError {
    guard let connection else { return DatabaseError(resultCode: ResultCode(rawValue: code)) }
    return DatabaseError(
      resultCode: ResultCode(rawValue: sqlite3_extended_errcode(connection)),
      message: String(cString: sqlite3_errmsg(connection)))
  }
}

extension ColumnValue {
  /// Returns SQLite's result code.
  fileprivate func bind(to statement: SQLiteStatement, at index: Int32) -> Int32 {
    switch stored {
    case .null: return sqlite3_bind_null(statement, index)
    case .integer(let value): return sqlite3_bind_int64(statement, index, value)
    case .text(var text):
      return text.withUTF8 { bytes in
        bytes.withMemoryRebound(to: CChar.self) { characters in
          guard let start = characters.baseAddress else { return sqlite3_bind_text(statement, index, "", 0, nil) }
          return sqlite3_bind_text(statement, index, start, Int32(characters.count), copied)
        }
      }
    }
  }
}

/// `SQLITE_TRANSIENT`: SQLite copies the text immediately. The macro is not visible in Swift.
private let copied = unsafeBitCast(-1, to: sqlite3_destructor_type.self)

/// The current row of a statement.
private struct StatementColumns: ColumnSource {
  let statement: SQLiteStatement

  func value(of column: Int) -> StoredValue? {
    switch sqlite3_column_type(statement, Int32(column)) {
    case SQLITE_NULL: return .null
    case SQLITE_INTEGER: return .integer(sqlite3_column_int64(statement, Int32(column)))
    case SQLITE_TEXT:
      // The text first, then its length: reading the text may convert it.
      let start = sqlite3_column_text(statement, Int32(column))
      let bytes = UnsafeBufferPointer(start: start, count: Int(sqlite3_column_bytes(statement, Int32(column))))
      return String(validating: bytes, as: UTF8.self).map { .text($0) }
    default: return nil
    }
  }

  func name(of column: Int) -> String {
    sqlite3_column_name(statement, Int32(column)).map { String(cString: $0) } ?? ""
  }

  func text(of column: Int) -> String {
    sqlite3_column_text(statement, Int32(column)).map { String(cString: $0) } ?? ""
  }
}
