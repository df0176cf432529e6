package import PCMCore

/// The signed items that ad networks and devices exchange.
package enum SignedSubject: String, Hashable, Sendable, CaseIterable {
  case postback
  case impression
}

/// The names of the members of a postback or an impression.
package struct MemberSpelling: Hashable, Sendable {
  package enum Kind: Hashable, Sendable {
    /// The names in postbacks: `app-id`.
    case postback
    /// The names in Apple's documentation of an impression's signed values: `ad-network-id`.
    case dashes
    /// The names in an ad network's response for a web ad: `ad_network_id`.
    case underscores
    /// The names in the `skadn` object of an OpenRTB bid: `network`. Numbers are strings.
    case openRTB
    /// The properties of `SKAdImpression`: `adNetworkIdentifier`.
    case adImpression
    /// The keys of the dictionary for `loadProduct`, or the names of their constants: `adNetworkNonce`.
    case productParameters
  }

  package let kind: Kind
  /// The fidelity type of an ad without the member; nil if the member is required.
  package let impliedFidelity: Fidelity?
  /// The names in the input of members for which the kind has several names.
  private var given: [SignedMember: String] = [:]

  package static let postback = MemberSpelling(.postback)
  package static let dashes = MemberSpelling(.dashes)
  package static let underscores = MemberSpelling(.underscores)

  private init(_ kind: Kind) {
    (self.kind, impliedFidelity) = (kind, kind.impliedFidelity)
  }

  /// Finds the spelling of an impression from member names that occur in only one spelling.
  package init(_ subject: SignedSubject, _ members: [JSON.Member]) {
    let names = Set(members.map(\.name))
    kind = subject == .postback ? .postback : Kind(ofImpression: names)
    // The `presentation` in the body of `POST …/impressions`.
    let isRendered = kind == .adImpression && members.contains { $0.name == "presentation" && $0.value == "storekit-rendered" }
    impliedFidelity = isRendered ? .storeKitRendered : kind.impliedFidelity
    for (member, all) in Kind.alternatives where kind == .productParameters {
      given[member] = all.first(where: names.contains)
    }
  }

  /// The names of a member in all spellings of an impression, except `id`, which is ambiguous.
  package static func names(_ member: SignedMember) -> [String] {
    [Kind.dashes, .openRTB, .adImpression].map { $0.name(member) } + (Kind.alternatives[member] ?? []).filter { $0 != "id" }
  }

  /// Returns the letters and digits of a name in lower case, so that `ad-network-id`, `ad_network_id`, and `adNetworkId` are
  /// equal.
  package static func plain(_ name: String) -> String {
    guard name.utf8.count <= 60 else { return "" }
    let bytes = name.utf8.compactMap { byte -> UInt8? in
      switch byte {
      case UInt8(ascii: "A")...UInt8(ascii: "Z"): byte | 0x20
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"): byte
      default: nil
      }
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// The members of a postback or an impression.
  package var members: [SignedMember] { kind == .postback ? SignedMember.ofPostbacks : SignedMember.ofImpressions }

  /// Returns the name of a member.
  package func name(_ member: SignedMember) -> String { given[member] ?? kind.name(member) }

  /// Returns the members with the types of Apple's documentation. In OpenRTB, and in dictionaries for `loadProduct` from
  /// servers, numbers are strings.
  package func typed(_ members: [JSON.Member]) -> [JSON.Member] {
    guard kind == .openRTB || kind == .productParameters else { return members }
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

extension MemberSpelling.Kind {
  fileprivate init(ofImpression names: Set<String>) {
    func count(_ kind: Self, without other: Self) -> Int {
      Set(SignedMember.ofImpressions.map(kind.name)).subtracting(SignedMember.ofImpressions.map(other.name)).count(
        where: names.contains)
    }
    // Includes other spellings, such as `ad_impression_identifier` and `SKStoreProductParameter.adNetworkNonce`.
    let plain = Set(names.map(MemberSpelling.plain))
    let parameters = [SignedMember.nonce, .signature].flatMap { Self.alternatives[$0] ?? [] }
    self =
      !plain.isDisjoint(with: parameters.map(MemberSpelling.plain))
      ? .productParameters
      : !plain.isDisjoint(with: ["adimpressionidentifier", "advertisedappstoreitemidentifier"])
        ? .adImpression
        : count(.underscores, without: .dashes) > count(.dashes, without: .underscores)
          ? .underscores
          : count(.openRTB, without: .dashes) > 0 && count(.dashes, without: .openRTB) == 0 ? .openRTB : .dashes
  }

  /// The fidelity type is 1 for a web ad, an OpenRTB ad without fidelities, and `loadProduct`, and 0 for an `SKAdImpression`.
  fileprivate var impliedFidelity: Fidelity? {
    switch self {
    case .postback, .dashes: nil
    case .underscores, .openRTB, .productParameters: .storeKitRendered
    case .adImpression: .viewThrough
    }
  }

  fileprivate func name(_ member: SignedMember) -> String {
    switch (self, member) {
    case (.postback, .itemIdentifier): "app-id"
    case (.postback, .signature): "attribution-signature"
    case (.underscores, _): member.rawValue.replacing("-", with: "_")
    case (.openRTB, .adNetworkIdentifier): "network"
    case (.openRTB, .campaignIdentifier): "campaign"
    case (.openRTB, .sourceIdentifier): "sourceidentifier"
    case (.openRTB, .itemIdentifier): "itunesitem"
    case (.openRTB, .sourceItemIdentifier): "sourceapp"
    case (.openRTB, .sourceDomain): "sourcedomain"
    case (.openRTB, .fidelityType): "fidelity"
    case (.adImpression, .adNetworkIdentifier): "adNetworkIdentifier"
    case (.adImpression, .campaignIdentifier): "adCampaignIdentifier"
    case (.adImpression, .sourceIdentifier): "sourceIdentifier"
    case (.adImpression, .itemIdentifier): "advertisedAppStoreItemIdentifier"
    case (.adImpression, .nonce): "adImpressionIdentifier"
    case (.adImpression, .sourceItemIdentifier): "sourceAppStoreItemIdentifier"
    case (.adImpression, .fidelityType): "fidelityType"
    case (.productParameters, _): Self.alternatives[member]?.first ?? member.rawValue
    case (.postback, _), (.dashes, _), (.openRTB, _), (.adImpression, _): member.rawValue
    }
  }

  /// The names of the parameters of `loadProduct`: the values of StoreKit's constants, the names of the constants, and names
  /// that servers use.
  fileprivate static let alternatives: [SignedMember: [String]] = {
    let names: [SignedMember: (own: [String], constant: String)] = [
      .version: (["adNetworkPayloadVersion", "adNetworkVersion", "version"], "AdNetworkVersion"),
      .adNetworkIdentifier: (["adNetworkId", "adNetworkIdentifier"], "AdNetworkIdentifier"),
      .campaignIdentifier: (
        ["adNetworkCampaignIdentifier", "adNetworkCampaignId", "campaignIdentifier", "campaignId"],
        "AdNetworkCampaignIdentifier"
      ),
      .sourceIdentifier: (
        ["adNetworkSourceIdentifier", "adNetworkSourceId", "sourceIdentifier"], "AdNetworkSourceIdentifier"
      ),
      .itemIdentifier: (["id", "iTunesItemIdentifier", "itunesItemIdentifier"], "ITunesItemIdentifier"),
      .nonce: (["adNetworkNonce"], "AdNetworkNonce"),
      .sourceItemIdentifier: (
        ["adNetworkSourceAppStoreIdentifier", "adNetworkSourceAppStoreId"], "AdNetworkSourceAppStoreIdentifier"
      ),
      .fidelityType: (["fidelityType", "fidelity-type"], "FidelityType"),
      .timestamp: (["adNetworkImpressionTimestamp", "adNetworkTimestamp"], "AdNetworkTimestamp"),
      .signature: (["adNetworkAttributionSignature"], "AdNetworkAttributionSignature"),
    ]
    return names.mapValues { $0.own + ["SKStoreProductParameter" + $0.constant] }
  }()
}
