import GRDB
import GRDBSQLite
import PCMStore

// Statements are prepared and cached by GRDB, and executed through SQLite's C interface. GRDB boxes each argument twice and each row
// once, which takes about half as long as SQLite's own work. The values are bound in the order of the statement's parameters.
extension Database {
  /// Runs a statement that returns no rows.
  func run(_ sql: String, _ values: [any ColumnValue]) throws {
    let statement = try prepared(sql, values)
    defer { sqlite3_reset(statement) }
    while try step(statement) {}
  }

  /// Returns the decoded rows of a statement.
  func rows<Value>(
    _ sql: String, _ values: [any ColumnValue], of table: String, limit: Int = .max,
    _ decode: (inout RowReader) throws -> Value
  ) throws -> [Value] {
    let statement = try prepared(sql, values)
    // Without a reset, the statement keeps its read transaction open.
    defer { sqlite3_reset(statement) }
    var found: [Value] = []
    while found.count < limit, try step(statement) {
      var reader = RowReader(StatementColumns(statement: statement), of: table)
      found.append(try decode(&reader))
    }
    return found
  }

  /// Returns the first row of a statement.
  func row<Value>(
    _ sql: String, _ values: [any ColumnValue], of table: String, _ decode: (inout RowReader) throws -> Value
  ) throws -> Value? {
    try rows(sql, values, of: table, limit: 1, decode).first
  }

  private func prepared(_ sql: String, _ values: [any ColumnValue]) throws -> SQLiteStatement {
    let statement = try cachedStatement(sql: sql).sqliteStatement
    sqlite3_reset(statement)
    for (index, value) in values.enumerated() {
      let code = value.bind(to: statement, at: Int32(index + 1))
      guard code == SQLITE_OK else { throw error(code) }
    }
    return statement
  }

  /// Returns whether there is a row.
  private func step(_ statement: SQLiteStatement) throws -> Bool {
    switch sqlite3_step(statement) {
    case SQLITE_ROW: return true
    case SQLITE_DONE: return false
    case let code: throw error(code)
    }
  }

  private func error(_ code: Int32) -> DatabaseError {
    guard let sqliteConnection else { return DatabaseError(resultCode: ResultCode(rawValue: code)) }
    return DatabaseError(
      resultCode: ResultCode(rawValue: sqlite3_extended_errcode(sqliteConnection)),
      message: String(cString: sqlite3_errmsg(sqliteConnection)))
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

extension StoreError {
  /// Returns the error to throw for an internal error. Errors of the database become `unavailable` with SQLite's message,
  /// without the statement and its values. Errors of the body stay as they are.
  static func leaving(_ error: any Error) -> any Error {
    guard let error = error as? DatabaseError else { return error }
    guard error.resultCode != .SQLITE_FULL else { return Self.full }
    return Self.unavailable(error.message ?? "unknown error")
  }
}
