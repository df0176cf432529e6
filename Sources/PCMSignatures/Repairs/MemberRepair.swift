internal import PCMCore

/// Another value of a member, which its form accepts.
struct MemberRepair: Hashable, Sendable {
  let name: String
  /// Nil to omit the member.
  let value: JSON?
  let repair: Repair
}

extension [JSON.Member] {
  /// The members with other values.
  func applying(_ repairs: [MemberRepair]) -> [JSON.Member] {
    compactMap { member in
      guard let repair = repairs.first(where: { $0.name == member.name }) else { return member }
      return repair.value.map { JSON.Member(member.name, $0) }
    }
  }
}

extension MemberForm {
  /// Returns the value that was most likely meant by one that the form does not accept.
  ///
  /// - Parameter isRequired: Whether the member cannot be omitted.
  func repair(_ value: JSON, of name: String, isRequired: Bool) -> MemberRepair? {
    if value == .null, !isRequired {
      let repair = Repair(finding: "\(name) is null", change: "without it", instruction: "Omit \(name).")
      return MemberRepair(name: name, value: nil, repair: repair)
    }
    if value == "", !isRequired {
      let repair = Repair(finding: "\(name) is empty", change: "without it", instruction: "Omit \(name).")
      return MemberRepair(name: name, value: nil, repair: repair)
    }
    guard let found = ValueAlternative.all(of: value).first(where: { read($0.value) != nil }) else { return nil }
    let repair = Repair(
      finding: "\(name) \(found.finding)", change: "as \(found.form)", instruction: "Write \(name) as \(found.form).")
    return MemberRepair(name: name, value: found.value, repair: repair)
  }
}

/// What other serializers make of a value.
private struct ValueAlternative {
  let value: JSON
  /// After the name of the member.
  let finding: String
  /// After "as".
  let form: String

  static func all(of value: JSON) -> [ValueAlternative] {
    switch value {
    case .string(let text): ofText(text)
    case .number(let number): ofNumber(number)
    case .verbatim(let text): [ValueAlternative(value: .string(text), finding: "is a number", form: "a string")]
    case .bool(let flag):
      [
        ValueAlternative(value: .number(flag ? 1 : 0), finding: "is \(flag)", form: flag ? "the number 1" : "the number 0"),
        ValueAlternative(value: .string("\(flag)"), finding: "is \(flag)", form: "a string"),
      ]
    case .array(let items) where items.count == 1:
      ([ValueAlternative(value: items[0], finding: "", form: "a single value")] + all(of: items[0]))
        .map { ValueAlternative(value: $0.value, finding: "is an array", form: $0.form) }
    case .array, .object, .null: []
    }
  }

  private static func ofText(_ text: String) -> [ValueAlternative] {
    let trimmed = text.trimmed
    let bare = trimmed.withoutQuotationMarks ?? trimmed
    var all: [ValueAlternative] = []
    if trimmed != text {
      all.append(Self(value: .string(trimmed), finding: "has spaces around it", form: "a string without them"))
    }
    if bare != trimmed {
      all.append(Self(value: .string(bare), finding: "is in quotation marks twice", form: "a string without the inner ones"))
    }
    if let number = JSON.integer(bare) {
      all.append(Self(value: .number(number), finding: "is a string", form: "a number"))
    }
    if let flag = ["true": true, "1": true, "false": false, "0": false][bare.lowercased()] {
      all.append(Self(value: .bool(flag), finding: "is a string", form: "\(flag) without quotation marks"))
    }
    if bare.lowercased() != bare {
      all.append(Self(value: .string(bare.lowercased()), finding: "has upper-case letters", form: "\"\(bare.lowercased())\""))
    }
    if bare.uppercased() != bare, bare.utf8.count == 2 {
      all.append(Self(value: .string(bare.uppercased()), finding: "has lower-case letters", form: "\"\(bare.uppercased())\""))
    }
    let hexadecimal = bare.filter { $0.isHexDigit }
    if hexadecimal.utf8.count == 32, let uuid = UUIDText.hyphenated(hexadecimal) {
      all.append(Self(value: .string(uuid), finding: "is not written as a UUID", form: "\"\(uuid)\""))
    }
    if let decoded = TextRepair.percentDecoded(bare) {
      all.append(Self(value: .string(decoded), finding: "is percent-encoded", form: "\"\(decoded.asShown(upTo: 60))\""))
    }
    return all
  }

  private static func ofNumber(_ number: Int64) -> [ValueAlternative] {
    let text = ValueAlternative(value: .string(String(number)), finding: "is a number", form: "a string")
    guard let flag = [1: true, 0: false][number] else { return [text] }
    return [ValueAlternative(value: .bool(flag), finding: "is the number \(number)", form: "\(flag)"), text]
  }
}

extension UUIDText {
  /// Returns 32 hexadecimal digits with hyphens, in their case.
  fileprivate static func hyphenated(_ digits: String) -> String? {
    let text = [8, 4, 4, 4, 12].reduce(into: (parts: [String](), rest: digits[...])) { result, count in
      result.parts.append(String(result.rest.prefix(count)))
      result.rest = result.rest.dropFirst(count)
    }.parts.joined(separator: "-")
    return isValid(text) ? text : nil
  }
}
