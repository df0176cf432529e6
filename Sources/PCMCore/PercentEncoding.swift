/// Percent-encoded text as it stands in URLs.
package enum PercentEncoding {
  /// Decodes to UTF-8; a percent sign that no two hexadecimal digits follow stands for itself, and bytes that are no
  /// UTF-8 become replacement characters.
  package static func decoded(_ text: Substring.UTF8View, plusIsSpace: Bool) -> String {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(text.count)
    var rest = text[...]
    while let byte = rest.popFirst() {
      if byte == UInt8(ascii: "+"), plusIsSpace {
        bytes.append(UInt8(ascii: " "))
      } else if byte == UInt8(ascii: "%"), let value = hexadecimalByte(rest.prefix(2)) {
        bytes.append(value)
        rest = rest.dropFirst(2)
      } else {
        bytes.append(byte)
      }
    }
    return String(decoding: bytes, as: UTF8.self)
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
