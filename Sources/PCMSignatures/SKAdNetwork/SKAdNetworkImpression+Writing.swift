package import PCMCore

extension SKAdNetworkImpression {
  /// The impression with its signature, by the names of the signed values. ``SignatureVerifier`` reads this form.
  package func json(signature: String) -> JSON { json(signature: signature, .dashes, omitting: []) }

  /// The response of an ad network to `POST /.well-known/skadnetwork/get-signed-payload`, for a web ad of version 4.0. It has
  /// no fidelity type.
  package func webAdResponse(signature: String) -> JSON {
    json(signature: signature, .underscores, omitting: [.fidelityType])
  }

  private func json(signature: String, _ spelling: ImpressionSpelling, omitting omitted: Set<ImpressionMember>) -> JSON {
    let members: [(ImpressionMember, JSON?)] = [
      (.version, .string(version.rawValue)), (.adNetworkIdentifier, .string(adNetworkIdentifier)), campaignMember,
      (.itemIdentifier, .number(itemIdentifier)), (.nonce, .string(nonce)), sourceMember,
      (.fidelityType, fidelity.map { .number($0.rawValue) }), (.timestamp, .number(timestamp)),
      (.signature, .string(signature)),
    ]
    return .object(
      members.compactMap { member, value in
        omitted.contains(member) ? nil : value.map { JSON.Member(spelling.name(member), $0) }
      })
  }

  private var campaignMember: (ImpressionMember, JSON?) {
    switch campaign {
    case .campaign(let number): (.campaignIdentifier, .number(number))
    case .source(let digits): (.sourceIdentifier, Int64(digits).map { .number($0) })
    }
  }

  private var sourceMember: (ImpressionMember, JSON?) {
    switch source {
    case .app(let identifier)?: (.sourceItemIdentifier, .number(identifier))
    case .site(let domain)?: (.sourceDomain, .string(domain))
    case nil: (.sourceItemIdentifier, nil)
    }
  }
}
