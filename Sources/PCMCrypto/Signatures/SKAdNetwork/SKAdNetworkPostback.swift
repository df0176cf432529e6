package import PCMCore

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
  /// The place where the ad was displayed; nil below the privacy threshold, and in 1.0.
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

  /// The text that Apple signs. An absent value is omitted together with its separator (reference, section 8).
  package var signedText: SignedText { SignedText(signedMembers.map(\.text)) }

  /// The signed members with a value, in the order of the signed text.
  package var signedMembers: [(member: SignedMember, text: String)] {
    SignedMember.ofPostbacks.filter { $0.isSigned(in: version) }.compactMap { member in
      value(of: member)?.signedText.map { (member, $0) }
    }
  }

  /// Returns the value of a member; nil for an absent member.
  private func value(of member: SignedMember) -> JSON? {
    switch member {
    case .version: .string(version.rawValue)
    case .adNetworkIdentifier: .string(adNetworkIdentifier)
    case .campaignIdentifier: if case .campaign(let number) = campaign { .number(number) } else { nil }
    case .sourceIdentifier: if case .source(let digits) = campaign { .string(digits) } else { nil }
    case .itemIdentifier: .number(itemIdentifier)
    case .transactionIdentifier: .string(transactionIdentifier)
    case .redownload: isRedownload.map { .bool($0) }
    case .sourceItemIdentifier: source?.app
    case .sourceDomain: source?.site
    case .fidelityType: fidelity.map { .number($0.rawValue) }
    case .didWin: didWin.map { .bool($0) }
    case .sequenceIndex: sequenceIndex.map { .number($0) }
    case .conversionValue: conversionValue?.fine
    case .coarseConversionValue: conversionValue?.coarse
    case .countryCode: countryCode.map { .string($0) }
    case .nonce, .timestamp, .signature: nil
    }
  }

  /// Returns the members in the order of Apple's examples, which is different for 4.0.
  package func json(signature: ECDSASignature) -> JSON {
    .object(
      unsignedBody.members + [.init(MemberSpelling.postback.name(.signature), .string(Base64.encode(signature.der)))])
  }

  /// The members without the signature.
  package var unsignedBody: JSON {
    let members =
      switch campaign {
      case .campaign: Self.membersWithCampaign
      case .source: Self.membersWithSource
      }
    return .object(members.compactMap { member, name in value(of: member).map { JSON.Member(name, $0) } })
  }

  private static let membersWithCampaign = named([.campaignIdentifier, .transactionIdentifier, .itemIdentifier])
  private static let membersWithSource = named([.sourceIdentifier, .itemIdentifier, .transactionIdentifier])

  /// Returns the members of a body and their names, with the order of the identifiers.
  private static func named(_ identifiers: [SignedMember]) -> [(member: SignedMember, name: String)] {
    let order: [SignedMember] =
      [.version, .adNetworkIdentifier] + identifiers + [
        .redownload, .sourceItemIdentifier, .sourceDomain, .fidelityType, .didWin, .conversionValue, .coarseConversionValue,
        .sequenceIndex, .countryCode,
      ]
    return order.map { ($0, MemberSpelling.postback.name($0)) }
  }

  /// Returns the request body with a signature, as a device writes it.
  ///
  /// - Parameter key: A key on the curve of the version. It is not Apple's, so only receivers with its public key accept the
  ///   postback.
  package func body(signedBy key: PrivateKey, slashes: SlashForm = .escaped) throws(SigningError) -> [UInt8] {
    guard key.curve == version.postbackCurve else {
      throw .wrongCurve(key.curve, expected: version.postbackCurve)
    }
    let body = json(signature: try key.signature(of: signedText))
    var reader = VersionedReader(body.members, version: version, spelling: .postback)
    guard SKAdNetworkPostback(from: &reader) == self, reader.faults.isEmpty else {
      throw .invalid(reader.faults)
    }
    return body.bytes(slashes)
  }
}
