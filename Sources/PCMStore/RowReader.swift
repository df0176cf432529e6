package import PCMCore

/// A row of a database: the values of its columns.
package protocol ColumnSource {
  /// Returns nil for a value that is neither an integer nor valid text.
  func value(of column: Int) -> StoredValue?
  func name(of column: Int) -> String
  /// A column as text, however damaged.
  func text(of column: Int) -> String
}

/// A decoder for one row that reads the columns in the order of the statement. A value of another type or out of range is an
/// error that names the row, not a crash: the file may be damaged or edited. The first column identifies the row.
package struct RowReader {
  private let source: any ColumnSource
  private let table: String
  private var column = 0

  package init(_ source: any ColumnSource, of table: String) {
    (self.source, self.table) = (source, table)
  }

  package mutating func integer() throws -> Int64 {
    guard let value = try optionalInteger() else { throw corrupt() }
    return value
  }

  package mutating func optionalInteger() throws -> Int64? {
    defer { column += 1 }
    switch source.value(of: column) {
    case .integer(let value): return value
    case .null: return nil
    default: throw corrupt(column)
    }
  }

  /// Settings as a JSON object. Absent settings have their defaults.
  package mutating func settings() throws -> BrowserSettings {
    guard let change = try? SettingsChange(json: Array(try text().utf8)) else { throw corrupt() }
    return change.applied(to: BrowserSettings())
  }

  package mutating func text() throws -> String {
    guard let value = try optionalText() else { throw corrupt() }
    return value
  }

  package mutating func optionalText() throws -> String? {
    defer { column += 1 }
    switch source.value(of: column) {
    case .text(let text): return text
    case .null: return nil
    default: throw corrupt(column)
    }
  }

  /// Returns the text of a JSON value.
  package mutating func jsonText() throws -> String {
    let value = try text()
    guard Self.isJSON(value) else { throw corrupt() }
    return value
  }

  /// Returns the attempts of a message.
  package mutating func attempts() throws -> [KeptAttempt] {
    let attempts = AttemptText.split(try text())
    guard attempts.allSatisfy({ Self.isJSON($0.text) }) else { throw corrupt() }
    return attempts
  }

  /// Whether a text can be inserted in JSON: unlike a whole text, it has no byte order mark.
  private static func isJSON(_ text: String) -> Bool {
    text.utf8.first != 0xEF && JSON.isValid(Array(text.utf8))
  }

  /// Returns the state of a message and the time of its next retry, from two columns. Throws if a message that is not scheduled has
  /// a retry time, because it would be due forever.
  package mutating func progress() throws -> (state: OutgoingMessage.State, retryAt: Instant?) {
    let state: OutgoingMessage.State = try named()
    let retryAt = try optionalInstant()
    guard retryAt == nil || state == .scheduled else { throw corrupt() }
    return (state, retryAt)
  }

  package mutating func integer(in range: ClosedRange<Int64>) throws -> Int64 {
    guard let value = try optionalInteger(in: range) else { throw corrupt() }
    return value
  }

  package mutating func optionalInteger(in range: ClosedRange<Int64>) throws -> Int64? {
    guard let value = try optionalInteger() else { return nil }
    guard range.contains(value) else { throw corrupt() }
    return value
  }

  /// Returns the number of an event or a record.
  package mutating func number() throws -> Int64 { try integer(in: RecordName.numbers) }

  package mutating func optionalNumber() throws -> Int64? { try optionalInteger(in: RecordName.numbers) }

  /// Returns a number of rows or bytes.
  package mutating func count() throws -> Int { Int(try integer(in: RecordName.numbers)) }

  package mutating func byte() throws -> UInt8 {
    guard let value = UInt8(exactly: try integer()) else { throw corrupt() }
    return value
  }

  package mutating func flag() throws -> Bool { try integer() != 0 }

  package mutating func instant() throws -> Instant {
    guard let instant = try optionalInstant() else { throw corrupt() }
    return instant
  }

  package mutating func optionalInstant() throws -> Instant? {
    guard let instant = try optionalInteger().map({ Instant(milliseconds: $0) }) else { return nil }
    guard Instant.storable.contains(instant) else { throw corrupt() }
    return instant
  }

  /// Labels as a JSON object, and an idle timeout, in two columns.
  package mutating func upkeep() throws -> BrowserUpkeep {
    guard let labels = JSON(parsing: Array(try text().utf8)).flatMap({ Labels(json: $0) }) else { throw corrupt() }
    let range = BrowserUpkeep.idleTimeouts.lowerBound.milliseconds...BrowserUpkeep.idleTimeouts.upperBound.milliseconds
    return BrowserUpkeep(
      labels: labels, idleTimeout: try optionalInteger(in: range).map { Interval(milliseconds: $0) })
  }

  /// The instance that has claimed a browser, and the fence, in two columns.
  package mutating func claim() throws -> Claim { Claim(instance: try optionalInteger(), fence: try number()) }

  /// The SDK, the signing, and the platform of an app, in three columns.
  package mutating func build() throws -> AppBuild {
    var sdk: OSVersion?
    if let text = try optionalText() {
      guard let version = OSVersion(text: text) else { throw corrupt() }
      sdk = version
    }
    return AppBuild(sdk: sdk, signing: try named(), platform: try named())
  }

  package mutating func site() throws -> Site { Site(try text()) }

  package mutating func key() throws -> ClickKey {
    ClickKey(source: try site(), destination: try site(), bundleIdentifier: try text())
  }

  package mutating func optionalToken() throws -> SecretToken? {
    guard let text = try optionalText() else { return nil }
    guard let token = SecretToken(columnText: text) else { throw corrupt() }
    return token
  }

  /// Returns a value of an enumeration that is stored by name.
  package mutating func named<Value: RawRepresentable<String>>() throws -> Value {
    guard let value: Value = try optionalNamed() else { throw corrupt() }
    return value
  }

  package mutating func optionalNamed<Value: RawRepresentable<String>>() throws -> Value? {
    guard let text = try optionalText() else { return nil }
    guard let value = Value(rawValue: text) else { throw corrupt() }
    return value
  }

  /// Returns a value of an enumeration that is stored by number.
  package mutating func numbered<Value: RawRepresentable<Int64>>() throws -> Value {
    guard let value = Value(rawValue: try integer()) else { throw corrupt() }
    return value
  }

  /// Returns the next values as they are.
  package mutating func values(_ count: Int) throws -> [StoredValue] {
    try (0..<count).map { _ in
      defer { column += 1 }
      guard let value = source.value(of: column) else { throw corrupt(column) }
      return value
    }
  }

  /// - Parameter index: The column; by default, the last read column.
  package func corrupt(_ index: Int? = nil) -> StoreError {
    let row = String(source.text(of: 0).prefix(Self.nameLength))
    return .unreadable(table: table, row: row, column: source.name(of: index ?? column - 1))
  }

  /// The maximum length of the text that identifies a row, which may also be damaged.
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

/// The attempts of a message in one column: JSON texts separated by the record separator, as in RFC 7464. It does not occur
/// in JSON, so the texts are preserved byte for byte without parsing.
enum AttemptText {
  private static let separator = "\u{1E}"

  static func joined(_ attempts: [KeptAttempt]) -> String { attempts.map(\.text).joined(separator: separator) }

  static func split(_ text: String) -> [KeptAttempt] {
    text.isEmpty ? [] : text.split(separator: separator, omittingEmptySubsequences: false).map { KeptAttempt(text: String($0)) }
  }
}
