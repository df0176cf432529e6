package import PCMCore

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

extension JSON {
  /// Reads JSON with the members of objects in the order of the text, which a decoder does not tell. Nil for what is no
  /// JSON in UTF-8, for numbers that are no 64-bit integers and for nesting of more than 64 levels.
  package init?(parsing bytes: [UInt8]) {
    var reader = JSONTextReader(bytes: bytes)
    guard let value = reader.value(depth: 0), reader.isAtEnd else { return nil }
    self = value
  }

  /// A member of an object; nil when there is none.
  package subscript(name: String) -> JSON? { members.first { $0.name == name }?.value }

  package var items: [JSON] {
    guard case .array(let items) = self else { return [] }
    return items
  }

  /// The text of a string.
  package var string: String? {
    guard case .string(let text) = self else { return nil }
    return text
  }
}

/// Reads the grammar of RFC 8259 from left to right.
private struct JSONTextReader {
  let bytes: [UInt8]
  private var position = 0

  init(bytes: [UInt8]) {
    self.bytes = bytes
  }

  /// Whether nothing but white space follows.
  var isAtEnd: Bool { bytes[position...].allSatisfy(Self.isSpace) }

  mutating func value(depth: Int) -> JSON? {
    guard depth <= 64, let first = next() else { return nil }
    switch first {
    case UInt8(ascii: "{"): return object(depth: depth + 1)
    case UInt8(ascii: "["): return array(depth: depth + 1)
    case UInt8(ascii: "\""): return text().map { .string($0) }
    case UInt8(ascii: "t"): return skip("true") ? .bool(true) : nil
    case UInt8(ascii: "f"): return skip("false") ? .bool(false) : nil
    case UInt8(ascii: "n"): return skip("null") ? .null : nil
    default: return number()
    }
  }

  private mutating func object(depth: Int) -> JSON? {
    var members: [JSON.Member] = []
    guard skip("{") else { return nil }
    if next() == UInt8(ascii: "}") { return skip("}") ? .object([]) : nil }
    repeat {
      guard next() == UInt8(ascii: "\""), let name = text(), next() == UInt8(ascii: ":"), skip(":"),
        let value = value(depth: depth)
      else { return nil }
      members.append(JSON.Member(name, value))
    } while next() == UInt8(ascii: ",") && skip(",")
    return skip("}") ? .object(members) : nil
  }

  private mutating func array(depth: Int) -> JSON? {
    var items: [JSON] = []
    guard skip("[") else { return nil }
    if next() == UInt8(ascii: "]") { return skip("]") ? .array([]) : nil }
    repeat {
      guard let item = value(depth: depth) else { return nil }
      items.append(item)
    } while next() == UInt8(ascii: ",") && skip(",")
    return skip("]") ? .array(items) : nil
  }

  private mutating func number() -> JSON? {
    let digits = bytes[position...].prefix { $0 == UInt8(ascii: "-") || (0x30...0x39).contains($0) }
    position += digits.count
    return Int64(String(decoding: digits, as: UTF8.self)).map { .number($0) }
  }

  /// A string from its first quotation mark to its last; its escapes are the decoder's business.
  private mutating func text() -> String? {
    let start = position
    position += 1
    while position < bytes.count, bytes[position] != UInt8(ascii: "\"") {
      position += bytes[position] == UInt8(ascii: "\\") ? 2 : 1
    }
    guard position < bytes.count else { return nil }
    position += 1
    let inner = bytes[(start + 1)..<(position - 1)]
    // What has no escapes needs no decoder, only to be UTF-8 without control characters.
    guard inner.contains(UInt8(ascii: "\\")) else {
      return inner.contains { $0 < 0x20 } ? nil : String(validating: inner, as: UTF8.self)
    }
    return try? JSONDecoder().decode(String.self, from: Data(bytes[start..<position]))
  }

  /// The first byte behind white space.
  private mutating func next() -> UInt8? {
    while position < bytes.count, Self.isSpace(bytes[position]) { position += 1 }
    return position < bytes.count ? bytes[position] : nil
  }

  private mutating func skip(_ word: String) -> Bool {
    guard bytes[position...].starts(with: word.utf8) else { return false }
    position += word.utf8.count
    return true
  }

  private static func isSpace(_ byte: UInt8) -> Bool { [0x20, 0x0A, 0x0D, 0x09].contains(byte) }
}
