extension JSON {
  /// The maximum nesting depth.
  private static let depthLimit = 64

  /// Parses JSON and preserves the order of the members of objects. Returns nil for bytes that are not JSON in UTF-8, for
  /// numbers other than 64-bit integers, and for more than 64 levels of nesting.
  package init?(parsing bytes: [UInt8]) {
    var scanner = JSONScanner(bytes)
    guard let value = try? Self.value(&scanner), (try? scanner.finish()) != nil else { return nil }
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

  /// Reads the next value.
  ///
  /// - Parameter keepsNumbers: Whether numbers other than 64-bit integers are kept as they are written.
  static func value(
    _ scanner: inout JSONScanner, depth: Int = 0, keepsNumbers: Bool = false
  ) throws(MalformedJSON) -> JSON {
    guard depth <= depthLimit else { throw MalformedJSON() }
    var isFirst = true
    switch scanner.peek() {
    case UInt8(ascii: "\""): return .string(try text(scanner.text()))
    case UInt8(ascii: "{"):
      var members: [Member] = []
      _ = scanner.skip("{")
      while try scanner.advance(until: "}", isFirst: &isFirst) {
        let name = try text(scanner.name())
        members.append(Member(name, try value(&scanner, depth: depth + 1, keepsNumbers: keepsNumbers)))
      }
      return .object(members)
    case UInt8(ascii: "["):
      var items: [JSON] = []
      _ = scanner.skip("[")
      while try scanner.advance(until: "]", isFirst: &isFirst) {
        items.append(try value(&scanner, depth: depth + 1, keepsNumbers: keepsNumbers))
      }
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
      if number.isInteger, let value = Int64(number.text) { return .number(value) }
      guard keepsNumbers else { throw MalformedJSON() }
      return .verbatim(String(number.text))
    }
  }

  private static func text(_ text: JSONText) throws(MalformedJSON) -> String {
    guard let decoded = try text.decoded() else { throw MalformedJSON() }
    return decoded
  }
}

extension JSON {
  /// The members of an object; empty for other values.
  package var members: [Member] {
    guard case .object(let members) = self else { return [] }
    return members
  }

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

/// Decodes JSON, such as the detail of a logged event. The members of objects are in alphabetical order, because a decoder
/// does not preserve the order of the text. Only integers are accepted, because this package writes no other numbers.
extension JSON: Decodable {
  package init(from decoder: any Decoder) throws {
    if let members = try? decoder.container(keyedBy: MemberName.self) {
      let names = members.allKeys.sorted { $0.stringValue < $1.stringValue }
      self = .object(try names.map { Member($0.stringValue, try members.decode(JSON.self, forKey: $0)) })
    } else if var items = try? decoder.unkeyedContainer() {
      var array: [JSON] = []
      while !items.isAtEnd { array.append(try items.decode(JSON.self)) }
      self = .array(array)
    } else {
      let value = try decoder.singleValueContainer()
      if value.decodeNil() {
        self = .null
      } else if let flag = try? value.decode(Bool.self) {
        self = .bool(flag)
      } else if let number = try? value.decode(Int64.self) {
        self = .number(number)
      } else {
        self = .string(try value.decode(String.self))
      }
    }
  }

  private struct MemberName: CodingKey {
    let stringValue: String
    var intValue: Int? { nil }

    init(stringValue: String) {
      self.stringValue = stringValue
    }

    init?(intValue: Int) {
      return nil
    }
  }
}
