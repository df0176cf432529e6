import GRDBSQLite
import PCMCore
import PCMStore

/// Takes one row apart, column after column in the order of the statement. A value of another type is an error that
/// names the table, never a crash: the file may have been damaged or edited.
struct RowReader {
  private let statement: OpaquePointer
  private let table: String
  private var column: Int32 = 0

  /// - Parameter statement: stands on a row.
  init(_ statement: OpaquePointer, of table: String) {
    self.statement = statement
    self.table = table
  }

  mutating func integer() throws -> Int64 {
    guard let value = try optionalInteger() else { throw corrupt() }
    return value
  }

  mutating func optionalInteger() throws -> Int64? {
    defer { column += 1 }
    switch sqlite3_column_type(statement, column) {
    case SQLITE_INTEGER: return sqlite3_column_int64(statement, column)
    case SQLITE_NULL: return nil
    default: throw corrupt(column)
    }
  }

  mutating func text() throws -> String {
    guard let value = try optionalText() else { throw corrupt() }
    return value
  }

  mutating func optionalText() throws -> String? {
    defer { column += 1 }
    switch sqlite3_column_type(statement, column) {
    case SQLITE_TEXT:
      // The text first, then its length: asking for the text may convert it.
      let start = sqlite3_column_text(statement, column)
      let bytes = UnsafeBufferPointer(start: start, count: Int(sqlite3_column_bytes(statement, column)))
      return String(decoding: bytes, as: UTF8.self)
    case SQLITE_NULL: return nil
    default: throw corrupt(column)
    }
  }

  mutating func byte() throws -> UInt8 {
    guard let value = UInt8(exactly: try integer()) else { throw corrupt() }
    return value
  }

  mutating func flag() throws -> Bool { try integer() != 0 }

  mutating func instant() throws -> Instant { Instant(milliseconds: try integer()) }

  mutating func optionalInstant() throws -> Instant? {
    try optionalInteger().map { Instant(milliseconds: $0) }
  }

  mutating func site() throws -> Site { Site(try text()) }

  mutating func key() throws -> ClickKey {
    ClickKey(source: try site(), destination: try site(), bundleIdentifier: try text())
  }

  mutating func optionalToken() throws -> SecretToken? {
    guard let text = try optionalText() else { return nil }
    guard let token = SecretToken(columnText: text) else { throw corrupt() }
    return token
  }

  /// A value of an enumeration that is stored by its name.
  mutating func named<Value: RawRepresentable<String>>() throws -> Value {
    guard let value = Value(rawValue: try text()) else { throw corrupt() }
    return value
  }

  /// A value of an enumeration that is stored by its number.
  mutating func numbered<Value: RawRepresentable<Int64>>() throws -> Value {
    guard let value = Value(rawValue: try integer()) else { throw corrupt() }
    return value
  }

  /// - Parameter index: the column; the one that was read last unless it is given.
  private func corrupt(_ index: Int32? = nil) -> StoreError {
    let name = sqlite3_column_name(statement, index ?? column - 1).map { String(cString: $0) }
    return .corrupt(table: table, column: name ?? "")
  }
}

extension SecretToken {
  /// Three texts in base64url with full stops between them, which base64url does not have.
  var columnText: String { "\(token).\(signature).\(keyID)" }

  init?(columnText: String) {
    let parts = columnText.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
    guard parts.count == 3 else { return nil }
    self.init(token: parts[0], signature: parts[1], keyID: parts[2])
  }
}
