internal import PCMCore

/// The members of a signed ad impression and of an install-validation postback, those that are signed in the order of their
/// values (reference, sections 2, 7, and 8). The raw value is the name in Apple's documentation, except in postbacks. See
/// ``MemberSpelling``.
enum SignedMember: String, CaseIterable {
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

  static let ofImpressions: [SignedMember] = [
    .version, .adNetworkIdentifier, .campaignIdentifier, .sourceIdentifier, .itemIdentifier, .nonce, .sourceItemIdentifier,
    .sourceDomain, .fidelityType, .timestamp, .signature,
  ]
  static let ofPostbacks = allCases.filter { $0 != .nonce && $0 != .timestamp }

  /// The versions that have the member. Real postbacks of version 1.0 have `version` and `redownload`, although Apple lists them
  /// from 2.0 on.
  var versions: ClosedRange<SKAdNetworkVersion> {
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
  func isSigned(in version: SKAdNetworkVersion) -> Bool {
    switch self {
    case .version, .redownload: version >= .v2
    case .conversionValue, .coarseConversionValue, .countryCode, .signature: false
    default: versions.contains(version)
    }
  }
}

/// The spelling of the members of a postback or an impression.
enum MemberSpelling: Hashable, Sendable {
  /// As in postbacks: `app-id`.
  case postback
  /// As in Apple's documentation of an impression's signed values: `ad-network-id`.
  case dashes
  /// As in the response of an ad network for a web ad: `ad_network_id`.
  case underscores
  /// As in the `skadn` object of an OpenRTB bid: `network`, with numbers as strings.
  case openRTB

  /// The spelling of an impression is the spelling of the members that have a name of one spelling only.
  init(_ subject: SignatureVerdict.Subject, _ members: [JSON.Member]) {
    func has(_ spelling: Self, without other: Self) -> Bool {
      let names = Set(spelling.members.map(spelling.name)).subtracting(other.members.map(other.name))
      return members.contains { names.contains($0.name) }
    }
    self =
      subject == .postback
      ? .postback
      : has(.underscores, without: .dashes)
        ? .underscores
        : has(.openRTB, without: .dashes) && !has(.dashes, without: .openRTB)
          ? .openRTB : .dashes
  }

  var members: [SignedMember] { self == .postback ? SignedMember.ofPostbacks : SignedMember.ofImpressions }

  func name(_ member: SignedMember) -> String {
    switch (self, member) {
    case (.postback, .itemIdentifier): "app-id"
    case (.postback, .signature): "attribution-signature"
    case (.postback, _), (.dashes, _): member.rawValue
    case (.underscores, _): member.rawValue.replacing("-", with: "_")
    case (.openRTB, .adNetworkIdentifier): "network"
    case (.openRTB, .campaignIdentifier): "campaign"
    case (.openRTB, .sourceIdentifier): "sourceidentifier"
    case (.openRTB, .itemIdentifier): "itunesitem"
    case (.openRTB, .sourceItemIdentifier): "sourceapp"
    case (.openRTB, .sourceDomain): "sourcedomain"
    case (.openRTB, .fidelityType): "fidelity"
    case (.openRTB, _): member.rawValue
    }
  }

  /// The members with the types of Apple's documentation: OpenRTB writes numbers as strings.
  func typed(_ members: [JSON.Member]) -> [JSON.Member] {
    guard self == .openRTB else { return members }
    let numbers: [SignedMember] = [
      .campaignIdentifier, .sourceIdentifier, .itemIdentifier, .sourceItemIdentifier, .fidelityType, .timestamp,
    ]
    let names = Set(numbers.map(name))
    return members.map { member in
      guard names.contains(member.name), let number = member.value.string.flatMap(JSON.integer) else { return member }
      return JSON.Member(member.name, .number(number))
    }
  }
}

/// Reads the members of one version.
struct VersionedReader {
  let version: SKAdNetworkVersion
  let spelling: MemberSpelling
  private var reader: MemberReader

  var faults: [Fault] { reader.faults }
  var repairs: [MemberRepair] { reader.repairs }

  init(_ members: [JSON.Member], version: SKAdNetworkVersion, spelling: MemberSpelling) {
    reader = MemberReader(members)
    self.version = version
    self.spelling = spelling
    for member in spelling.members where !member.versions.contains(version) && has(member) {
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

  /// The name of a member in the object that is read.
  func name(_ member: SignedMember) -> String { spelling.name(member) }

  func has(_ member: SignedMember) -> Bool { reader.has(name(member)) }

  /// Whether a signed member has no usable value, so that the signed text is unknown.
  var lacksSignedValue: Bool {
    spelling.members.contains { $0.isSigned(in: version) && reader.unusable.contains(name($0)) }
  }

  mutating func add(_ member: SignedMember, _ detail: String) { reader.add(name(member), detail) }

  /// Returns nil, without a fault, if the version has no such member.
  mutating func optional<Value>(_ member: SignedMember, _ form: MemberForm<Value>) -> Value? {
    member.versions.contains(version) ? reader.optional(name(member), form) : nil
  }

  /// Returns nil, without a fault, if the version has no such member.
  mutating func required<Value>(_ member: SignedMember, _ form: MemberForm<Value>) -> Value? {
    member.versions.contains(version) ? reader.required(name(member), form) : nil
  }
}
