internal import PCMCore

/// The accepted values of a member, with their description.
package struct MemberForm<Value>: Sendable {
  /// The description, as the end of a sentence after "it must be".
  let expected: String
  let read: @Sendable (JSON) -> Value?
}

extension MemberForm<Int64> {
  static func integer(_ range: ClosedRange<Int64>, _ expected: String) -> Self {
    MemberForm(expected: expected) { value in
      guard case .number(let number) = value, range.contains(number) else { return nil }
      return number
    }
  }

  static func integer(_ range: ClosedRange<Int64>) -> Self {
    integer(range, "an integer from \(range.words)")
  }

  /// The identifier of an app in the App Store.
  static let itemIdentifier = integer(0...Int64.max, "an integer, the identifier of an app in the App Store")
  static let sourceItemIdentifier = integer(
    0...Int64.max, "an integer, the identifier of an app in the App Store, or 0 for an app that is signed for development")
  static let campaign = integer(CampaignIdentifier.campaigns)
  static let sourceIdentifier = integer(CampaignIdentifier.sourceIdentifiers)
  static let sequenceIndex = integer(0...2, "0, 1, or 2")
  static let fineConversionValue = integer(ConversionValue.fineValues)
  static let timestamp = integer(SignedTime.range, "a time in milliseconds since 1970, such as 1676057605705")
}

extension MemberForm<Bool> {
  static let flag = MemberForm(expected: "true or false") { value in
    guard case .bool(let flag) = value else { return nil }
    return flag
  }
}

extension MemberForm<String> {
  static func text(_ expected: String, where isValid: @escaping @Sendable (String) -> Bool) -> Self {
    MemberForm(expected: expected) { value in value.string.flatMap { isValid($0) ? $0 : nil } }
  }

  /// Nonempty text without invisible characters, such as the separator of signed values.
  static let identifier = text("a string of printable characters") { text in
    !text.isEmpty && text.unicodeScalars.allSatisfy(\.isVisible)
  }

  static let adNetworkIdentifier = text(AdNetworkIdentifier.form) { AdNetworkIdentifier.isWellFormed($0) }

  /// Two to four digits, as in postbacks.
  static let sourceDigits = text("a string of two to four digits, such as \"5239\"") { text in
    (2...4).contains(text.utf8.count) && text.utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
  }

  static let uuid = text("a UUID, such as \"6aafb7a5-0170-41b5-bbe4-fe71dedf1e28\"") { UUIDText.isValid($0) }

  static let countryCode = text("a country code of two letters, such as \"US\"") { CountryCode.isValid($0) }

  static func word(_ words: [String]) -> Self {
    text(words.map { "\"\($0)\"" }.joined(separator: words.count > 2 ? ", " : " or ")) { words.contains($0) }
  }
}

extension MemberForm<ConversionValue.Coarse> {
  static let coarse = MemberForm(expected: "\"low\", \"medium\", or \"high\"") { value in
    value.string.flatMap(ConversionValue.Coarse.init)
  }
}

extension MemberForm<Fidelity> {
  static let fidelity = MemberForm(expected: "0 (view-through) or 1 (rendered by StoreKit, or a web ad)") { value in
    guard case .number(let number) = value else { return nil }
    return Fidelity(rawValue: number)
  }
}

extension MemberForm<ECDSASignature> {
  /// Base64 of DER.
  package static let signature = MemberForm(expected: "the Base64 text of an ECDSA signature in DER") { value in
    value.string.flatMap { Base64.decode($0) }.flatMap { ECDSASignature(der: $0) }
  }
}
