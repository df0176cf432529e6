/// A JSON value whose shape depends on the case, such as the detail of an event or the input of a rule.
///
/// ```swift
/// let stored = try #require(try await browser.events().first { $0.kind == .clickStored })
/// #expect(stored.detail["sourceIdentifier"]?.integer == 4)
/// let keys: [String: JSONValue] = ["SKAdNetworkItems": [["SKAdNetworkIdentifier": "example123.skadnetwork"]]]
/// try await device.register(app: "com.example.reader", infoPlist: keys)
/// ```
public enum JSONValue: Hashable, Sendable {
  /// A JSON object.
  case object([String: JSONValue])
  /// A JSON array.
  case array([JSONValue])
  /// A JSON string.
  case string(String)
  /// A number without a fraction.
  case integer(Int)
  /// Any other number.
  case number(Double)
  /// A Boolean.
  case bool(Bool)
  /// Null.
  case null

  /// Returns the member of an object; nil when it is missing or the value is not an object.
  public subscript(name: String) -> JSONValue? {
    if case .object(let members) = self { members[name] } else { nil }
  }

  /// The string; nil for other values.
  public var string: String? {
    if case .string(let text) = self { text } else { nil }
  }

  /// The integer; nil for other values.
  public var integer: Int? {
    if case .integer(let number) = self { number } else { nil }
  }

  /// The Boolean; nil for other values.
  public var bool: Bool? {
    if case .bool(let flag) = self { flag } else { nil }
  }

  /// The array; nil for other values.
  public var array: [JSONValue]? {
    if case .array(let elements) = self { elements } else { nil }
  }
}

extension JSONValue: Decodable {
  /// Decodes any JSON value.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    if container.decodeNil() {
      self = .null
    } else if let flag = try? container.decode(Bool.self) {
      self = .bool(flag)
    } else if let number = try? container.decode(Int.self) {
      self = .integer(number)
    } else if let number = try? container.decode(Double.self) {
      self = .number(number)
    } else if let text = try? container.decode(String.self) {
      self = .string(text)
    } else if let elements = try? container.decode([JSONValue].self) {
      self = .array(elements)
    } else {
      self = .object(try container.decode([String: JSONValue].self))
    }
  }
}

extension JSONValue: Encodable {
  /// Encodes the value.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    switch self {
    case .object(let members): try container.encode(members)
    case .array(let elements): try container.encode(elements)
    case .string(let text): try container.encode(text)
    case .integer(let number): try container.encode(number)
    case .number(let number): try container.encode(number)
    case .bool(let flag): try container.encode(flag)
    case .null: try container.encodeNil()
    }
  }
}

extension JSONValue: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral, ExpressibleByBooleanLiteral,
  ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
  /// Creates a string.
  public init(stringLiteral text: String) { self = .string(text) }
  /// Creates an integer.
  public init(integerLiteral number: Int) { self = .integer(number) }
  /// Creates a Boolean.
  public init(booleanLiteral flag: Bool) { self = .bool(flag) }
  /// Creates an array.
  public init(arrayLiteral elements: JSONValue...) { self = .array(elements) }
  /// Creates an object. Of two members with the same name, the later one counts.
  public init(dictionaryLiteral members: (String, JSONValue)...) {
    self = .object(Dictionary(members) { $1 })
  }
}

extension JSONValue: CustomStringConvertible {
  /// A description for people: `sourceIdentifier 4, via link-click`. Members are sorted by name.
  public var description: String {
    switch self {
    case .object(let members):
      members.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value.nested)" }.joined(separator: ", ")
    case .array(let elements): elements.map(\.nested).joined(separator: ", ")
    case .string(let text): text
    case .integer(let number): "\(number)"
    case .number(let number): "\(number)"
    case .bool(let flag): "\(flag)"
    case .null: "none"
    }
  }

  private var nested: String {
    switch self {
    case .object: "{\(self)}"
    case .array: "[\(self)]"
    default: description
    }
  }
}
