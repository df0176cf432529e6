/// The text is not JSON (RFC 8259) in UTF-8, or exceeds the depth limit of the scanner.
package struct MalformedJSON: Error, Hashable, Sendable {
  /// Whether the text is JSON with an unpaired surrogate (`\ud800`), which no string can contain.
  package var isUnpairedSurrogate = false
}

/// A JSON scanner that reads the text in one pass without building a tree.
///
/// Every call starts at the beginning of a value or token and ends after it. Skipped values are checked as strictly as all
/// others.
struct JSONScanner {
  private let bytes: [UInt8]
  /// The offset of the next byte.
  private(set) var position = 0

  /// Prevents hostile text from exhausting the stack.
  private static let depthLimit = 512

  init(_ bytes: [UInt8]) {
    self.bytes = bytes
    if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { position = 3 }
  }

  /// Returns the next byte that is not white space, without consuming it.
  mutating func peek() -> UInt8? {
    while position < bytes.count {
      switch bytes[position] {
      case UInt8(ascii: " "), 0x0A, 0x0D, 0x09: position += 1
      case let byte: return byte
      }
    }
    return nil
  }

  /// Consumes the next character if it is the given one.
  mutating func skip(_ sign: Unicode.Scalar) -> Bool {
    guard peek() == UInt8(ascii: sign) else { return false }
    position += 1
    return true
  }

  /// Throws unless only white space is left.
  mutating func finish() throws(MalformedJSON) {
    guard peek() == nil else { throw MalformedJSON() }
  }

  /// Advances to the next member or item.
  ///
  /// - Parameters:
  ///   - close: The character that ends the object or the array.
  ///   - isFirst: Whether nothing was read since the opening character.
  /// - Returns: False after the closing character.
  mutating func advance(until close: Unicode.Scalar, isFirst: inout Bool) throws(MalformedJSON) -> Bool {
    if skip(close) { return false }
    defer { isFirst = false }
    guard isFirst || skip(",") else { throw MalformedJSON() }
    return true
  }

  /// Reads the name of a member and the colon after it.
  mutating func name() throws(MalformedJSON) -> JSONText {
    let name = try text()
    guard skip(":") else { throw MalformedJSON() }
    return name
  }

  /// Reads a string without decoding it.
  mutating func text() throws(MalformedJSON) -> JSONText {
    guard skip("\"") else { throw MalformedJSON() }
    let start = position
    var hasEscapes = false
    while position < bytes.count {
      switch bytes[position] {
      case UInt8(ascii: "\""):
        position += 1
        return JSONText(bytes: bytes[start..<position - 1], hasEscapes: hasEscapes)
      case UInt8(ascii: "\\"):
        hasEscapes = true
        position += 2
      case 0..<0x20: throw MalformedJSON()
      default: position += 1
      }
    }
    throw MalformedJSON()
  }

  /// Reads a number without converting it.
  mutating func number() throws(MalformedJSON) -> JSONNumber {
    _ = peek()
    let start = position
    _ = skipByte(UInt8(ascii: "-"))
    if !skipByte(UInt8(ascii: "0")) { try digits() }
    var isInteger = true
    if skipByte(UInt8(ascii: ".")) {
      isInteger = false
      try digits()
    }
    if skipByte(UInt8(ascii: "e")) || skipByte(UInt8(ascii: "E")) {
      isInteger = false
      if !skipByte(UInt8(ascii: "-")) { _ = skipByte(UInt8(ascii: "+")) }
      try digits()
    }
    return JSONNumber(text: String(decoding: bytes[start..<position], as: UTF8.self), isInteger: isInteger)
  }

  /// Reads `true`, `false`, or `null`.
  mutating func word(_ word: StaticString) throws(MalformedJSON) {
    _ = peek()
    let count = word.utf8CodeUnitCount
    guard position + count <= bytes.count, bytes[position..<position + count].elementsEqual(word.description.utf8) else {
      throw MalformedJSON()
    }
    position += count
  }

  /// Skips a value.
  mutating func skipValue(depth: Int = 0) throws(MalformedJSON) {
    guard depth < Self.depthLimit else { throw MalformedJSON() }
    var isFirst = true
    switch peek() {
    case UInt8(ascii: "\""): try text().check()
    case UInt8(ascii: "{"):
      _ = skip("{")
      while try advance(until: "}", isFirst: &isFirst) {
        try name().check()
        try skipValue(depth: depth + 1)
      }
    case UInt8(ascii: "["):
      _ = skip("[")
      while try advance(until: "]", isFirst: &isFirst) { try skipValue(depth: depth + 1) }
    case UInt8(ascii: "t"): try word("true")
    case UInt8(ascii: "f"): try word("false")
    case UInt8(ascii: "n"): try word("null")
    default: _ = try number()
    }
  }

  private mutating func skipByte(_ byte: UInt8) -> Bool {
    guard position < bytes.count, bytes[position] == byte else { return false }
    position += 1
    return true
  }

  private mutating func digits() throws(MalformedJSON) {
    let start = position
    while position < bytes.count, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(bytes[position]) { position += 1 }
    guard position > start else { throw MalformedJSON() }
  }
}

/// The text of a number.
struct JSONNumber {
  let text: String
  let isInteger: Bool

  /// Returns the value if it has no fraction: `4`, `4.0`, and `4e0` are equal. Returns nil for a value out of range.
  func integer<Value: FixedWidthInteger>() -> Value? {
    isInteger ? Value(text) : digitsOfInteger.flatMap { Value($0) }
  }

  /// The value in decimal digits without a point and an exponent; nil for a value with a fraction, and for one of more than
  /// 64 bits. The digits decide: a conversion to floating point would round a fraction away.
  private var digitsOfInteger: String? {
    let isNegative = text.hasPrefix("-")
    let parts = text.drop { $0 == "-" }.split(maxSplits: 1) { $0 == "e" || $0 == "E" }
    let mantissa = parts[0].split(separator: ".", maxSplits: 1)
    var digits = String(mantissa.joined().drop { $0 == "0" })
    guard !digits.isEmpty else { return "0" }
    // No body is long enough for a mantissa that balances a greater exponent.
    guard let exponent = parts.count > 1 ? Int(parts[1]) : 0, exponent.magnitude < 1_000_000_000 else { return nil }
    var scale = exponent - (mantissa.count > 1 ? mantissa[1].utf8.count : 0)
    while digits.last == "0" {
      digits.removeLast()
      scale += 1
    }
    guard (0...20).contains(scale) else { return nil }
    return (isNegative ? "-" : "") + digits + String(repeating: "0", count: scale)
  }

  /// Whether the value has no fraction, up to the precision of a floating-point number.
  var isWhole: Bool { isInteger || double.map { $0 == $0.rounded() } ?? true }

  /// The value, or nil when it is out of range: neither infinite nor rounded to zero.
  var double: Double? {
    guard let value = Double(text), value.isFinite else { return nil }
    let mantissa = text.utf8.prefix { $0 != UInt8(ascii: "e") && $0 != UInt8(ascii: "E") }
    let isZero = !mantissa.contains { (UInt8(ascii: "1")...UInt8(ascii: "9")).contains($0) }
    return value != 0 || isZero ? value : nil
  }
}
