/// How deep a text can at most be nested for a reader of YAML, told before such a reader sees it: the reader's recursion
/// is bounded by this check and not by its own limit of a thousand levels, which a small stack does not hold.
///
/// The check must never see fewer levels than the reader does. Where it depends on more than a few characters whether a
/// quote begins a quoted text (in the middle of a plain text that goes on over lines, in a block of literal text), both
/// are followed, and the deeper one counts. So a text may be refused that is not as deep as it looks, but never the other
/// way round.
struct NestingBound {
  /// Of brackets and braces. The format itself needs seven levels.
  static let flowLimit = 32
  /// Of spaces and of the signs that open a block, in front of a line: each level of a block begins at a column of its own.
  static let indentationLimit = 96

  /// How many brackets are open at most if the present character is outside of quotes; nil when it cannot be. Likewise
  /// for the others.
  private var outside: Int? = 0
  private var comment: Int?
  private var double: Int?
  private var single: Int?
  /// In single quotes, and the next character is the second of a doubled one.
  private var singleDoubled: Int?

  /// Whether the character before is a backslash that counts.
  private var isEscaped = false
  private var previous = UInt8(ascii: "\n")
  /// Whether a colon and blanks are all that stands before the present character: what follows begins a value for certain.
  private var isBehindColon = false

  /// The offset at which the text becomes too deep; nil when it does not.
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

  /// Whether brackets or braces may be open at the end of these bytes.
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
      // Between blocks nothing is open, whatever was thought of the line.
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
