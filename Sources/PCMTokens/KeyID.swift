internal import Crypto

/// The name of a token public key: by it a browser notices that a site changed its key between a signature and the
/// report (reference, sections 8.1 and 8.4).
package struct KeyID: Hashable, Sendable {
  /// SHA-256 of the key's SubjectPublicKeyInfo, in base64url without padding: 43 characters.
  package let text: String

  /// - Parameter spki: the DER bytes exactly as the site serves them, decoded from base64url.
  package init(spki: [UInt8]) {
    text = Base64URL.encode(Array(SHA256.hash(data: spki)))
  }
}

/// Base64url (RFC 4648, section 5), written without padding.
package enum Base64URL {
  private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)

  package static func encode(_ bytes: [UInt8]) -> String {
    var text: [UInt8] = []
    text.reserveCapacity((bytes.count * 4 + 2) / 3)
    for start in stride(from: 0, to: bytes.count, by: 3) {
      let group = bytes[start..<min(start + 3, bytes.count)]
      let value = group.reduce(UInt32(0)) { $0 << 8 | UInt32($1) } << UInt32(8 * (3 - group.count))
      for index in 0...group.count { text.append(alphabet[Int(value >> UInt32(18 - 6 * index) & 63)]) }
    }
    return String(decoding: text, as: UTF8.self)
  }

  /// With or without padding; nil for anything else, the plus and the slash of plain base64 included (section 8.1).
  package static func decode(_ text: String) -> [UInt8]? {
    var characters = Array(text.utf8)
    let padding = characters.reversed().prefix { $0 == UInt8(ascii: "=") }.count
    guard padding == 0 || (padding <= 2 && characters.count % 4 == 0) else { return nil }
    characters.removeLast(padding)
    guard characters.count % 4 != 1 else { return nil }
    var (bytes, bits, count) = ([UInt8](), UInt32(0), 0)
    for character in characters {
      guard let value = alphabet.firstIndex(of: character) else { return nil }
      bits = bits << 6 | UInt32(value)
      count += 6
      if count >= 8 {
        count -= 8
        bytes.append(UInt8(truncatingIfNeeded: bits >> UInt32(count)))
      }
    }
    return bytes
  }
}
