/// Percent-encoding for a part of a URL (RFC 3986, section 2.1).
package struct PercentEncoding: Sendable {
  /// The ASCII characters that are not encoded, as a bit set.
  private var kept: (low: UInt64, high: UInt64) = (0, 0)

  /// Encodes everything except unreserved characters (RFC 3986, section 2.3), for use in a path or a query.
  package static let component = PercentEncoding(
    keeping: "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~".utf8)

  /// - Parameter characters: The ASCII characters to encode. DEL and non-ASCII characters are always encoded.
  package init(encoding characters: String) {
    self.init(keeping: (UInt8(0)..<0x7F).filter { !characters.utf8.contains($0) })
  }

  private init(keeping bytes: some Sequence<UInt8>) {
    for byte in bytes {
      if byte < 64 { kept.low |= 1 << byte } else { kept.high |= 1 << (byte - 64) }
    }
  }

  package func encode(_ bytes: ArraySlice<UInt8>) -> [UInt8] {
    var result: [UInt8] = []
    result.reserveCapacity(bytes.count)
    for byte in bytes {
      if keeps(byte) {
        result.append(byte)
      } else {
        result += [UInt8(ascii: "%"), Self.digit(byte >> 4), Self.digit(byte & 15)]
      }
    }
    return result
  }

  package func encode(_ text: String) -> String { String(decoding: encode(Array(text.utf8)[...]), as: UTF8.self) }

  private func keeps(_ byte: UInt8) -> Bool {
    switch byte {
    case 0..<64: kept.low >> byte & 1 == 1
    case 64..<128: kept.high >> (byte - 64) & 1 == 1
    default: false
    }
  }

  private static func digit(_ value: UInt8) -> UInt8 {
    value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "A") + value - 10
  }
}

extension PercentEncoding {
  /// Decodes to UTF-8. A percent sign without two hexadecimal digits is kept, and invalid UTF-8 becomes replacement
  /// characters.
  package static func decoded(_ text: Substring.UTF8View, plusIsSpace: Bool) -> String {
    reading(text, plusIsSpace: plusIsSpace).text
  }

  /// Decodes to UTF-8. Returns nil for a percent sign without two hexadecimal digits, and for invalid UTF-8.
  package static func strictlyDecoded(_ text: String) -> String? {
    guard text.utf8.contains(UInt8(ascii: "%")) else { return text }
    let (decoded, isWellFormed) = reading(text[...].utf8, plusIsSpace: false)
    return isWellFormed ? decoded : nil
  }

  /// - Returns: The decoded text, and whether each percent sign has two hexadecimal digits and the bytes are UTF-8.
  fileprivate static func reading(_ text: Substring.UTF8View, plusIsSpace: Bool) -> (text: String, isWellFormed: Bool) {
    let isPlain = text.allSatisfy { $0 != UInt8(ascii: "%") && $0 != UInt8(ascii: "+") }
    guard !isPlain else { return (String(Substring(text)), true) }
    let (bytes, isComplete) = bytes(text, plusIsSpace: plusIsSpace)
    let decoded = String(decoding: bytes, as: UTF8.self)
    return (decoded, isComplete && decoded.utf8.elementsEqual(bytes))
  }

  /// - Returns: The decoded bytes, and whether each percent sign has two hexadecimal digits.
  private static func bytes(_ text: Substring.UTF8View, plusIsSpace: Bool) -> (bytes: [UInt8], isComplete: Bool) {
    var (bytes, isComplete): ([UInt8], Bool) = ([], true)
    bytes.reserveCapacity(text.count)
    var rest = text[...]
    while let byte = rest.popFirst() {
      if byte == UInt8(ascii: "+"), plusIsSpace {
        bytes.append(UInt8(ascii: " "))
      } else if byte == UInt8(ascii: "%"), let value = hexadecimalByte(rest.prefix(2)) {
        bytes.append(value)
        rest = rest.dropFirst(2)
      } else {
        isComplete = isComplete && byte != UInt8(ascii: "%")
        bytes.append(byte)
      }
    }
    return (bytes, isComplete)
  }

  private static func hexadecimalByte(_ digits: Substring.UTF8View) -> UInt8? {
    guard digits.count == 2, digits.allSatisfy({ isHexadecimal($0) }) else { return nil }
    return UInt8(Substring(digits), radix: 16)
  }

  private static func isHexadecimal(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "f"), UInt8(ascii: "A")...UInt8(ascii: "F"):
      true
    default: false
    }
  }
}

/// A parser of `application/x-www-form-urlencoded` queries: it skips empty pieces, gives a piece without `=` an empty
/// value, reads `+` as a space, and decodes percent-encoded bytes as UTF-8.
package enum FormQuery {
  package struct Parameter: Hashable, Sendable {
    package let name: String
    package let value: String
    /// Whether name and value are UTF-8 in percent-encoding.
    package let isWellFormed: Bool
  }

  package static func parameters(of query: String) -> [Parameter] {
    query.utf8.split(separator: UInt8(ascii: "&")).map { piece in
      let parts = piece.split(separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
      let name = PercentEncoding.reading(parts[0], plusIsSpace: true)
      let value = parts.count > 1 ? PercentEncoding.reading(parts[1], plusIsSpace: true) : (text: "", isWellFormed: true)
      return Parameter(name: name.text, value: value.text, isWellFormed: name.isWellFormed && value.isWellFormed)
    }
  }
}
