import GRDB
import GRDBSQLite

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
      var reader = RowReader(statement, of: table)
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

/// A value of a column.
protocol ColumnValue {
  /// Returns SQLite's result code.
  func bind(to statement: SQLiteStatement, at index: Int32) -> Int32
}

extension Int64: ColumnValue {
  func bind(to statement: SQLiteStatement, at index: Int32) -> Int32 { sqlite3_bind_int64(statement, index, self) }
}

extension Int: ColumnValue {
  func bind(to statement: SQLiteStatement, at index: Int32) -> Int32 { Int64(self).bind(to: statement, at: index) }
}

extension UInt8: ColumnValue {
  func bind(to statement: SQLiteStatement, at index: Int32) -> Int32 { Int64(self).bind(to: statement, at: index) }
}

extension Bool: ColumnValue {
  func bind(to statement: SQLiteStatement, at index: Int32) -> Int32 {
    Int64(self ? 1 : 0).bind(to: statement, at: index)
  }
}

extension String: ColumnValue {
  func bind(to statement: SQLiteStatement, at index: Int32) -> Int32 {
    var text = self
    return text.withUTF8 { bytes in
      bytes.withMemoryRebound(to: CChar.self) { characters in
        guard let start = characters.baseAddress else { return sqlite3_bind_text(statement, index, "", 0, nil) }
        return sqlite3_bind_text(statement, index, start, Int32(characters.count), Self.copied)
      }
    }
  }

  /// `SQLITE_TRANSIENT`: SQLite copies the text immediately. The macro is not visible in Swift.
  private static let copied = unsafeBitCast(-1, to: sqlite3_destructor_type.self)
}

extension Optional: ColumnValue where Wrapped: ColumnValue {
  func bind(to statement: SQLiteStatement, at index: Int32) -> Int32 {
    self?.bind(to: statement, at: index) ?? sqlite3_bind_null(statement, index)
  }
}
