/// JSON of which the shape depends on the case: what an event tells, what a rule saw.
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
  /// True or false.
  case bool(Bool)
  /// Nothing.
  case null

  /// A member of an object; nil when there is none, or when this is no object.
  public subscript(name: String) -> JSONValue? {
    if case .object(let members) = self { members[name] } else { nil }
  }

  /// The text, if this is one.
  public var string: String? {
    if case .string(let text) = self { text } else { nil }
  }

  /// The number, if this is one without a fraction.
  public var integer: Int? {
    if case .integer(let number) = self { number } else { nil }
  }

  /// The truth value, if this is one.
  public var bool: Bool? {
    if case .bool(let flag) = self { flag } else { nil }
  }

  /// The elements, if this is an array.
  public var array: [JSONValue]? {
    if case .array(let elements) = self { elements } else { nil }
  }
}

extension JSONValue: Decodable {
  /// Reads whatever is there.
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

extension JSONValue: CustomStringConvertible {
  /// For people: `sourceID 4, via link-click`. Members are in the order of their names.
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

  /// The same object with a member less.
  func without(_ name: String) -> JSONValue {
    guard case .object(var members) = self else { return self }
    members[name] = nil
    return .object(members)
  }

  private var nested: String {
    switch self {
    case .object: "{\(self)}"
    case .array: "[\(self)]"
    default: description
    }
  }
}
