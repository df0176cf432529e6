internal import PCMCore

/// The spelling of the members of an impression.
enum ImpressionSpelling: Hashable, Sendable {
  /// As in Apple's documentation of the signed values: `ad-network-id`.
  case dashes
  /// As in the response of an ad network for a web ad: `ad_network_id`.
  case underscores

  /// The spelling of the members that have a name of either.
  init(of members: [JSON.Member]) {
    let names = Set(ImpressionMember.allCases.map { Self.underscores.name($0) }.filter { $0.contains("_") })
    self = members.contains { names.contains($0.name) } ? .underscores : .dashes
  }

  func name(_ member: ImpressionMember) -> String {
    self == .dashes ? member.rawValue : String(member.rawValue.map { $0 == "-" ? "_" : $0 })
  }
}
