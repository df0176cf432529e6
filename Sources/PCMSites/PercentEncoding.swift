/// The characters that a browser percent-encodes in one part of a URL (URL Standard, section 1.3).
///
/// Everything outside ASCII is encoded in every part; controls do not come this far. A percent sign never is: what was
/// written encoded stays as it was written.
struct PercentEncoding {
  private let encoded: [UInt8]

  static let opaquePath = PercentEncoding("")
  static let fragment = PercentEncoding(" \"<>`")
  static let query = PercentEncoding(" \"#<>")
  /// For http, https, ws, wss and ftp.
  static let specialQuery = PercentEncoding(" \"#<>'")
  static let path = PercentEncoding(" \"#<>?^`{}")
  /// The colon is missing from the standard's set: here user and password are one text, and the first colon parts them.
  static let userInformation = PercentEncoding(" \"#<>?`{}/;=@[\\]^|")

  private init(_ characters: String) {
    encoded = Array(characters.utf8)
  }

  func encode(_ bytes: some Sequence<UInt8>) -> [UInt8] {
    var result: [UInt8] = []
    for byte in bytes {
      if byte < 0x7F, !encoded.contains(byte) {
        result.append(byte)
      } else {
        result += [UInt8(ascii: "%"), Self.digit(byte >> 4), Self.digit(byte & 15)]
      }
    }
    return result
  }

  private static func digit(_ value: UInt8) -> UInt8 {
    value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "A") + value - 10
  }
}
