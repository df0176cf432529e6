internal import PCMCore

extension AdAttributionKitPostback {
  /// Returns the body of the request, as a device writes it.
  package func body(signedBy signer: JWSSigner, slashes: SlashForm = .escaped) throws(SigningError) -> [UInt8] {
    var payloadReader = MemberReader(payload.members)
    var wrapperReader = MemberReader(unsignedMembers)
    guard AdAttributionKitPostback(payload: &payloadReader, wrapper: &wrapperReader) == self,
      payloadReader.faults.isEmpty, wrapperReader.faults.isEmpty
    else { throw .invalid(payloadReader.faults + wrapperReader.faults) }
    let jws = JSON.Member("jws-string", .string(try signer.sign(payload, slashes: slashes)))
    return JSON.object([jws] + unsignedMembers).bytes(slashes)
  }

  /// The signed members, in the order of Apple's example.
  private var payload: JSON {
    let members: [JSON.Member?] = [
      .init("postback-identifier", .string(postbackIdentifier)),
      publisherItemIdentifier.map { .init("publisher-item-identifier", .number($0)) },
      marketplaceIdentifier.map { .init("marketplace-identifier", .string($0)) },
      .init("impression-type", "app-impression"),
      .init("ad-network-identifier", .string(adNetworkIdentifier)),
      .init("did-win", .bool(didWin)),
      .init("postback-sequence-index", .number(sequenceIndex)),
      .init("conversion-type", .string(conversionType.rawValue)),
      .init("source-identifier", .string(sourceIdentifier)),
      .init("advertised-item-identifier", .number(advertisedItemIdentifier)),
    ]
    return .object(members.compactMap { $0 })
  }

  private var unsignedMembers: [JSON.Member] {
    let conversion: JSON.Member? =
      switch conversionValue {
      case .fine(let value)?: .init("conversion-value", .number(value))
      case .coarse(let value)?: .init("coarse-conversion-value", .string(value.rawValue))
      case nil: nil
      }
    return [
      conversion, interactionType.map { .init("ad-interaction-type", .string($0.rawValue)) },
      countryCode.map { .init("country-code", .string($0)) },
    ].compactMap { $0 }
  }
}
