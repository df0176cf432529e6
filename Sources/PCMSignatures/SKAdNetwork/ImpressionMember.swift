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
