/// The character references of HTML that appear in texts, JSON, and Base64.
package enum HTMLEscapes {
  private static let names: [(String, String)] = [
    ("&quot;", "\""), ("&apos;", "'"), ("&lt;", "<"), ("&gt;", ">"), ("&plus;", "+"), ("&sol;", "/"), ("&equals;", "="),
    ("&nbsp;", " "), ("&mdash;", "—"), ("&ndash;", "–"), ("&rsquo;", "’"), ("&hellip;", "…"), ("&amp;", "&"),
  ]

  /// Returns the text without references; nil if it has none.
  package static func removed(from text: String) -> String? {
    guard text.utf8.contains(UInt8(ascii: "&")) else { return nil }
    var result = ""
    var rest = text[...]
    while let start = rest.firstIndex(of: "&") {
      result += rest[..<start]
      let reference = rest[start...].prefix(10)
      guard let end = reference.firstIndex(of: ";"), let character = character(String(reference[...end])) else {
        result += "&"
        rest = rest[rest.index(after: start)...]
        continue
      }
      result += character
      rest = rest[rest.index(after: end)...]
    }
    result += rest
    return result == text ? nil : result
  }

  private static func character(_ reference: String) -> String? {
    if let named = names.first(where: { $0.0 == reference.lowercased() }) { return named.1 }
    let digits = reference.dropFirst(2).dropLast()
    guard reference.hasPrefix("&#") else { return nil }
    let isHexadecimal = digits.first == "x" || digits.first == "X"
    let value = isHexadecimal ? UInt32(digits.dropFirst(), radix: 16) : UInt32(digits)
    return value.flatMap(Unicode.Scalar.init).map { String($0) }
  }
}
