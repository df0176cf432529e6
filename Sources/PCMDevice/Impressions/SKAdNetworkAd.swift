internal import PCMSignatures

/// The values with which an app displays an SKAdNetwork ad: the parameters of `loadProduct`, or an `SKAdImpression`
/// (SKAdNetwork reference, sections 2.1 and 2.2). Each may be missing.
package struct SKAdNetworkAd: Hashable, Sendable {
  /// Missing for version 1.0.
  package var version: String?
  package var adNetworkIdentifier: String?
  /// Versions 1.0 to 3.0.
  package var adCampaignIdentifier: Int64?
  /// Version 4.0.
  package var sourceIdentifier: Int64?
  package var advertisedAppStoreItemIdentifier: Int64?
  package var adImpressionIdentifier: String?
  /// From version 2.0 on.
  package var sourceAppStoreItemIdentifier: Int64?
  /// Milliseconds since 1970.
  package var timestamp: Int64?
  /// Base64 of DER.
  package var signature: String?

  package init(
    version: String? = nil, adNetworkIdentifier: String? = nil, adCampaignIdentifier: Int64? = nil,
    sourceIdentifier: Int64? = nil, advertisedAppStoreItemIdentifier: Int64? = nil, adImpressionIdentifier: String? = nil,
    sourceAppStoreItemIdentifier: Int64? = nil, timestamp: Int64? = nil, signature: String? = nil
  ) {
    self.version = version
    self.adNetworkIdentifier = adNetworkIdentifier
    self.adCampaignIdentifier = adCampaignIdentifier
    self.sourceIdentifier = sourceIdentifier
    self.advertisedAppStoreItemIdentifier = advertisedAppStoreItemIdentifier
    self.adImpressionIdentifier = adImpressionIdentifier
    self.sourceAppStoreItemIdentifier = sourceAppStoreItemIdentifier
    self.timestamp = timestamp
    self.signature = signature
  }

  /// The version; nil for an unknown one.
  var knownVersion: SKAdNetworkVersion? { version.map { SKAdNetworkVersion(rawValue: $0) } ?? .v1 }

  /// The names of the missing values, in the order in which they are signed.
  func missingValues(_ version: SKAdNetworkVersion) -> [String] {
    let values: [(name: String, isMissing: Bool)] = [
      ("adNetworkIdentifier", adNetworkIdentifier == nil),
      ("adCampaignIdentifier", version < .v4 && adCampaignIdentifier == nil),
      ("sourceIdentifier", version == .v4 && sourceIdentifier == nil),
      ("advertisedAppStoreItemIdentifier", advertisedAppStoreItemIdentifier == nil),
      ("adImpressionIdentifier", adImpressionIdentifier == nil),
      ("sourceAppStoreItemIdentifier", version > .v1 && sourceAppStoreItemIdentifier == nil),
      ("timestamp", timestamp == nil),
      ("signature", signature == nil),
    ]
    return values.filter(\.isMissing).map(\.name)
  }

  /// The values whose text the device composes; nil if one is missing. The device writes the adImpressionIdentifier in lower case.
  func impression(_ fidelity: Fidelity) -> SKAdNetworkImpression? {
    guard let knownVersion, let adNetworkIdentifier, let advertisedAppStoreItemIdentifier, let adImpressionIdentifier,
      let timestamp,
      let campaign = campaign(knownVersion)
    else { return nil }
    return SKAdNetworkImpression(
      version: knownVersion, adNetworkIdentifier: adNetworkIdentifier, campaign: campaign,
      itemIdentifier: advertisedAppStoreItemIdentifier, nonce: adImpressionIdentifier.lowercased(),
      source: knownVersion > .v1 ? sourceAppStoreItemIdentifier.map { .app($0) } : nil,
      fidelity: knownVersion >= .v22 ? fidelity : nil, timestamp: timestamp)
  }

  private func campaign(_ version: SKAdNetworkVersion) -> CampaignIdentifier? {
    version == .v4 ? sourceIdentifier.map { .source(String($0)) } : adCampaignIdentifier.map { .campaign($0) }
  }
}
