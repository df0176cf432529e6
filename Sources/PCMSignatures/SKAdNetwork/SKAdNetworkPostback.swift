/// An install-validation postback of SKAdNetwork 1.0 to 4.0, without its signature (reference, section 7).
package struct SKAdNetworkPostback: Hashable, Sendable {
  package var version: SKAdNetworkVersion
  package var adNetworkIdentifier: String
  package var campaign: CampaignIdentifier
  /// The advertised app.
  package var itemIdentifier: Int64
  /// The UUID, verbatim.
  package var transactionIdentifier: String
  /// Whether the account had the app before. Required from 2.0 on; 1.0 does not sign it.
  package var isRedownload: Bool?
  /// Where the ad was displayed; nil below the privacy threshold, and in 1.0.
  package var source: AdSource?
  /// Required from 2.2 on.
  package var fidelity: Fidelity?
  /// Required from 3.0 on.
  package var didWin: Bool?
  /// 0 to 2. Required in 4.0.
  package var sequenceIndex: Int64?
  /// Not signed.
  package var conversionValue: ConversionValue?
  /// Not signed.
  package var countryCode: String?

  package init(
    version: SKAdNetworkVersion, adNetworkIdentifier: String, campaign: CampaignIdentifier, itemIdentifier: Int64,
    transactionIdentifier: String, isRedownload: Bool? = nil, source: AdSource? = nil, fidelity: Fidelity? = nil,
    didWin: Bool? = nil, sequenceIndex: Int64? = nil, conversionValue: ConversionValue? = nil, countryCode: String? = nil
  ) {
    self.version = version
    self.adNetworkIdentifier = adNetworkIdentifier
    self.campaign = campaign
    self.itemIdentifier = itemIdentifier
    self.transactionIdentifier = transactionIdentifier
    self.isRedownload = isRedownload
    self.source = source
    self.fidelity = fidelity
    self.didWin = didWin
    self.sequenceIndex = sequenceIndex
    self.conversionValue = conversionValue
    self.countryCode = countryCode
  }

  /// The text that Apple signs. An absent value is left out together with its separator (reference, section 8).
  package var signedText: SignedText {
    SignedText(PostbackMember.allCases.filter { $0.isSigned(in: version) }.compactMap(text))
  }

  /// The signed text of a member; nil for an absent one.
  private func text(of member: PostbackMember) -> String? {
    switch member {
    case .version: version.rawValue
    case .adNetworkIdentifier: adNetworkIdentifier
    case .campaignIdentifier, .sourceIdentifier: campaign.text
    case .itemIdentifier: String(itemIdentifier)
    case .transactionIdentifier: transactionIdentifier
    case .redownload: isRedownload.map { "\($0)" }
    case .sourceItemIdentifier: if case .app(let identifier)? = source { String(identifier) } else { nil }
    case .sourceDomain: if case .site(let domain)? = source { domain } else { nil }
    case .fidelityType: fidelity.map { String($0.rawValue) }
    case .didWin: didWin.map { "\($0)" }
    case .sequenceIndex: sequenceIndex.map { String($0) }
    case .conversionValue, .coarseConversionValue, .countryCode, .signature: nil
    }
  }
}
