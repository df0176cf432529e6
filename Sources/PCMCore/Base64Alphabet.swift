/// The 64 characters of an encoding in groups of six bits (RFC 4648, sections 4 and 5), without padding.
struct Base64Alphabet: Sendable {
  private let characters: [UInt8]
  /// The value of each byte; `none` for a byte that is not in the alphabet.
  private let values: [UInt8]

  private static let none: UInt8 = 0xFF

  /// - Parameter last: The characters with the values 62 and 63.
  init(last: String) {
    let characters = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789\(last)".utf8)
    var values = [UInt8](repeating: Self.none, count: 256)
    for (value, character) in characters.enumerated() { values[Int(character)] = UInt8(value) }
    (self.characters, self.values) = (characters, values)
  }

  func encode(_ bytes: [UInt8]) -> [UInt8] {
    var text: [UInt8] = []
    text.reserveCapacity((bytes.count * 4 + 2) / 3)
    for start in stride(from: 0, to: bytes.count, by: 3) {
      let group = bytes[start..<min(start + 3, bytes.count)]
      let value = group.reduce(UInt32(0)) { $0 << 8 | UInt32($1) } << UInt32(8 * (3 - group.count))
      for index in 0...group.count { text.append(characters[Int(value >> UInt32(18 - 6 * index) & 63)]) }
    }
    return text
  }

  /// Returns nil for characters of no alphabet, and for a number of characters that no bytes have.
  ///
  /// - Parameter isCanonical: Whether the bits after the last byte must be zero, so that the bytes have one text only.
  func decode(_ text: some Collection<UInt8>, isCanonical: Bool) -> [UInt8]? {
    guard text.count % 4 != 1 else { return nil }
    var (bytes, bits, count) = ([UInt8](), UInt32(0), UInt32(0))
    bytes.reserveCapacity(text.count * 3 / 4)
    for character in text {
      let value = values[Int(character)]
      guard value != Self.none else { return nil }
      bits = bits << 6 | UInt32(value)
      count += 6
      if count >= 8 {
        count -= 8
        bytes.append(UInt8(truncatingIfNeeded: bits >> count))
      }
    }
    return isCanonical && bits & (1 << count - 1) != 0 ? nil : bytes
  }
}
