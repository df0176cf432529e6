/// The spelling of the members of an impression.
enum ImpressionSpelling: Hashable, Sendable {
  /// As in Apple's documentation of the signed values: `ad-network-id`.
  case dashes
  /// As in the response of an ad network for a web ad: `ad_network_id`.
  case underscores

  func name(_ member: ImpressionMember) -> String {
    self == .dashes ? member.rawValue : String(member.rawValue.map { $0 == "-" ? "_" : $0 })
  }
}
