/// A JSON value that keeps the order of its members, so that the same value is always the same bytes: report bodies,
/// the event log and every answer are written with it.
///
/// ```swift
/// let body: JSON = ["source_site": "news.example", "source_id": 4]
/// assert(body.text == #"{"source_site":"news.example","source_id":4}"#)
/// assert(body["source_id"]?.integer == 4)
/// ```
package indirect enum JSON: Hashable, Sendable {
  case null
  case bool(Bool)
  case number(Int64)
  case string(String)
  case array([JSON])
  case object([Member])
  /// Text that is JSON already, such as a stored event's detail. Written as it is.
  case verbatim(String)

  package struct Member: Hashable, Sendable {
    package let name: String
    package let value: JSON

    package init(_ name: String, _ value: JSON) {
      self.name = name
      self.value = value
    }
  }

  package static func string(_ text: String?) -> JSON { text.map { .string($0) } ?? .null }
  package static func number(_ number: Int64?) -> JSON { number.map { .number($0) } ?? .null }
  package static func instant(_ instant: Instant?) -> JSON { instant.map { .string($0.text) } ?? .null }

  /// The value of a number; nil for another value.
  package var integer: Int64? {
    guard case .number(let number) = self else { return nil }
    return number
  }

  /// Compact UTF-8 text: no spaces, members in their order.
  package var bytes: [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(480)
    write(into: &bytes)
    return bytes
  }

  package var text: String { String(decoding: bytes, as: UTF8.self) }

  package func write(into bytes: inout [UInt8]) {
    switch self {
    case .null: bytes.append(contentsOf: "null".utf8)
    case .bool(let value): bytes.append(contentsOf: (value ? "true" : "false").utf8)
    case .number(let number): Self.write(number, into: &bytes)
    case .string(let text): Self.write(text, into: &bytes)
    case .verbatim(let text): bytes.append(contentsOf: text.utf8)
    case .array(let items):
      bytes.append(UInt8(ascii: "["))
      for (index, item) in items.enumerated() {
        if index > 0 { bytes.append(UInt8(ascii: ",")) }
        item.write(into: &bytes)
      }
      bytes.append(UInt8(ascii: "]"))
    case .object(let members):
      bytes.append(UInt8(ascii: "{"))
      for (index, member) in members.enumerated() {
        if index > 0 { bytes.append(UInt8(ascii: ",")) }
        Self.write(member.name, into: &bytes)
        bytes.append(UInt8(ascii: ":"))
        member.value.write(into: &bytes)
      }
      bytes.append(UInt8(ascii: "}"))
    }
  }

  /// Appends a number.
  package static func write(_ number: Int64, into bytes: inout [UInt8]) {
    if number < 0 { bytes.append(UInt8(ascii: "-")) }
    var (first, rest) = (bytes.count, number.magnitude)
    repeat {
      bytes.append(48 + UInt8(truncatingIfNeeded: rest % 10))
      rest /= 10
    } while rest > 0
    // The digits are in the reverse order.
    var last = bytes.count - 1
    while first < last {
      bytes.swapAt(first, last)
      (first, last) = (first + 1, last - 1)
    }
  }

  /// Appends a string.
  package static func write(_ text: String, into bytes: inout [UInt8]) {
    bytes.append(UInt8(ascii: "\""))
    if !writePlain(text, into: &bytes) { writeEscaped(text, into: &bytes) }
    bytes.append(UInt8(ascii: "\""))
  }

  /// Appends a text without escapes in one piece, as nearly every text is. Returns false, and appends nothing, for any other.
  private static func writePlain(_ text: String, into bytes: inout [UInt8]) -> Bool {
    let isPlain = text.utf8.withContiguousStorageIfAvailable { text in
      for byte in text where byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") { return false }
      bytes.append(contentsOf: text)
      return true
    }
    return isPlain ?? false
  }

  private static func writeEscaped(_ text: String, into bytes: inout [UInt8]) {
    for byte in text.utf8 {
      switch byte {
      case UInt8(ascii: "\""), UInt8(ascii: "\\"):
        bytes.append(UInt8(ascii: "\\"))
        bytes.append(byte)
      case 0x0A: bytes.append(contentsOf: "\\n".utf8)
      case 0x0D: bytes.append(contentsOf: "\\r".utf8)
      case 0x09: bytes.append(contentsOf: "\\t".utf8)
      case 0..<0x20:
        bytes.append(contentsOf: "\\u00".utf8)
        bytes.append(Hexadecimal.digit(byte >> 4))
        bytes.append(Hexadecimal.digit(byte & 15))
      default: bytes.append(byte)
      }
    }
  }
}

extension JSON: ExpressibleByDictionaryLiteral, ExpressibleByArrayLiteral, ExpressibleByStringLiteral,
  ExpressibleByIntegerLiteral
{
  package init(dictionaryLiteral elements: (String, JSON)...) {
    self = .object(elements.map { Member($0.0, $0.1) })
  }

  package init(arrayLiteral elements: JSON...) {
    self = .array(elements)
  }

  package init(stringLiteral text: String) {
    self = .string(text)
  }

  package init(integerLiteral number: Int64) {
    self = .number(number)
  }
}
