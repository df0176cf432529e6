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
