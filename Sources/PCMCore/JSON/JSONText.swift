/// A JSON string whose escapes are not decoded yet.
struct JSONText {
  let bytes: ArraySlice<UInt8>
  let hasEscapes: Bool

  /// Returns the decoded string, or nil for an unpaired surrogate (`\ud800`), which no string can contain.
  func decoded() throws(MalformedJSON) -> String? {
    if !hasEscapes {
      guard let text = String(validating: bytes, as: UTF8.self) else { throw MalformedJSON() }
      return text
    }
    var units: [UInt8] = []
    units.reserveCapacity(bytes.count)
    var isSound = true
    var rest = bytes
    while let byte = rest.popFirst() {
      if byte != UInt8(ascii: "\\") {
        units.append(byte)
      } else if let scalar = try Self.escaped(&rest) {
        units.append(contentsOf: String(scalar).utf8)
      } else {
        isSound = false
      }
    }
    guard let text = String(validating: units, as: UTF8.self) else { throw MalformedJSON() }
    return isSound ? text : nil
  }

  /// Throws unless it is a valid JSON string.
  func check() throws(MalformedJSON) { _ = try decoded() }

  /// Reads the escape after a backslash. Returns nil for an unpaired surrogate.
  private static func escaped(_ rest: inout ArraySlice<UInt8>) throws(MalformedJSON) -> Unicode.Scalar? {
    switch rest.popFirst() {
    case UInt8(ascii: "\""): return "\""
    case UInt8(ascii: "\\"): return "\\"
    case UInt8(ascii: "/"): return "/"
    case UInt8(ascii: "b"): return "\u{8}"
    case UInt8(ascii: "f"): return "\u{C}"
    case UInt8(ascii: "n"): return "\n"
    case UInt8(ascii: "r"): return "\r"
    case UInt8(ascii: "t"): return "\t"
    case UInt8(ascii: "u"):
      let unit = try codeUnit(&rest)
      guard UTF16.isLeadSurrogate(unit) else { return Unicode.Scalar(unit) }
      var following = rest
      guard following.popFirst() == UInt8(ascii: "\\"), following.popFirst() == UInt8(ascii: "u") else { return nil }
      let trail = try codeUnit(&following)
      guard UTF16.isTrailSurrogate(trail) else { return nil }
      rest = following
      return Unicode.Scalar(0x10000 + (UInt32(unit & 0x3FF) << 10 | UInt32(trail & 0x3FF)))
    default: throw MalformedJSON()
    }
  }

  private static func codeUnit(_ rest: inout ArraySlice<UInt8>) throws(MalformedJSON) -> UInt16 {
    var unit: UInt16 = 0
    for _ in 0..<4 {
      guard let digit = rest.popFirst().flatMap({ Character(Unicode.Scalar($0)).hexDigitValue }) else { throw MalformedJSON() }
      unit = unit << 4 | UInt16(digit)
    }
    return unit
  }
}
