/// Bytes as pairs of hexadecimal digits.
package enum Hexadecimal {
  /// Returns the bytes of a text with nothing but digits, in either case; nil for other text and for fewer bytes.
  package static func bytes(_ text: some StringProtocol, atLeast count: Int = 1) -> [UInt8]? {
    let digits = text.compactMap(\.hexDigitValue)
    guard digits.count == text.unicodeScalars.count, digits.count >= 2 * count, digits.count % 2 == 0 else { return nil }
    return stride(from: 0, to: digits.count, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) }
  }

  /// Returns the text in lower case.
  package static func text(_ bytes: some Sequence<UInt8>) -> String { text(Array(bytes)) }

  /// Returns the text in lower case.
  package static func text(_ bytes: [UInt8]) -> String {
    var digits: [UInt8] = []
    digits.reserveCapacity(2 * bytes.count)
    for byte in bytes {
      digits.append(digit(byte >> 4))
      digits.append(digit(byte & 15))
    }
    return String(decoding: digits, as: UTF8.self)
  }

  /// Returns the digit of a number below 16, in lower case.
  package static func digit(_ value: UInt8) -> UInt8 { value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "a") + value - 10 }
}

/// UUIDs as text with hyphens.
package enum UUIDText {
  /// Returns whether the text is a UUID, in either case.
  package static func isValid(_ text: String) -> Bool {
    let parts = text.utf8.split(separator: UInt8(ascii: "-"), omittingEmptySubsequences: false)
    return parts.map(\.count) == groups.map { $0 * 2 } && parts.joined().allSatisfy { Character(Unicode.Scalar($0)).isHexDigit }
  }

  /// Returns 16 bytes as text in lower case; nil for another number of bytes.
  package static func text(_ bytes: [UInt8]) -> String? {
    guard bytes.count == groups.reduce(0, +) else { return nil }
    var rest = bytes[...]
    return groups.map { count in
      defer { rest = rest.dropFirst(count) }
      return Hexadecimal.text(rest.prefix(count))
    }.joined(separator: "-")
  }

  /// The number of bytes between two hyphens.
  private static let groups = [4, 2, 2, 2, 6]
}
