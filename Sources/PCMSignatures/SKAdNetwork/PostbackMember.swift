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
