package import PCMCore
package import PCMCrypto

/// A postback of a window before its delay and Apple's signature.
package struct PlannedPostback: Sendable {
  package enum Content: Hashable, Sendable {
    case skAdNetwork(SKAdNetworkPostback)
    case adAttributionKit(AdAttributionKitPostback)
  }

  package let conversion: Conversion
  package let order: PostbackPlan
  /// The ad for which the network receives the postback.
  package let kept: KeptImpression
  package let didWin: Bool
  let crowd: CrowdTiers
  let fields: PostbackFields
  let draw: PostbackDraw
  let system: OSVersion
  /// The reason the developer receives no copy; nil for a postback with a copy, and for a runner-up.
  let copyAbsence: Violation?
  package var recipient: Postback.Recipient
  package var url: String

  /// Whether the ad is for development. AdAttributionKit signs its postbacks with a development key.
  package var isDevelopment: Bool { kept.impression.isDevelopment }

  package var dueAt: Instant {
    let delay =
      conversion.development?.delay ?? conversion.timing.delay(index: order.index, version: kept.impression.version)
    return order.windowEnd + delay.interval(draw.delay)
  }

  /// The values of the postback and its copy.
  package var content: Content {
    switch kept.impression.signed {
    case .skAdNetwork(let signed): .skAdNetwork(skAdNetwork(signed))
    case .adAttributionKit(let signed): .adAttributionKit(adAttributionKit(signed))
    }
  }

  private func skAdNetwork(_ signed: SKAdNetworkImpression) -> SKAdNetworkPostback {
    SKAdNetworkPostback(
      version: signed.version, adNetworkIdentifier: signed.adNetworkIdentifier,
      campaign: signed.campaign.shortened(to: fields.digits), itemIdentifier: signed.itemIdentifier,
      transactionIdentifier: draw.identifier, isRedownload: conversion.type == .redownload,
      source: didWin && fields.hasSource ? signed.source : nil, fidelity: signed.fidelity,
      didWin: signed.version >= .v3 ? didWin : nil, sequenceIndex: signed.version >= .v4 ? Int64(order.index) : nil,
      conversionValue: value, countryCode: country)
  }

  private func adAttributionKit(_ signed: AdAttributionKitImpression) -> AdAttributionKitPostback {
    AdAttributionKitPostback(
      postbackIdentifier: draw.identifier.uppercased(), sequenceIndex: Int64(order.index),
      adNetworkIdentifier: signed.adNetworkIdentifier,
      sourceIdentifier: PostbackFields.lastDigits(fields.digits, of: String(signed.sourceIdentifier)),
      advertisedItemIdentifier: signed.advertisedItemIdentifier, conversionType: conversion.type, didWin: didWin,
      publisherItemIdentifier: didWin && fields.hasSource ? signed.publisherItemIdentifier : nil,
      marketplaceIdentifier: fields.hasMarketplace ? conversion.marketplace : nil, conversionValue: value,
      interactionType: kept.impression.interaction, countryCode: country)
  }

  private var country: String? {
    fields.hasCountry && system >= Conversion.firstSystemWithCountry ? conversion.country : nil
  }

  /// The reported value; nil for runners-up.
  package var value: ConversionValue? {
    guard didWin else { return nil }
    if fields.hasFineValue { return order.values.fine.map { .fine($0) } }
    return fields.hasCoarseValue ? order.values.coarse.map { .coarse($0) } : nil
  }
}

extension CampaignIdentifier {
  fileprivate func shortened(to digits: Int) -> CampaignIdentifier {
    guard case .source(let identifier) = self else { return self }
    return .source(PostbackFields.lastDigits(digits, of: identifier))
  }
}

/// The random values of a postback.
package struct PostbackDraw: Hashable, Sendable {
  /// The delay as a fraction of the range, in `0..<1`.
  package let delay: Double
  /// A UUID.
  package let identifier: String

  package init(delay: Double, identifier: String) {
    self.delay = delay
    self.identifier = identifier
  }
}
