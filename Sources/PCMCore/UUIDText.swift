/// UUIDs as text with hyphens.
package enum UUIDText {
  /// Returns whether the text is a UUID, in either case.
  package static func isValid(_ text: String) -> Bool {
    let parts = text.utf8.split(separator: UInt8(ascii: "-"), omittingEmptySubsequences: false)
    return parts.map(\.count) == groups.map { $0 * 2 } && parts.joined().allSatisfy { Character(Unicode.Scalar($0)).isHexDigit }
  }

  /// Returns 16 bytes as text in lower case; nil for another number of bytes.
  package static func text(_ bytes: [UInt8]) -> String? {
    guard bytes.count == groups.reduce(0, +) else { return nil }
    var rest = bytes[...]
    return groups.map { count in
      defer { rest = rest.dropFirst(count) }
      return rest.prefix(count).map { String(0x100 | UInt(($0)), radix: 16).dropFirst() }.joined()
    }.joined(separator: "-")
  }

  /// The number of bytes between two hyphens.
  private static let groups = [4, 2, 2, 2, 6]
}
