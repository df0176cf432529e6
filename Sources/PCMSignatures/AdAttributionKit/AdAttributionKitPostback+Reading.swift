internal import PCMCore

extension AdAttributionKitPostback {
  /// The names of the payload's members.
  static let payloadNames = [
    "postback-identifier", "postback-sequence-index", "ad-network-identifier", "source-identifier",
    "advertised-item-identifier", "impression-type", "conversion-type", "did-win", "publisher-item-identifier",
    "marketplace-identifier",
  ]
  /// The names of the members next to it.
  static let wrapperNames = [
    "jws-string", "conversion-value", "coarse-conversion-value", "ad-interaction-type", "country-code",
  ]

  /// Reads the payload and the members next to it strictly. Returns nil when a member of the payload is unusable.
  init?(payload: inout MemberReader, wrapper: inout MemberReader) {
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

  /// Values that exclude each other (reference, sections 3 to 5).
  private func addContradictions(_ payload: inout MemberReader, _ wrapper: inout MemberReader) {
    if AdNetworkIdentifier.flaw(in: adNetworkIdentifier) == .upperCase {
      payload.add("ad-network-identifier", "The identifier of an ad network is written in lower case.")
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

  /// The second and the third postback have neither a fine value nor the source, and two digits (reference, section 5).
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
