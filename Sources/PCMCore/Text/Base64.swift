/// Base64 with padding (RFC 4648, section 4).
package enum Base64 {
  private static let alphabet = Base64Alphabet(last: "+/")

  package static func encode(_ bytes: [UInt8]) -> String {
    let text = alphabet.encode(bytes)
    return String(decoding: text + [UInt8](repeating: UInt8(ascii: "="), count: (4 - text.count % 4) % 4), as: UTF8.self)
  }

  /// Decodes the only text that ``encode(_:)`` returns for some bytes; nil for any other text, such as one with line breaks.
  package static func decode(_ text: some StringProtocol) -> [UInt8]? {
    let characters = Array(text.utf8)
    let padding = characters.reversed().prefix { $0 == UInt8(ascii: "=") }.count
    guard characters.count % 4 == 0, padding <= 2 else { return nil }
    return alphabet.decode(characters.dropLast(padding), isCanonical: true)
  }
}

/// Base64url (RFC 4648, section 5), written without padding.
package enum Base64URL {
  private static let alphabet = Base64Alphabet(last: "-_")

  package static func encode(_ bytes: [UInt8]) -> String { String(decoding: alphabet.encode(bytes), as: UTF8.self) }

  /// Decodes base64url with or without padding; nil for anything else, including the plus and slash of base64.
  package static func decode(_ text: String) -> [UInt8]? {
    let padding = text.utf8.reversed().prefix { $0 == UInt8(ascii: "=") }.count
    guard padding == 0 || (padding <= 2 && text.utf8.count % 4 == 0) else { return nil }
    return alphabet.decode(text.utf8.dropLast(padding), isCanonical: false)
  }

  /// Decodes the only text that ``encode(_:)`` returns for some bytes, as a JSON Web Signature requires (RFC 7515, section
  /// 2); nil for padding and for any other text.
  package static func decodeUnpadded(_ text: some StringProtocol) -> [UInt8]? {
    alphabet.decode(Array(text.utf8), isCanonical: true)
  }
}

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
