internal import PCMCore

/// An AdAttributionKit ad impression, which an ad network signs (reference, section 2).
package struct AdAttributionKitImpression: Hashable, Codable, Sendable {
  /// A UUID, verbatim.
  package var impressionIdentifier: String
  /// The app that displays the ad; 0 for a development impression.
  package var publisherItemIdentifier: Int64
  package var adNetworkIdentifier: String
  /// Two to four digits.
  package var sourceIdentifier: Int64
  package var advertisedItemIdentifier: Int64
  /// Milliseconds since 1970.
  package var timestamp: Int64
  package var isEligibleForReengagement: Bool?

  package init(
    impressionIdentifier: String, publisherItemIdentifier: Int64, adNetworkIdentifier: String, sourceIdentifier: Int64,
    advertisedItemIdentifier: Int64, timestamp: Int64, isEligibleForReengagement: Bool? = nil
  ) {
    self.impressionIdentifier = impressionIdentifier
    self.publisherItemIdentifier = publisherItemIdentifier
    self.adNetworkIdentifier = adNetworkIdentifier
    self.sourceIdentifier = sourceIdentifier
    self.advertisedItemIdentifier = advertisedItemIdentifier
    self.timestamp = timestamp
    self.isEligibleForReengagement = isEligibleForReengagement
  }

  /// Reads the payload strictly. Returns nil when a member is unusable.
  package init?(payload: inout MemberReader) {
    let impression = payload.required("impression-identifier", .uuid)
    let publisher = payload.required("publisher-item-identifier", .itemIdentifier)
    _ = payload.required("impression-type", .word(["app-impression"]))
    let network = payload.required("ad-network-identifier", .adNetworkIdentifier)
    let source = payload.required("source-identifier", .integer(10...CampaignIdentifier.sourceIdentifiers.upperBound))
    let timestamp = payload.required("timestamp", .timestamp)
    let item = payload.required("advertised-item-identifier", .itemIdentifier)
    let isEligible = payload.optional("eligible-for-re-engagement", .flag)
    guard let impression, let publisher, let network, let source, let timestamp, let item else { return nil }
    self.init(
      impressionIdentifier: impression, publisherItemIdentifier: publisher, adNetworkIdentifier: network,
      sourceIdentifier: source, advertisedItemIdentifier: item, timestamp: timestamp, isEligibleForReengagement: isEligible)
    if AdNetworkIdentifier.flaw(in: network) == .upperCase {
      payload.add("ad-network-identifier", "The identifier of an ad network is written in lower case.")
    }
  }

  /// Returns the JSON Web Signature under the identifier of the ad network.
  package func jws(signedBy key: PrivateKey) throws(SigningError) -> String {
    var reader = MemberReader(payload.members)
    guard AdAttributionKitImpression(payload: &reader) == self, reader.faults.isEmpty else { throw .invalid(reader.faults) }
    return try JWSSigner(adNetworkIdentifier: adNetworkIdentifier, with: key).sign(payload)
  }

  /// The members in the order of Apple's example.
  private var payload: JSON {
    let members: [JSON.Member?] = [
      .init("advertised-item-identifier", .number(advertisedItemIdentifier)),
      .init("ad-network-identifier", .string(adNetworkIdentifier)),
      .init("impression-type", "app-impression"),
      isEligibleForReengagement.map { .init("eligible-for-re-engagement", .bool($0)) },
      .init("timestamp", .number(timestamp)),
      .init("publisher-item-identifier", .number(publisherItemIdentifier)),
      .init("impression-identifier", .string(impressionIdentifier)),
      .init("source-identifier", .number(sourceIdentifier)),
    ]
    return .object(members.compactMap { $0 })
  }
}
