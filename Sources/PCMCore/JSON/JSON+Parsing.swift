extension JSON {
  /// The maximum number of arrays and objects around a value.
  package static let depthLimit = 64

  /// Parses JSON and preserves the order of the members of objects. Returns nil for bytes that are not JSON in UTF-8, for
  /// duplicate members, for numbers other than 64-bit integers, and for more than 64 levels of nesting. `4.0` and `4e0` are 4.
  ///
  /// - Parameters:
  ///   - keepingNumbers: Whether numbers other than 64-bit integers are kept as they are written.
  ///   - keepingDuplicates: Whether duplicate members are kept.
  package init?(parsing bytes: [UInt8], keepingNumbers: Bool = false, keepingDuplicates: Bool = false) {
    var scanner = JSONScanner(bytes)
    let form = Form(keepsNumbers: keepingNumbers, keepsDuplicates: keepingDuplicates)
    guard let value = try? Self.value(&scanner, form), (try? scanner.finish()) != nil else { return nil }
    self = value
  }

  /// The accepted values that this type does not represent exactly.
  struct Form {
    var keepsNumbers = false
    var keepsDuplicates = false
  }

  /// Whether the text is JSON in UTF-8 (RFC 8259).
  package static func isValid(_ bytes: [UInt8]) -> Bool { firstError(in: bytes) == nil }

  /// Returns the offset at which the text is not JSON in UTF-8; nil if it is.
  package static func firstError(in bytes: [UInt8]) -> Int? {
    var scanner = JSONScanner(bytes)
    do {
      try scanner.skipValue()
      try scanner.finish()
      return nil
    } catch {
      return min(scanner.position, bytes.count)
    }
  }

  /// Whether the text has more levels of arrays and objects than ``depthLimit`` before its first error.
  package static func isTooDeep(_ bytes: [UInt8]) -> Bool {
    var (depth, isInString, isEscaped) = (0, false, false)
    for byte in bytes {
      if isInString {
        if byte == UInt8(ascii: "\""), !isEscaped { isInString = false }
        isEscaped = byte == UInt8(ascii: "\\") && !isEscaped
        continue
      }
      switch byte {
      case UInt8(ascii: "\""): isInString = true
      case UInt8(ascii: "["), UInt8(ascii: "{"): depth += 1
      case UInt8(ascii: "]"), UInt8(ascii: "}"): depth -= 1
      default: break
      }
      if depth > depthLimit { return true }
    }
    return false
  }

  /// Reads the next value.
  static func value(_ scanner: inout JSONScanner, _ form: Form, depth: Int = 0) throws(MalformedJSON) -> JSON {
    var isFirst = true
    switch scanner.peek() {
    case UInt8(ascii: "\""): return .string(try text(scanner.text()))
    case UInt8(ascii: "{"):
      guard depth < depthLimit else { throw MalformedJSON() }
      var members: [Member] = []
      var names = NameList()
      _ = scanner.skip("{")
      while try scanner.advance(until: "}", isFirst: &isFirst) {
        let name = try text(scanner.name())
        guard form.keepsDuplicates || names.insert(name) else { throw MalformedJSON() }
        members.append(Member(name, try value(&scanner, form, depth: depth + 1)))
      }
      return .object(members)
    case UInt8(ascii: "["):
      guard depth < depthLimit else { throw MalformedJSON() }
      var items: [JSON] = []
      _ = scanner.skip("[")
      while try scanner.advance(until: "]", isFirst: &isFirst) {
        items.append(try value(&scanner, form, depth: depth + 1))
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
      if let value: Int64 = number.integer() { return .number(value) }
      guard form.keepsNumbers else { throw MalformedJSON() }
      return .verbatim(number.text)
    }
  }

  /// Returns the value of a JSON number that is a 64-bit integer, such as `4`, `4.0`, and `4e0`; nil for other text.
  package static func integer(_ text: String) -> Int64? {
    guard case .number(let value)? = JSON(parsing: Array(text.utf8)) else { return nil }
    return value
  }

  private static func text(_ text: JSONText) throws(MalformedJSON) -> String {
    guard let decoded = try text.decoded() else { throw MalformedJSON(isUnpairedSurrogate: true) }
    return decoded
  }
}

/// The names of an object's members. Most objects have few, for which a search is faster than a set.
///
/// Names are compared by their bytes, as everywhere in JSON. Strings are equal when they are canonically equivalent, such as
/// the Kelvin sign and K.
struct NameList {
  private static let few = 12
  private var first: [String] = []
  private var more: Set<[UInt8]> = []

  /// Adds a name. Returns false for a known name.
  mutating func insert(_ name: String) -> Bool {
    guard !first.contains(where: { $0.utf8.elementsEqual(name.utf8) }) else { return false }
    guard first.count == Self.few else {
      first.append(name)
      return true
    }
    return more.insert(Array(name.utf8)).inserted
  }
}

extension JSON {
  /// The members of an object; empty for other values.
  package var members: [Member] {
    guard case .object(let members) = self else { return [] }
    return members
  }

  /// The value of the member with this name, or nil.
  package subscript(name: String) -> JSON? { members.first { $0.name.utf8.elementsEqual(name.utf8) }?.value }

  package var items: [JSON] {
    guard case .array(let items) = self else { return [] }
    return items
  }

  package var flag: Bool? {
    guard case .bool(let flag) = self else { return nil }
    return flag
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
