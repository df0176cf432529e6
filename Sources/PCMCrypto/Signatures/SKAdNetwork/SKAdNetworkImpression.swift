package import PCMCore

/// An ad impression of SKAdNetwork 1.0 to 4.0, which an ad network signs (reference, section 2).
package struct SKAdNetworkImpression: Hashable, Codable, Sendable {
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
  package var signedText: SignedText { SignedText(signedMembers.map(\.text)) }

  /// The signed members with a value, in the order of the signed text.
  package var signedMembers: [(member: SignedMember, text: String)] {
    SignedMember.ofImpressions.filter { $0.isSigned(in: version) }.compactMap { member in
      value(of: member)?.signedText.map { (member, $0) }
    }
  }

  /// Returns the value of a member; nil for an absent member.
  private func value(of member: SignedMember) -> JSON? {
    switch member {
    case .version: .string(version.rawValue)
    case .adNetworkIdentifier: .string(adNetworkIdentifier)
    case .campaignIdentifier: if case .campaign(let number) = campaign { .number(number) } else { nil }
    case .sourceIdentifier: if case .source(let digits) = campaign { Int64(digits).map { .number($0) } } else { nil }
    case .itemIdentifier: .number(itemIdentifier)
    case .nonce: .string(nonce)
    case .sourceItemIdentifier: source?.app
    case .sourceDomain: source?.site
    case .fidelityType: fidelity.map { .number($0.rawValue) }
    case .timestamp: .number(timestamp)
    default: nil
    }
  }

  /// Returns the impression with its signature, with the names of the signed values. ``SignatureVerifier`` reads this form.
  package func json(signature: String) -> JSON { json(signature: signature, .dashes) }

  /// Returns the response of an ad network to `POST /.well-known/skadnetwork/get-signed-payload`, for a web ad of version
  /// 4.0. It omits the fidelity type.
  package func webAdResponse(signature: String) -> JSON {
    var response = self
    response.fidelity = nil
    return response.json(signature: signature, .underscores)
  }

  private func json(signature: String, _ spelling: MemberSpelling) -> JSON {
    let members = SignedMember.ofImpressions.map { ($0, $0 == .signature ? .string(signature) : value(of: $0)) }
    return .object(members.compactMap { member, value in value.map { JSON.Member(spelling.name(member), $0) } })
  }

  /// Signs the impression.
  ///
  /// - Parameter key: The ad network's key, on P-256 in every version.
  /// - Returns: The signature in Base64.
  package func signature(by key: PrivateKey) throws(SigningError) -> String {
    guard key.curve == .p256 else { throw .wrongCurve(key.curve, expected: .p256) }
    return Base64.encode(try key.signature(of: signedText).der)
  }
}
