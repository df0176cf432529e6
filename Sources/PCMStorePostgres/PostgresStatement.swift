import PCMStore

/// A statement with the values of its parameters, `$1` and following.
///
/// Values are sent in PostgreSQL's binary format: integers as `bigint`, and texts as `text`.
struct PostgresStatement: Hashable, Sendable {
  let sql: String
  let values: [StoredValue]
  /// Whether the server keeps the parsed statement until the session ends.
  let isPrepared: Bool

  init(_ sql: String, _ values: [any ColumnValue] = [], isPrepared: Bool = true) {
    self.sql = sql
    self.values = values.map(\.stored)
    self.isPrepared = isPrepared
  }

  /// Omits the text, which is long and common to many statements.
  func hash(into hasher: inout Hasher) { hasher.combine(values) }

  /// Calls `body` with the number of values, their addresses, their lengths, and their formats. libpq copies the values.
  func withValues(
    _ body: (Int32, UnsafePointer<UnsafePointer<CChar>?>, UnsafePointer<Int32>, UnsafePointer<Int32>) -> Int32
  ) -> Int32 {
    var bytes: [UInt8] = []
    var ends: [Int] = []
    for value in values {
      switch value {
      case .null: break
      case .integer(let number): withUnsafeBytes(of: number.bigEndian) { bytes.append(contentsOf: $0) }
      case .text(let text): bytes.append(contentsOf: text.utf8)
      }
      ends.append(bytes.count)
    }
    // An empty text also needs an address: libpq takes a null pointer for a null value.
    bytes.append(0)
    let starts = [0] + ends
    let lengths = zip(starts, ends).map { Int32($1 - $0) }
    return bytes.withUnsafeBytes { bytes in
      let first = bytes.baseAddress?.assumingMemoryBound(to: CChar.self)
      let addresses = zip(values, starts).map { value, start in value == .null ? nil : first.map { UnsafePointer($0 + start) } }
      return body(Int32(values.count), addresses, lengths, [Int32](repeating: 1, count: values.count))
    }
  }
}
