internal import PCMCore
internal import PCMCrypto

/// A replacement for the value of a member, with an accepted form.
struct MemberRepair: Hashable, Sendable {
  let name: String
  /// The value; nil to omit the member.
  let value: JSON?
  let repair: Repair
}

extension [JSON.Member] {
  /// Returns the members with the replacements.
  func applying(_ repairs: [MemberRepair]) -> [JSON.Member] {
    compactMap { member in
      guard let repair = repairs.first(where: { $0.name == member.name }) else { return member }
      return repair.value.map { JSON.Member(member.name, $0) }
    }
  }
}

extension WrongMember {
  /// The most likely value in place of the invalid value; nil if there is none.
  var repair: MemberRepair? {
    if !isRequired, value == .null || value == "" {
      let repair = Repair(
        finding: "\(name) is \(value == .null ? "null" : "empty")", change: "without it", instruction: "Omit \(name).")
      return MemberRepair(name: name, value: nil, repair: repair)
    }
    guard let found = value.alternatives.first(where: { accepts($0.value) }) else { return nil }
    let repair = Repair(
      finding: "\(name) \(found.finding)", change: "as \(found.form)", instruction: "Write \(name) as \(found.form).")
    return MemberRepair(name: name, value: found.value, repair: repair)
  }
}

extension JSON {
  /// The values in the formats of other serializers. The finding follows the name of the member, and the form follows "as".
  fileprivate var alternatives: [(value: JSON, finding: String, form: String)] {
    switch self {
    case .string(let text): Self.alternatives(of: text)
    case .number(0), .number(1):
      [
        (.bool(self == 1), "is the number \(text)", "\(self == 1)"), (.string(text), "is a number", "a string"),
      ]
    case .number, .verbatim: [(.string(text), "is a number", "a string")]
    case .bool(let flag):
      [(.number(flag ? 1 : 0), "is \(flag)", "the number \(flag ? 1 : 0)"), (.string("\(flag)"), "is \(flag)", "a string")]
    case .array(let items) where items.count == 1:
      ([(items[0], "", "a single value")] + items[0].alternatives).map { ($0.value, "is an array", $0.form) }
    case .array, .object, .null: []
    }
  }

  private static func alternatives(of text: String) -> [(value: JSON, finding: String, form: String)] {
    let trimmed = text.trimmed
    let bare = trimmed.withoutQuotationMarks ?? trimmed
    let (lower, upper, hexadecimal) = (bare.lowercased(), bare.uppercased(), bare.filter(\.isHexDigit))
    var all: [(value: JSON, finding: String, form: String)] = []
    if trimmed != text { all.append((.string(trimmed), "has spaces around it", "a string without them")) }
    if bare != trimmed {
      all.append((.string(bare), "is in quotation marks twice", "a string without the inner ones"))
    }
    if let number = JSON.integer(bare) { all.append((.number(number), "is a string", "a number")) }
    if let flag = ["true": true, "1": true, "false": false, "0": false][lower] {
      all.append((.bool(flag), "is a string", "\(flag) without quotation marks"))
    }
    if lower != bare { all.append((.string(lower), "has upper-case letters", "\"\(lower)\"")) }
    if upper != bare, bare.utf8.count == 2 { all.append((.string(upper), "has lower-case letters", "\"\(upper)\"")) }
    if bare.utf8.count < 25, let bytes = Base64URL.decode(bare) ?? Base64.decode(bare), let uuid = UUIDText.text(bytes) {
      all.append((.string(uuid), "is in Base64URL", "\"\(uuid)\""))
    }
    if hexadecimal.utf8.count == 32, let uuid = UUIDText.hyphenated(hexadecimal) {
      all.append((.string(uuid), "is not written as a UUID", "\"\(uuid)\""))
    }
    if let decoded = TextRepair.percentDecoded(bare) {
      all.append((.string(decoded), "is percent-encoded", "\"\(decoded.asShown(upTo: 60))\""))
    }
    return all
  }
}

extension UUIDText {
  /// Returns 32 hexadecimal digits with hyphens. The case of the digits is unchanged.
  fileprivate static func hyphenated(_ digits: String) -> String? {
    let text = [8, 4, 4, 4, 12].reduce(into: (parts: [String](), rest: digits[...])) { result, count in
      result.parts.append(String(result.rest.prefix(count)))
      result.rest = result.rest.dropFirst(count)
    }.parts.joined(separator: "-")
    return isValid(text) ? text : nil
  }
}
