import PCMCore

/// Converts surrogate pairs: JSON encodes characters above U+FFFF as two escapes, YAML as one.
enum SurrogateEscapes {
  /// Returns JSON with surrogate pairs as YAML escapes, and YAML unchanged, because the characters can have a different
  /// meaning there.
  static func joined(in source: SourceText) -> String {
    guard source.text.contains("\\ud") || source.text.contains("\\uD"), JSON(parsing: source.bytes) != nil else {
      return source.text
    }
    var (joined, rest) = ([UInt8](), source.bytes[...])
    while let byte = rest.first {
      if let scalar = pair(rest.prefix(12)) {
        joined += "\\U\(String(repeating: "0", count: 8 - hexadecimal(scalar).count))\(hexadecimal(scalar))".utf8
        rest = rest.dropFirst(12)
      } else {
        // An escaped backslash does not begin an escape.
        let count = byte == UInt8(ascii: "\\") ? 2 : 1
        joined += rest.prefix(count)
        rest = rest.dropFirst(count)
      }
    }
    return String(decoding: joined, as: UTF8.self)
  }

  private static func pair(_ bytes: ArraySlice<UInt8>) -> Unicode.Scalar? {
    guard let high = unit(bytes.prefix(6)), let low = unit(bytes.dropFirst(6)), (0xD800..<0xDC00).contains(high),
      (0xDC00..<0xE000).contains(low)
    else { return nil }
    return Unicode.Scalar(0x1_0000 + (high - 0xD800) << 10 + (low - 0xDC00))
  }

  /// The code unit of `\uXXXX`.
  private static func unit(_ bytes: ArraySlice<UInt8>) -> UInt32? {
    guard bytes.count == 6, bytes.starts(with: "\\u".utf8) else { return nil }
    return UInt32(String(decoding: bytes.dropFirst(2), as: UTF8.self), radix: 16)
  }
}
