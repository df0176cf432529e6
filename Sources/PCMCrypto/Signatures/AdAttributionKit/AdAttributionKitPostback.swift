package import PCMCore

/// An AdAttributionKit postback: the payload that Apple signs, and the members next to it (reference, section 6).
package struct AdAttributionKitPostback: Hashable, Sendable {
  /// A UUID, verbatim.
  package var postbackIdentifier: String
  /// 0 to 2.
  package var sequenceIndex: Int64
  package var adNetworkIdentifier: String
  /// Two to four digits.
  package var sourceIdentifier: String
  package var advertisedItemIdentifier: Int64
  package var conversionType: ConversionType
  package var didWin: Bool
  /// Only in the highest tier.
  package var publisherItemIdentifier: Int64?
  /// `com.apple.AppStore` for the App Store.
  package var marketplaceIdentifier: String?
  /// Not signed.
  package var conversionValue: ConversionValue?
  /// Not signed.
  package var interactionType: InteractionType?
  /// Not signed.
  package var countryCode: String?

  package init(
    postbackIdentifier: String, sequenceIndex: Int64, adNetworkIdentifier: String, sourceIdentifier: String,
    advertisedItemIdentifier: Int64, conversionType: ConversionType, didWin: Bool, publisherItemIdentifier: Int64? = nil,
    marketplaceIdentifier: String? = nil, conversionValue: ConversionValue? = nil, interactionType: InteractionType? = nil,
    countryCode: String? = nil
  ) {
    self.postbackIdentifier = postbackIdentifier
    self.sequenceIndex = sequenceIndex
    self.adNetworkIdentifier = adNetworkIdentifier
    self.sourceIdentifier = sourceIdentifier
    self.advertisedItemIdentifier = advertisedItemIdentifier
    self.conversionType = conversionType
    self.didWin = didWin
    self.publisherItemIdentifier = publisherItemIdentifier
    self.marketplaceIdentifier = marketplaceIdentifier
    self.conversionValue = conversionValue
    self.interactionType = interactionType
    self.countryCode = countryCode
  }
}

extension AdAttributionKitPostback {
  /// The names of the members next to the payload.
  package static let wrapperNames = [
    "jws-string", "conversion-value", "coarse-conversion-value", "ad-interaction-type", "country-code",
  ]

  /// Reads the payload and the members next to it strictly. Returns nil when a member of the payload is unusable.
  package init?(payload: inout MemberReader, wrapper: inout MemberReader) {
    let postback = payload.required("postback-identifier", .uuid)
    let index = payload.required("postback-sequence-index", .sequenceIndex)
    let network = payload.required("ad-network-identifier", .adNetworkIdentifier)
    let source = payload.required("source-identifier", .sourceDigits)
    let item = payload.required("advertised-item-identifier", .itemIdentifier)
    _ = payload.required("impression-type", .word(["app-impression"]))
    let conversion = payload.required("conversion-type", .word(ConversionType.allCases.map(\.rawValue)))
    let didWin = payload.required("did-win", .flag)
    let publisher = payload.optional("publisher-item-identifier", .itemIdentifier)
    let marketplace = payload.optional("marketplace-identifier", .identifier)
    let value = Self.conversionValue(&wrapper)
    let interaction = wrapper.optional("ad-interaction-type", .word(InteractionType.allCases.map(\.rawValue)))
    let country = wrapper.optional("country-code", .countryCode)
    guard let postback, let index, let network, let source, let item, let didWin,
      let conversion = conversion.flatMap(ConversionType.init)
    else { return nil }
    self.init(
      postbackIdentifier: postback, sequenceIndex: index, adNetworkIdentifier: network, sourceIdentifier: source,
      advertisedItemIdentifier: item, conversionType: conversion, didWin: didWin, publisherItemIdentifier: publisher,
      marketplaceIdentifier: marketplace, conversionValue: value,
      interactionType: interaction.flatMap(InteractionType.init), countryCode: country)
    addContradictions(&payload, &wrapper)
  }

  private static func conversionValue(_ wrapper: inout MemberReader) -> ConversionValue? {
    let fine = wrapper.optional("conversion-value", .fineConversionValue)
    let coarse = wrapper.optional("coarse-conversion-value", .coarse)
    if wrapper.has("conversion-value"), wrapper.has("coarse-conversion-value") {
      wrapper.add("coarse-conversion-value", "coarse-conversion-value and conversion-value are mutually exclusive.")
    }
    return fine.map { .fine($0) } ?? coarse.map { .coarse($0) }
  }

  /// Adds faults for values that exclude each other (reference, sections 3 to 5).
  private func addContradictions(_ payload: inout MemberReader, _ wrapper: inout MemberReader) {
    if AdNetworkIdentifier.flaw(in: adNetworkIdentifier) == .upperCase {
      payload.add("ad-network-identifier", "The identifier of an ad network is written in lower case.")
    }
    if conversionType == .reengagement, interactionType == .view {
      wrapper.add(
        "ad-interaction-type",
        "A re-engagement follows a tap: its ad-interaction-type is \"click\", and no device sends \"view\".")
    }
    if sequenceIndex > 0 { addFaultsOfLaterPostback(&payload, &wrapper) }
    guard !didWin else { return }
    for name in ["conversion-value", "coarse-conversion-value"] where wrapper.has(name) {
      wrapper.add(name, "A postback with did-win false has no \(name).")
    }
    if publisherItemIdentifier != nil {
      payload.add("publisher-item-identifier", "A postback with did-win false has no publisher-item-identifier.")
    }
    if sequenceIndex > 0 {
      payload.add(
        "postback-sequence-index", "A postback with did-win false has the sequence index 0; this one has \(sequenceIndex).")
    }
  }

  /// The second and third postbacks have a source identifier of two digits, and neither a fine value nor the publisher's app
  /// (reference, section 5).
  private func addFaultsOfLaterPostback(_ payload: inout MemberReader, _ wrapper: inout MemberReader) {
    if case .fine? = conversionValue {
      wrapper.add("conversion-value", LaterPostback.absent("conversion-value", sequenceIndex))
    }
    if sourceIdentifier.utf8.count != LaterPostback.digits {
      payload.add("source-identifier", LaterPostback.twoDigits(sourceIdentifier, sequenceIndex))
    }
    if didWin, publisherItemIdentifier != nil {
      payload.add("publisher-item-identifier", LaterPostback.absent("publisher-item-identifier", sequenceIndex))
    }
  }
}

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

  /// The members of the payload, and then the members outside of it.
  package var unsignedBody: JSON { .object(payload.members + unsignedMembers) }

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
    let members: [(name: String, value: JSON?)] = [
      ("conversion-value", conversionValue?.fine), ("coarse-conversion-value", conversionValue?.coarse),
      ("ad-interaction-type", interactionType.map { .string($0.rawValue) }), ("country-code", countryCode.map { .string($0) }),
    ]
    return members.compactMap { name, value in value.map { JSON.Member(name, $0) } }
  }
}
