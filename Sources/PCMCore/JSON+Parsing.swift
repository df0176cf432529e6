extension JSON {
  /// The maximum nesting depth.
  private static let depthLimit = 64

  /// Parses JSON and preserves the order of the members of objects. Returns nil for bytes that are not JSON in UTF-8, for
  /// numbers other than 64-bit integers, and for more than 64 levels of nesting.
  package init?(parsing bytes: [UInt8]) {
    var scanner = JSONScanner(bytes)
    guard let value = try? Self.value(&scanner, depth: 0), (try? scanner.finish()) != nil else { return nil }
    self = value
  }

  /// Whether the text is JSON in UTF-8 (RFC 8259).
  package static func isValid(_ bytes: [UInt8]) -> Bool {
    var scanner = JSONScanner(bytes)
    do {
      try scanner.skipValue()
      try scanner.finish()
      return true
    } catch {
      return false
    }
  }

  private static func value(_ scanner: inout JSONScanner, depth: Int) throws(MalformedJSON) -> JSON {
    guard depth <= depthLimit else { throw MalformedJSON() }
    var isFirst = true
    switch scanner.peek() {
    case UInt8(ascii: "\""): return .string(try text(scanner.text()))
    case UInt8(ascii: "{"):
      var members: [Member] = []
      _ = scanner.skip("{")
      while try scanner.advance(until: "}", isFirst: &isFirst) {
        let name = try text(scanner.name())
        members.append(Member(name, try value(&scanner, depth: depth + 1)))
      }
      return .object(members)
    case UInt8(ascii: "["):
      var items: [JSON] = []
      _ = scanner.skip("[")
      while try scanner.advance(until: "]", isFirst: &isFirst) { items.append(try value(&scanner, depth: depth + 1)) }
      return .array(items)
    case UInt8(ascii: "t"):
      try scanner.word("true")
      return .bool(true)
    case UInt8(ascii: "f"):
      try scanner.word("false")
      return .bool(false)
    case UInt8(ascii: "n"):
      try scanner.word("null")
      return .null
    default:
      let number = try scanner.number()
      guard number.isInteger, let value = Int64(number.text) else { throw MalformedJSON() }
      return .number(value)
    }
  }

  private static func text(_ text: JSONText) throws(MalformedJSON) -> String {
    guard let decoded = try text.decoded() else { throw MalformedJSON() }
    return decoded
  }
}

extension JSON {
  /// The value of the member with this name, or nil.
  package subscript(name: String) -> JSON? { members.first { $0.name == name }?.value }

  package var items: [JSON] {
    guard case .array(let items) = self else { return [] }
    return items
  }

  /// The text of a string.
  package var string: String? {
    guard case .string(let text) = self else { return nil }
    return text
  }
}
