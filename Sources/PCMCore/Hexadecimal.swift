/// Bytes as pairs of hexadecimal digits.
package enum Hexadecimal {
  /// Returns the bytes of a text with nothing but digits, in either case; nil for other text and for fewer bytes.
  package static func bytes(_ text: some StringProtocol, atLeast count: Int = 1) -> [UInt8]? {
    let digits = text.compactMap(\.hexDigitValue)
    guard digits.count == text.unicodeScalars.count, digits.count >= 2 * count, digits.count % 2 == 0 else { return nil }
    return stride(from: 0, to: digits.count, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) }
  }

  /// Returns the text in lower case.
  package static func text(_ bytes: some Sequence<UInt8>) -> String {
    bytes.map { String(0x100 | UInt($0), radix: 16).dropFirst() }.joined()
  }
}
