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
