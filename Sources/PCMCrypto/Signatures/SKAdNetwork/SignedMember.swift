package import PCMCore

/// The members of a signed ad impression and an install-validation postback. Signed members are in the order of their values
/// in the signed text (reference, sections 2, 7, and 8). The raw value is the name in Apple's documentation of impressions;
/// see ``MemberSpelling`` for other names.
package enum SignedMember: String, Hashable, Sendable, CaseIterable {
  case version
  case adNetworkIdentifier = "ad-network-id"
  case campaignIdentifier = "campaign-id"
  case sourceIdentifier = "source-identifier"
  case itemIdentifier = "itunes-item-id"
  case nonce
  case transactionIdentifier = "transaction-id"
  case redownload
  case sourceItemIdentifier = "source-app-id"
  case sourceDomain = "source-domain"
  case fidelityType = "fidelity-type"
  case didWin = "did-win"
  case sequenceIndex = "postback-sequence-index"
  case timestamp
  case conversionValue = "conversion-value"
  case coarseConversionValue = "coarse-conversion-value"
  case countryCode = "country-code"
  case signature

  package static let ofImpressions: [SignedMember] = [
    .version, .adNetworkIdentifier, .campaignIdentifier, .sourceIdentifier, .itemIdentifier, .nonce, .sourceItemIdentifier,
    .sourceDomain, .fidelityType, .timestamp, .signature,
  ]
  package static let ofPostbacks = allCases.filter { $0 != .nonce && $0 != .timestamp }

  /// The versions with the member. Postbacks of version 1.0 contain `version` and `redownload`, although Apple lists them
  /// from 2.0 on.
  package var versions: ClosedRange<SKAdNetworkVersion> {
    switch self {
    case .campaignIdentifier: .v1 ... .v3
    case .sourceItemIdentifier, .conversionValue: .v2 ... .v4
    case .fidelityType: .v22 ... .v4
    case .didWin: .v3 ... .v4
    case .sourceIdentifier, .sourceDomain, .sequenceIndex, .coarseConversionValue: .v4 ... .v4
    default: .v1 ... .v4
    }
  }

  /// Whether a version signs the member.
  package func isSigned(in version: SKAdNetworkVersion) -> Bool {
    switch self {
    case .version, .redownload: version >= .v2
    case .conversionValue, .coarseConversionValue, .countryCode, .signature: false
    default: versions.contains(version)
    }
  }
}

/// Reads the members of a version.
package struct VersionedReader {
  package let version: SKAdNetworkVersion
  package let spelling: MemberSpelling
  private var reader: MemberReader

  package var faults: [Fault] { reader.faults }
  /// The members whose values do not have the expected form.
  package var wrong: [WrongMember] { reader.wrong }

  package init(_ members: [JSON.Member], version: SKAdNetworkVersion, spelling: MemberSpelling) {
    reader = MemberReader(members)
    self.version = version
    self.spelling = spelling
    for member in spelling.members where !member.versions.contains(version) && has(member) && !isOfOtherSystems(member) {
      let versions = member.versions
      let range =
        version < versions.lowerBound
        ? "\(versions.lowerBound.rawValue) and later" : "\(versions.upperBound.rawValue) and earlier"
      add(
        member,
        "\(name(member)) is a member of version \(range); this is version \(version.rawValue). Check version, or omit "
          + "\(name(member)).")
    }
  }

  /// Returns whether a member is the campaign or source identifier of other versions in an impression that also has the
  /// identifier of its version. Apps pass both, and a device ignores one of them (reference, additions).
  package func isOfOtherSystems(_ member: SignedMember) -> Bool {
    guard spelling != .postback, !member.versions.contains(version) else { return false }
    return switch member {
    case .campaignIdentifier: has(member) && has(.sourceIdentifier)
    case .sourceIdentifier: has(member) && has(.campaignIdentifier)
    default: false
    }
  }

  /// Returns the name of a member in this object.
  func name(_ member: SignedMember) -> String { spelling.name(member) }

  func has(_ member: SignedMember) -> Bool { reader.has(name(member)) }

  /// Whether a signed member lacks a usable value, so that the signed text is unknown.
  var lacksSignedValue: Bool {
    spelling.members.contains { $0.isSigned(in: version) && reader.unusable.contains(name($0)) }
  }

  mutating func add(_ member: SignedMember, _ detail: String) { reader.add(name(member), detail) }

  /// Returns nil, without a fault, if the version has no such member.
  mutating func optional<Value>(_ member: SignedMember, _ form: MemberForm<Value>) -> Value? {
    member.versions.contains(version) ? reader.optional(name(member), form) : nil
  }

  /// Returns nil, without a fault, if the version has no such member.
  package mutating func required<Value>(_ member: SignedMember, _ form: MemberForm<Value>) -> Value? {
    member.versions.contains(version) ? reader.required(name(member), form) : nil
  }
}
