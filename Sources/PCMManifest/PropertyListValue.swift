import Foundation
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

  /// What Foundation's decoder takes for null, because keyed archives contain this string instead of null. A device reads a
  /// string.
  static let null = "$null"

  private init?(scalar value: any SingleValueDecodingContainer) {
    if value.decodeNil() {
      self = .string(Self.null)
    } else if let boolean = try? value.decode(Bool.self) {
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

  /// Returns the value for Foundation's serialization, which drops a leading U+FEFF from the keys and strings that it reads, as
  /// a device does not.
  ///
  /// - Parameter original: The value as the serialization reads it, with what this type does not represent. It is nil in a
  ///   dictionary of which the serialization loses a key, such as one with the keys `a` and `\u{FEFF}a`.
  func propertyList(_ original: Any?) -> Any {
    switch self {
    case .string(let text):
      return text
    case .integer(let number):
      return original ?? number
    case .boolean(let flag):
      return original ?? flag
    case .array(let elements):
      let originals = (original as? [Any]).flatMap { $0.count == elements.count ? $0 : nil }
      return elements.indices.map { elements[$0].propertyList(originals?[$0]) }
    case .dictionary(let members):
      let hasLostKey = Set(members.keys.map(\.withoutByteOrderMark)).count < members.count
      let originals = hasLostKey ? nil : original as? [String: Any]
      let values = members.map { ($0, $1.propertyList(originals?[$0.withoutByteOrderMark])) }
      return Dictionary(values) { $1 }
    case .other:
      return original ?? Data()
    }
  }

  /// The value with `removed@` instead of the user information of its URLs.
  var withMarkedUserInformation: PropertyListValue {
    switch self {
    case .string(let text): .string(text.withMarkedUserInformation)
    case .array(let elements): .array(elements.map(\.withMarkedUserInformation))
    case .dictionary(let members): .dictionary(members.mapValues(\.withMarkedUserInformation))
    case .integer, .boolean, .other: self
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
    case .integer, .boolean, .other: false
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
  var withoutByteOrderMark: String {
    unicodeScalars.first == "\u{FEFF}" ? String(unicodeScalars.dropFirst()) : self
  }
}
