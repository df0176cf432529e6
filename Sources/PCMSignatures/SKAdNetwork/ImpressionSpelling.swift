internal import PCMCore

/// The spelling of the members of an impression.
enum ImpressionSpelling: Hashable, Sendable {
  /// As in Apple's documentation of the signed values: `ad-network-id`.
  case dashes
  /// As in the response of an ad network for a web ad: `ad_network_id`.
  case underscores
  /// As in the `skadn` object of an OpenRTB bid: `network`, with numbers as strings.
  case openRTB

  /// The spelling of the members that have a name of one spelling only.
  init(of members: [JSON.Member]) {
    func has(_ spelling: Self, without other: Self) -> Bool {
      let names = Set(ImpressionMember.allCases.map { spelling.name($0) })
        .subtracting(ImpressionMember.allCases.map { other.name($0) })
      return members.contains { names.contains($0.name) }
    }
    self =
      has(.underscores, without: .dashes)
      ? .underscores
      : has(.openRTB, without: .dashes) && !has(.dashes, without: .openRTB)
        ? .openRTB : .dashes
  }

  func name(_ member: ImpressionMember) -> String {
    switch self {
    case .dashes: member.rawValue
    case .underscores: String(member.rawValue.map { $0 == "-" ? "_" : $0 })
    case .openRTB:
      switch member {
      case .adNetworkIdentifier: "network"
      case .campaignIdentifier: "campaign"
      case .sourceIdentifier: "sourceidentifier"
      case .itemIdentifier: "itunesitem"
      case .sourceItemIdentifier: "sourceapp"
      case .sourceDomain: "sourcedomain"
      case .fidelityType: "fidelity"
      case .version, .nonce, .timestamp, .signature: member.rawValue
      }
    }
  }

  /// The members with the types of Apple's documentation: OpenRTB writes numbers as strings.
  func typed(_ members: [JSON.Member]) -> [JSON.Member] {
    guard self == .openRTB else { return members }
    let numbers: [ImpressionMember] = [
      .campaignIdentifier, .sourceIdentifier, .itemIdentifier, .sourceItemIdentifier, .fidelityType, .timestamp,
    ]
    let names = Set(numbers.map(name))
    return members.map { member in
      guard names.contains(member.name), let number = member.value.string.flatMap(JSON.integer) else { return member }
      return JSON.Member(member.name, .number(number))
    }
  }
}
