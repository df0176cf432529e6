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
