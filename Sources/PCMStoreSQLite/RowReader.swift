import GRDBSQLite
import PCMCore
import PCMStore

/// A decoder for one row that reads the columns in the order of the statement. A value of another type or out of range is an
/// error that names the row, not a crash: the file may be damaged or edited. The first column identifies the row.
struct RowReader {
  private let statement: OpaquePointer
  private let table: String
  private var column: Int32 = 0

  /// - Parameter statement: A statement with a current row.
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

  /// Settings as a JSON object. Absent settings have their defaults.
  mutating func settings() throws -> BrowserSettings {
    guard let change = try? SettingsChange(json: Array(try text().utf8)) else { throw corrupt() }
    return change.applied(to: BrowserSettings())
  }

  mutating func text() throws -> String {
    guard let value = try optionalText() else { throw corrupt() }
    return value
  }

  mutating func optionalText() throws -> String? {
    defer { column += 1 }
    switch sqlite3_column_type(statement, column) {
    case SQLITE_TEXT:
      // The text first, then its length: reading the text may convert it.
      let start = sqlite3_column_text(statement, column)
      let bytes = UnsafeBufferPointer(start: start, count: Int(sqlite3_column_bytes(statement, column)))
      guard let text = String(validating: bytes, as: UTF8.self) else { throw corrupt(column) }
      return text
    case SQLITE_NULL: return nil
    default: throw corrupt(column)
    }
  }

  /// Returns the text of a JSON value.
  mutating func jsonText() throws -> String {
    let value = try text()
    guard Self.isJSON(value) else { throw corrupt() }
    return value
  }

  /// Returns the attempts of a message.
  mutating func attempts() throws -> [String] {
    let attempts = AttemptText.split(try text())
    guard attempts.allSatisfy(Self.isJSON) else { throw corrupt() }
    return attempts
  }

  /// Whether a text can be inserted in JSON: unlike a whole text, it has no byte order mark.
  private static func isJSON(_ text: String) -> Bool {
    text.utf8.first != 0xEF && JSON.isValid(Array(text.utf8))
  }

  /// Returns the state of a message and the time of its next attempt after a failed one, in two columns. Only a scheduled message
  /// waits for an attempt: the time of another one would make it due forever.
  mutating func progress() throws -> (state: OutgoingMessage.State, retryAt: Instant?) {
    let state: OutgoingMessage.State = try named()
    let retryAt = try optionalInstant()
    guard retryAt == nil || state == .scheduled else { throw corrupt() }
    return (state, retryAt)
  }

  mutating func integer(in range: ClosedRange<Int64>) throws -> Int64 {
    guard let value = try optionalInteger(in: range) else { throw corrupt() }
    return value
  }

  mutating func optionalInteger(in range: ClosedRange<Int64>) throws -> Int64? {
    guard let value = try optionalInteger() else { return nil }
    guard range.contains(value) else { throw corrupt() }
    return value
  }

  /// Returns the number of an event or a record.
  mutating func number() throws -> Int64 { try integer(in: RecordName.numbers) }

  mutating func optionalNumber() throws -> Int64? { try optionalInteger(in: RecordName.numbers) }

  /// Returns a number of rows or bytes.
  mutating func count() throws -> Int { Int(try integer(in: RecordName.numbers)) }

  mutating func optionalCount() throws -> Int? { try optionalInteger(in: RecordName.numbers).map { Int($0) } }

  /// Throws if an expression is true for one of the rows of an aggregate. Its column has the name of the damaged one.
  mutating func noDamage() throws { _ = try optionalInteger(in: 0...0) }

  /// The SQL expression of a size that no row has. A sum of other sizes fits into 64 bits.
  static let isDamagedSize = "size NOT BETWEEN 0 AND 0x7FFFFFFF"

  mutating func byte() throws -> UInt8 {
    guard let value = UInt8(exactly: try integer()) else { throw corrupt() }
    return value
  }

  mutating func flag() throws -> Bool { try integer() != 0 }

  mutating func instant() throws -> Instant {
    guard let instant = try optionalInstant() else { throw corrupt() }
    return instant
  }

  mutating func optionalInstant() throws -> Instant? {
    guard let instant = try optionalInteger().map({ Instant(milliseconds: $0) }) else { return nil }
    guard Instant.storable.contains(instant) else { throw corrupt() }
    return instant
  }

  mutating func interval(in range: ClosedRange<Interval>) throws -> Interval {
    Interval(milliseconds: try integer(in: range.lowerBound.milliseconds...range.upperBound.milliseconds))
  }

  /// Labels as a JSON object, and an idle timeout, in two columns.
  mutating func upkeep() throws -> BrowserUpkeep {
    guard let labels = JSON(parsing: Array(try text().utf8)).flatMap({ Labels(json: $0) }) else { throw corrupt() }
    let range = BrowserUpkeep.idleTimeouts.lowerBound.milliseconds...BrowserUpkeep.idleTimeouts.upperBound.milliseconds
    return BrowserUpkeep(
      labels: labels, idleTimeout: try optionalInteger(in: range).map { Interval(milliseconds: $0) })
  }

  /// The SDK, the signing, and the platform of an app, in three columns.
  mutating func build() throws -> AppBuild {
    var sdk: OSVersion?
    if let text = try optionalText() {
      guard let version = OSVersion(text: text) else { throw corrupt() }
      sdk = version
    }
    return AppBuild(sdk: sdk, signing: try named(), platform: try named())
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

  /// Returns a value of an enumeration that is stored by name.
  mutating func named<Value: RawRepresentable<String>>() throws -> Value {
    guard let value = Value(rawValue: try text()) else { throw corrupt() }
    return value
  }

  /// Returns a value of an enumeration that is stored by number.
  mutating func numbered<Value: RawRepresentable<Int64>>() throws -> Value {
    guard let value = Value(rawValue: try integer()) else { throw corrupt() }
    return value
  }

  /// - Parameter index: The column; by default, the one that was read last.
  func corrupt(_ index: Int32? = nil) -> StoreError {
    let name = sqlite3_column_name(statement, index ?? column - 1).map { String(cString: $0) }
    let row = sqlite3_column_text(statement, 0).map { String(cString: $0) } ?? ""
    return .unreadable(UnreadableRow(table: table, row: String(row.prefix(Self.nameLength)), column: name ?? ""))
  }

  /// The maximum length of the text that identifies a row, which may be damaged, too.
  private static let nameLength = 253
}

extension SecretToken {
  /// Three base64url texts separated by periods, which base64url does not contain.
  var columnText: String { "\(token).\(signature).\(keyID)" }

  init?(columnText: String) {
    let parts = columnText.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
    guard parts.count == 3 else { return nil }
    self.init(token: parts[0], signature: parts[1], keyID: parts[2])
  }
}
