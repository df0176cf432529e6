internal import PCMCore

/// An ad impression of SKAdNetwork 1.0 to 4.0, which an ad network signs (reference, section 2).
package struct SKAdNetworkImpression: Hashable, Sendable {
  package var version: SKAdNetworkVersion
  package var adNetworkIdentifier: String
  package var campaign: CampaignIdentifier
  /// The advertised app.
  package var itemIdentifier: Int64
  /// A UUID, which devices write in lower case.
  package var nonce: String
  /// The app or website that displays the ad. Required from 2.0 on.
  package var source: AdSource?
  /// Required from 2.2 on.
  package var fidelity: Fidelity?
  /// Milliseconds since 1970.
  package var timestamp: Int64

  package init(
    version: SKAdNetworkVersion, adNetworkIdentifier: String, campaign: CampaignIdentifier, itemIdentifier: Int64,
    nonce: String, source: AdSource? = nil, fidelity: Fidelity? = nil, timestamp: Int64
  ) {
    self.version = version
    self.adNetworkIdentifier = adNetworkIdentifier
    self.campaign = campaign
    self.itemIdentifier = itemIdentifier
    self.nonce = nonce
    self.source = source
    self.fidelity = fidelity
    self.timestamp = timestamp
  }

  /// The text that the ad network signs.
  package var signedText: SignedText {
    SignedText(ImpressionMember.allCases.filter { $0.isSigned(in: version) }.compactMap(text))
  }

  /// The signed text of a member; nil for an absent one.
  func text(of member: ImpressionMember) -> String? {
    switch member {
    case .version: version.rawValue
    case .adNetworkIdentifier: adNetworkIdentifier
    case .campaignIdentifier, .sourceIdentifier: campaign.text
    case .itemIdentifier: String(itemIdentifier)
    case .nonce: nonce
    case .sourceItemIdentifier: if case .app(let identifier)? = source { String(identifier) } else { nil }
    case .sourceDomain: if case .site(let domain)? = source { domain } else { nil }
    case .fidelityType: fidelity.map { String($0.rawValue) }
    case .timestamp: String(timestamp)
    case .signature: nil
    }
  }

  /// Signs the impression.
  ///
  /// - Parameter key: The ad network's key, on P-256 in every version.
  /// - Returns: The signature in Base64.
  package func signature(by key: PrivateKey) throws(SigningError) -> String {
    guard key.curve == .p256 else { throw .wrongCurve(key.curve, expected: .p256) }
    do {
      return Base64.encode(try key.sign(signedText.bytes).der)
    } catch {
      throw .key(error)
    }
  }
}
