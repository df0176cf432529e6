/// The names of the members of an SKAdNetwork postback or impression, in the order in which their values are signed.
protocol SignedMember: RawRepresentable<String>, CaseIterable {
  /// The versions that have the member.
  var versions: ClosedRange<SKAdNetworkVersion> { get }
  /// The first version that signs the member; nil if none does.
  var signedSince: SKAdNetworkVersion? { get }
}

extension SignedMember {
  func isSigned(in version: SKAdNetworkVersion) -> Bool {
    signedSince.map { versions.contains(version) && version >= $0 } ?? false
  }
}

/// Reads the members of one version.
struct VersionedReader<Member: SignedMember> {
  let version: SKAdNetworkVersion
  /// The name of a member in the object that is read.
  let name: (Member) -> String
  private var reader: MemberReader

  var faults: [Fault] { reader.faults }
  var repairs: [MemberRepair] { reader.repairs }

  init(_ reader: MemberReader, version: SKAdNetworkVersion, name: @escaping (Member) -> String = { $0.rawValue }) {
    self.reader = reader
    self.version = version
    self.name = name
    for member in Member.allCases where !member.versions.contains(version) && reader.has(name(member)) {
      add(member, Self.detail(name(member), member.versions, not: version))
    }
  }

  func has(_ member: Member) -> Bool { reader.has(name(member)) }

  /// Whether a signed member has no usable value, so that the signed text is unknown.
  var lacksSignedValue: Bool {
    Member.allCases.contains { $0.isSigned(in: version) && reader.unusable.contains(name($0)) }
  }

  mutating func add(_ member: Member, _ detail: String) { reader.add(name(member), detail) }

  /// Returns nil, without a fault, if the version has no such member.
  mutating func optional<Value>(_ member: Member, _ form: MemberForm<Value>) -> Value? {
    member.versions.contains(version) ? reader.optional(name(member), form) : nil
  }

  /// Returns nil, without a fault, if the version has no such member.
  mutating func required<Value>(_ member: Member, _ form: MemberForm<Value>) -> Value? {
    member.versions.contains(version) ? reader.required(name(member), form) : nil
  }

  private static func detail(
    _ name: String, _ versions: ClosedRange<SKAdNetworkVersion>, not version: SKAdNetworkVersion
  ) -> String {
    let range =
      version < versions.lowerBound
      ? "\(versions.lowerBound.rawValue) and later" : "\(versions.upperBound.rawValue) and earlier"
    return "\(name) is a member of version \(range); this is version \(version.rawValue). Check version, or omit \(name)."
  }
}

/// The members of a signed ad impression, those that are signed in the order of their values (reference, section 2).
enum ImpressionMember: String, SignedMember {
  case version
  case adNetworkIdentifier = "ad-network-id"
  case campaignIdentifier = "campaign-id"
  case sourceIdentifier = "source-identifier"
  case itemIdentifier = "itunes-item-id"
  case nonce
  case sourceItemIdentifier = "source-app-id"
  case sourceDomain = "source-domain"
  case fidelityType = "fidelity-type"
  case timestamp
  case signature

  var versions: ClosedRange<SKAdNetworkVersion> {
    switch self {
    case .version, .adNetworkIdentifier, .itemIdentifier, .nonce, .timestamp, .signature: .v1 ... .v4
    case .campaignIdentifier: .v1 ... .v3
    case .sourceItemIdentifier: .v2 ... .v4
    case .fidelityType: .v22 ... .v4
    case .sourceIdentifier, .sourceDomain: .v4 ... .v4
    }
  }

  var signedSince: SKAdNetworkVersion? {
    switch self {
    case .version: .v2
    case .signature: nil
    default: versions.lowerBound
    }
  }
}

/// The members of an install-validation postback, those that are signed in the order of their values (reference, sections 7
/// and 8).
enum PostbackMember: String, SignedMember {
  case version
  case adNetworkIdentifier = "ad-network-id"
  case campaignIdentifier = "campaign-id"
  case sourceIdentifier = "source-identifier"
  case itemIdentifier = "app-id"
  case transactionIdentifier = "transaction-id"
  case redownload
  case sourceItemIdentifier = "source-app-id"
  case sourceDomain = "source-domain"
  case fidelityType = "fidelity-type"
  case didWin = "did-win"
  case sequenceIndex = "postback-sequence-index"
  case conversionValue = "conversion-value"
  case coarseConversionValue = "coarse-conversion-value"
  case countryCode = "country-code"
  case signature = "attribution-signature"

  /// Real postbacks of version 1.0 have `version` and `redownload`, although Apple lists them from 2.0 on.
  var versions: ClosedRange<SKAdNetworkVersion> {
    switch self {
    case .version, .adNetworkIdentifier, .itemIdentifier, .transactionIdentifier, .redownload, .countryCode, .signature:
      .v1 ... .v4
    case .campaignIdentifier: .v1 ... .v3
    case .sourceItemIdentifier, .conversionValue: .v2 ... .v4
    case .fidelityType: .v22 ... .v4
    case .didWin: .v3 ... .v4
    case .sourceIdentifier, .sourceDomain, .sequenceIndex, .coarseConversionValue: .v4 ... .v4
    }
  }

  var signedSince: SKAdNetworkVersion? {
    switch self {
    case .version, .redownload: .v2
    case .conversionValue, .coarseConversionValue, .countryCode, .signature: nil
    default: versions.lowerBound
    }
  }
}
