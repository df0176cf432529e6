/// The 16 bytes in base64url that a server mints for one click or one triggering event.
package enum Nonce {
  /// Whether the text decodes to exactly 16 bytes: 22 characters, or 24 with padding; `+` and `/` are refused
  /// (reference, sections 1 and 8.1).
  package static func isValid(_ text: String) -> Bool {
    var characters = Array(text.utf8)
    if characters.count == 24, characters.suffix(2) == [UInt8(ascii: "="), UInt8(ascii: "=")] { characters.removeLast(2) }
    return characters.count == 22 && characters.allSatisfy(isBase64URL)
  }

  private static func isBase64URL(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"),
      UInt8(ascii: "-"), UInt8(ascii: "_"):
      true
    default: false
    }
  }
}
