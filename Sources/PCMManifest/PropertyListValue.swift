import PCMCore

/// A value of any type, because a wrong type is a finding and not a decoding error.
enum PropertyListValue: Decodable, Hashable {
  case string(String)
  case integer(Int)
  /// A number with a fraction, or out of range.
  case real
  case boolean(Bool)
  case array([PropertyListValue])
  case dictionary([String: PropertyListValue])
  /// Dates and data.
  case other

  init(from decoder: any Decoder) throws {
    // Most values are scalars, and an unsuccessful attempt is slow.
    if let scalar = (try? decoder.singleValueContainer()).flatMap(Self.init(scalar:)) {
      self = scalar
    } else if var elements = try? decoder.unkeyedContainer() {
      var values: [PropertyListValue] = []
      while !elements.isAtEnd { values.append(try elements.decode(PropertyListValue.self)) }
      self = .array(values)
    } else if let members = try? decoder.container(keyedBy: AnyKey.self) {
      let values = try members.allKeys.map { ($0.stringValue, try members.decode(PropertyListValue.self, forKey: $0)) }
      self = .dictionary(Dictionary(values) { $1 })
    } else {
      self = .other
    }
  }

  /// The string that Foundation's decoder takes for null, because keyed archives contain this string instead of null. A device reads a
  /// string.
  static let null = "$null"

  private init?(scalar value: any SingleValueDecodingContainer) {
    if value.decodeNil() {
      self = .string(Self.null)
    } else if let string = try? value.decode(String.self) {
      self = .string(string)
    } else if let boolean = try? value.decode(Bool.self) {
      self = .boolean(boolean)
    } else if let integer = try? value.decode(Int.self) {
      self = .integer(integer)
    } else if (try? value.decode(Double.self)) != nil {
      self = .real
    } else {
      return nil
    }
  }

  /// The value that the same property list has as XML, where a number with a fraction or an exponent is a real.
  init(_ json: JSON) {
    switch json {
    case .string(let text): self = .string(text)
    case .number(let number): self = Int(exactly: number).map { .integer($0) } ?? .real
    case .verbatim(let number): self = Double(number).flatMap { Int(exactly: $0) }.map { .integer($0) } ?? .real
    case .bool(let flag): self = .boolean(flag)
    case .array(let items): self = .array(items.map { PropertyListValue($0) })
    case .object(let members):
      self = .dictionary(Dictionary(members.map { ($0.name, PropertyListValue($0.value)) }) { $1 })
    case .null: self = .other
    }
  }

  /// The value with `removed@` instead of the user information of its URLs.
  var withMarkedUserInformation: PropertyListValue {
    switch self {
    case .string(let text): .string(text.withMarkedUserInformation)
    case .array(let elements): .array(elements.map(\.withMarkedUserInformation))
    case .dictionary(let members): .dictionary(members.mapValues(\.withMarkedUserInformation))
    case .integer, .real, .boolean, .other: self
    }
  }

  private struct AnyKey: CodingKey {
    let stringValue: String
    var intValue: Int? { nil }

    init?(stringValue: String) { self.stringValue = stringValue }
    init?(intValue: Int) { nil }
  }

  /// Whether a string in the value contains a build setting.
  var containsBuildSetting: Bool {
    switch self {
    case .string(let text): text.hasBuildSetting
    case .array(let elements): elements.contains(where: \.containsBuildSetting)
    case .dictionary(let members): members.values.contains(where: \.containsBuildSetting)
    case .integer, .real, .boolean, .other: false
    }
  }

  /// The value as an element of an XML property list. Reals, dates, and data, which no rule reads, have placeholders.
  var xml: String {
    switch self {
    case .string(let text): "<string>\(text.escapedForXML)</string>"
    case .integer(let number): "<integer>\(number)</integer>"
    case .real: "<real>0.5</real>"
    case .boolean(let flag): flag ? "<true/>" : "<false/>"
    case .other: "<data></data>"
    case .array(let elements): "<array>\(elements.map(\.xml).joined())</array>"
    case .dictionary(let members):
      "<dict>\(members.sorted { $0.key < $1.key }.map { $0.key.xmlKey + $0.value.xml }.joined())</dict>"
    }
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

extension String {
  /// The string as a key of an XML property list.
  var xmlKey: String { "<key>\(escapedForXML)</key>" }

  fileprivate var escapedForXML: String {
    let escapes: [Unicode.Scalar: String] = ["&": "&amp;", "<": "&lt;", ">": "&gt;", "\r": "&#13;"]
    return unicodeScalars.map { escapes[$0] ?? String($0) }.joined()
  }

  var withoutByteOrderMark: String {
    unicodeScalars.first == "\u{FEFF}" ? String(unicodeScalars.dropFirst()) : self
  }
}
