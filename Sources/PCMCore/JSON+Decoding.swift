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

  /// The members of an object; empty for other values.
  package var members: [Member] {
    guard case .object(let members) = self else { return [] }
    return members
  }
}
