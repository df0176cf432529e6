/// The `application/x-www-form-urlencoded` reading of a query: empty pieces are passed over, a piece without `=` has an
/// empty value, `+` is a space, percent-encoded bytes are decoded as UTF-8.
enum FormQuery {
  struct Parameter: Hashable {
    let name: String
    let value: String
  }

  static func parameters(of query: String) -> [Parameter] {
    query.utf8.split(separator: UInt8(ascii: "&")).map { piece in
      let parts = piece.split(separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
      return Parameter(name: decoded(parts[0]), value: parts.count > 1 ? decoded(parts[1]) : "")
    }
  }

  private static func decoded(_ text: Substring.UTF8View) -> String {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(text.count)
    var rest = text[...]
    while let byte = rest.popFirst() {
      switch byte {
      case UInt8(ascii: "+"): bytes.append(UInt8(ascii: " "))
      case UInt8(ascii: "%"):
        guard let value = hexadecimalByte(rest.prefix(2)) else {
          bytes.append(byte)
          continue
        }
        bytes.append(value)
        rest = rest.dropFirst(2)
      default: bytes.append(byte)
      }
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  private static func hexadecimalByte(_ digits: Substring.UTF8View) -> UInt8? {
    guard digits.count == 2 else { return nil }
    var value: UInt8 = 0
    for digit in digits {
      switch digit {
      case UInt8(ascii: "0")...UInt8(ascii: "9"): value = value << 4 | (digit - UInt8(ascii: "0"))
      case UInt8(ascii: "a")...UInt8(ascii: "f"): value = value << 4 | (digit - UInt8(ascii: "a") + 10)
      case UInt8(ascii: "A")...UInt8(ascii: "F"): value = value << 4 | (digit - UInt8(ascii: "A") + 10)
      default: return nil
      }
    }
    return value
  }
}
