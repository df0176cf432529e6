/// An upper bound of a file's nesting depth, which is checked before the YAML parser reads the file. It limits the parser's
/// recursion, whose own limit of 1,000 levels exceeds a small stack.
///
/// The bound must never be less than the depth in the parser. Where the meaning of a quote depends on distant characters
/// (in a plain scalar with several lines, or in a block scalar), the check follows both alternatives and uses the deeper
/// one. A file may therefore be rejected although it is not too deep, but never the reverse.
struct NestingBound {
  /// The maximum number of open brackets and braces. The format requires seven levels.
  static let flowLimit = 32
  /// The maximum number of spaces and block indicators at the start of a line. Each level of a block begins at a separate
  /// column.
  static let indentationLimit = 96

  /// The maximum number of open brackets if the current character is outside of quotes; nil when that is impossible. The
  /// other properties are analogous.
  private var outside: Int? = 0
  private var comment: Int?
  private var double: Int?
  private var single: Int?
  /// In single quotes, where the next character is the second of a doubled quote.
  private var singleDoubled: Int?

  /// Whether the previous character is an effective backslash.
  private var isEscaped = false
  private var previous = UInt8(ascii: "\n")
  /// Whether only a colon and blanks precede the current character, so that a value begins here.
  private var isBehindColon = false

  /// Returns the offset at which the text is too deep; nil when it is not.
  static func breach(in bytes: [UInt8]) -> Int? {
    var bound = NestingBound()
    var lineStart = 0
    for (offset, byte) in bytes.enumerated() {
      if offset == lineStart, let deep = deepIndentation(bytes[offset...]) { return deep }
      bound.step(byte, next: offset + 1 < bytes.count ? bytes[offset + 1] : UInt8(ascii: "\n"))
      if (bound.outside ?? 0) > flowLimit { return offset }
      if byte == UInt8(ascii: "\n") { lineStart = offset + 1 }
    }
    return nil
  }

  /// Whether brackets or braces may be open at the end of the bytes.
  static func isInBrackets(_ bytes: ArraySlice<UInt8>) -> Bool {
    var bound = NestingBound()
    for offset in bytes.indices {
      bound.step(bytes[offset], next: offset + 1 < bytes.endIndex ? bytes[offset + 1] : UInt8(ascii: "\n"))
    }
    return [bound.outside, bound.double, bound.single].contains { ($0 ?? 0) > 0 }
  }

  private static func deepIndentation(_ line: ArraySlice<UInt8>) -> Int? {
    var offset = line.startIndex
    while offset < line.endIndex {
      let isSign = "-?:".utf8.contains(line[offset]) && (offset + 1 == line.endIndex || isSpace(line[offset + 1]))
      guard isSign || isBlank(line[offset]) else { return nil }
      offset += 1
      if offset - line.startIndex > indentationLimit { return offset }
    }
    return nil
  }

  private mutating func step(_ byte: UInt8, next: UInt8) {
    let mayBegin = Self.isSpace(previous) || "[]{},:?".utf8.contains(previous)
    switch byte {
    case UInt8(ascii: "\n"):
      // A line break ends a comment, and the next line can begin a block outside of quotes.
      outside = max(outside ?? 0, comment ?? 0)
      comment = nil
    case UInt8(ascii: "["), UInt8(ascii: "{"): outside = outside.map { $0 + 1 }
    case UInt8(ascii: "]"), UInt8(ascii: "}"): outside = outside.map { max(0, $0 - 1) }
    case UInt8(ascii: "#") where mayBegin:
      comment = Self.deeper(comment, outside)
      if Self.isSpace(previous) { outside = nil }
    case UInt8(ascii: "\"") where !isEscaped:
      let left = double
      double = mayBegin ? outside : nil
      outside = Self.deeper(left, isBehindColon ? nil : outside)
    case UInt8(ascii: "'"):
      let isDoubled = next == UInt8(ascii: "'")
      let left = isDoubled ? nil : single
      (single, singleDoubled) = (
        Self.deeper(singleDoubled, mayBegin ? outside : nil), isDoubled ? single : nil
      )
      outside = Self.deeper(left, isBehindColon ? nil : outside)
    default: break
    }
    isEscaped = byte == UInt8(ascii: "\\") && !isEscaped
    isBehindColon = Self.isBlank(byte) && (previous == UInt8(ascii: ":") || isBehindColon)
    previous = byte
  }

  private static func deeper(_ one: Int?, _ other: Int?) -> Int? {
    guard let one, let other else { return one ?? other }
    return max(one, other)
  }

  private static func isBlank(_ byte: UInt8) -> Bool { byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") }
  private static func isSpace(_ byte: UInt8) -> Bool {
    isBlank(byte) || byte == UInt8(ascii: "\n") || byte == UInt8(ascii: "\r")
  }
}
