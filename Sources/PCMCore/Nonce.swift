/// 16 bytes in base64url that a server generates for one click or one triggering event.
package enum Nonce {
  /// Returns whether the text decodes to exactly 16 bytes: 22 characters without `+` and `/`, followed by any number of `=`,
  /// which WebKit's decoder ignores (Base64.cpp).
  package static func isValid(_ text: String) -> Bool {
    let padding = text.utf8.reversed().prefix { $0 == UInt8(ascii: "=") }.count
    let characters = text.utf8.dropLast(padding)
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
