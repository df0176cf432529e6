import PCMBrowser
import PCMCore
import PCMScenario

/// How the cells of a column become a number: by a table, or by buckets.
struct CellEncoding: Sendable {
  /// The column that the encoding makes: `source_id`.
  let column: String
  /// The column of the file.
  let from: String
  let place: SourcePlace
  let rule: Rule
  /// The number of an empty cell and of a value that is not in the table, in digits; nil for an error.
  let fallback: [UInt8]?

  enum Rule: Sendable {
    case table(CellTable<[UInt8]>)
    /// The limits, and the digits of each count of limits.
    case buckets([Double], digits: [[UInt8]])
  }

  /// Whether values with the same number lose their difference in reports. A bucket of revenues is meant to have many.
  var countsValues: Bool {
    switch rule {
    case .table: column != "priority"
    case .buckets: ["source_id", "sourceIdentifier"].contains(column)
    }
  }

  /// Returns the digits of the number of a cell.
  func number(of cell: ArraySlice<UInt8>) throws(EventError) -> [UInt8] {
    switch rule {
    case _ where cell.isEmpty:
      if let fallback { return fallback }
      throw EventError(column: from, detail: "the cell is empty; give the encoding of \(column) a default")
    case .table(let table):
      if let found = table[cell] ?? fallback { return found }
      let text = String(decoding: cell, as: UTF8.self)
      let hint = NearestName.hint(for: text, among: table.texts)
      throw EventError(
        column: from,
        detail: "\(text.quoted) is not in the table of \(column)"
          + (hint.isEmpty ? "; add it to the profile, or add a default" : hint))
    case .buckets(let limits, let digits):
      if let number = Self.number(cell) { return digits[limits.prefix { $0 <= number }.count] }
      throw EventError(
        column: from,
        detail: "\(String(decoding: cell, as: UTF8.self).quoted) is no number such as 19.99, for the buckets of \(column); "
          + "write it with digits and a period alone")
    }
  }

  private static let powersOfTen: [Double] = [
    1, 10, 100, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
  ]

  /// Returns a number; nil for another text. The division of two exact numbers has the nearest result.
  private static func number(_ cell: ArraySlice<UInt8>) -> Double? {
    let digits = cell.first == UInt8(ascii: "-") ? cell.dropFirst() : cell
    var (mantissa, point): (Int64, Int?) = (0, nil)
    for (index, byte) in zip(digits.indices, digits) {
      switch byte {
      case UInt8(ascii: "0")...UInt8(ascii: "9") where digits.count <= 16: mantissa = mantissa * 10 + Int64(byte & 15)
      case UInt8(ascii: ".") where point == nil && index > digits.startIndex && index + 1 < digits.endIndex: point = index
      default: return unusualNumber(cell)
      }
    }
    guard !digits.isEmpty, mantissa < 1 << 53 else { return unusualNumber(cell) }
    let number = Double(mantissa) / powersOfTen[point.map { digits.endIndex - $0 - 1 } ?? 0]
    return digits.count < cell.count ? -number : number
  }

  /// A number with many digits or with an exponent.
  private static func unusualNumber(_ cell: ArraySlice<UInt8>) -> Double? {
    guard cell.allSatisfy({ "0123456789+-.eE".utf8.contains($0) }) else { return nil }
    return Double(String(decoding: cell, as: UTF8.self)).flatMap { $0.isFinite ? $0 : nil }
  }
}

/// Values by the bytes of a cell, without a string for each cell.
struct CellTable<Value: Sendable>: Sendable {
  private var entries: [UInt64: [(key: [UInt8], value: Value)]] = [:]

  /// - Parameter pairs: With distinct keys.
  init(_ pairs: some Sequence<(String, Value)>) {
    for (text, value) in pairs {
      let key = Array(text.utf8)
      entries[FNV1a.mixedHash(key), default: []].append((key, value))
    }
  }

  subscript(cell: ArraySlice<UInt8>) -> Value? {
    entries[FNV1a.mixedHash(cell)]?.first { $0.key.elementsEqual(cell) }?.value
  }

  /// The keys in order.
  var texts: [String] { entries.values.joined().map { String(decoding: $0.key, as: UTF8.self) }.sorted() }
}
