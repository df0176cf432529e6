internal import PCMCore

/// A value of any type, because a wrong type is a finding and not a decoding error.
enum PropertyListValue: Decodable, Hashable {
  case string(String)
  case integer(Int)
  case boolean(Bool)
  case array([PropertyListValue])
  case dictionary([String: PropertyListValue])
  /// Reals, dates, data, and numbers out of range.
  case other

  init(from decoder: any Decoder) throws {
    if var elements = try? decoder.unkeyedContainer() {
      var values: [PropertyListValue] = []
      while !elements.isAtEnd { values.append(try elements.decode(PropertyListValue.self)) }
      self = .array(values)
    } else if let members = try? decoder.container(keyedBy: AnyKey.self) {
      let values = try members.allKeys.map { ($0.stringValue, try members.decode(PropertyListValue.self, forKey: $0)) }
      self = .dictionary(Dictionary(values) { $1 })
    } else {
      self = (try? decoder.singleValueContainer()).flatMap(Self.init(scalar:)) ?? .other
    }
  }

  private init?(scalar value: any SingleValueDecodingContainer) {
    if let boolean = try? value.decode(Bool.self) {
      self = .boolean(boolean)
    } else if let integer = try? value.decode(Int.self) {
      self = .integer(integer)
    } else if let string = try? value.decode(String.self) {
      self = .string(string)
    } else {
      return nil
    }
  }

  /// The value that the same property list has as XML, where a number with a fraction or an exponent is a real.
  init(_ json: JSON) {
    switch json {
    case .string(let text): self = .string(text)
    case .number(let number): self = Int(exactly: number).map { .integer($0) } ?? .other
    case .verbatim(let number): self = Double(number).flatMap { Int(exactly: $0) }.map { .integer($0) } ?? .other
    case .bool(let flag): self = .boolean(flag)
    case .array(let items): self = .array(items.map { PropertyListValue($0) })
    case .object(let members):
      self = .dictionary(Dictionary(members.map { ($0.name, PropertyListValue($0.value)) }) { $1 })
    case .null: self = .other
    }
  }

  private struct AnyKey: CodingKey {
    let stringValue: String
    var intValue: Int? { nil }

    init?(stringValue: String) { self.stringValue = stringValue }
    init?(intValue: Int) { nil }
  }

  var string: String? {
    guard case .string(let text) = self else { return nil }
    return text
  }

  /// Xcode writes integers. Older tools wrote strings.
  var number: Int? {
    switch self {
    case .integer(let number): number
    case .string(let text): Int(text)
    default: nil
    }
  }

  /// The elements of an array, or a single value.
  var elements: [PropertyListValue] {
    guard case .array(let elements) = self else { return [self] }
    return elements
  }
}
