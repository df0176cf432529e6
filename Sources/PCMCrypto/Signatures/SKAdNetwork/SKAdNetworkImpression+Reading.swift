internal import PCMCore

extension SKAdNetworkImpression {
  /// Reads an impression strictly. Returns nil if a signed value is unusable, because the signed text is unknown.
  ///
  /// For an ad in an app, a device signs the nonce in lower case, because StoreKit takes a UUID value. For a web ad, the
  /// response contains the nonce as signed.
  ///
  /// A nonce of a web ad in upper case, a time in seconds, and a negative time, which results from a conversion to 32 bits,
  /// are read although a device rejects them, so that the fault can say whether the signature matches.
  package init?(from reader: inout VersionedReader) {
    let network = reader.required(.adNetworkIdentifier, .adNetworkIdentifier)
    let campaign = reader.required(.campaignIdentifier, .campaign).map { CampaignIdentifier.campaign($0) }
    let sourceIdentifier = reader.required(.sourceIdentifier, .sourceIdentifier).map { CampaignIdentifier.source("\($0)") }
    let item = reader.required(.itemIdentifier, .itemIdentifier)
    let nonce = reader.required(.nonce, .uuid)
    let source = Self.source(&reader)
    let fidelity = Self.fidelity(&reader)
    let timestamp = reader.required(.timestamp, .integer(Int64.min...Int64.max, MemberForm<Int64>.timestamp.expected))
    guard !reader.lacksSignedValue, let network, let campaign = campaign ?? sourceIdentifier, let item, let nonce, let timestamp
    else { return nil }
    let isWebAd = if case .site? = source { true } else { reader.spelling == .underscores }
    self.init(
      version: reader.version, adNetworkIdentifier: network, campaign: campaign, itemIdentifier: item,
      nonce: isWebAd ? nonce : nonce.lowercased(), source: source,
      fidelity: fidelity, timestamp: timestamp)
    addRejections(to: &reader)
  }

  private static func source(_ reader: inout VersionedReader) -> AdSource? {
    guard reader.version >= .v4, reader.has(.sourceDomain) else {
      return reader.required(.sourceItemIdentifier, .sourceItemIdentifier).map { .app($0) }
    }
    if reader.has(.sourceItemIdentifier) {
      let (site, app) = (reader.name(.sourceDomain), reader.name(.sourceItemIdentifier))
      reader.add(.sourceDomain, "A web ad has \(site); an ad in an app has \(app). Remove one of them.")
    }
    return reader.required(.sourceDomain, .identifier).map { .site($0) }
  }

  /// The response for a web ad and the parameters of StoreKit omit the fidelity type 1, although it is signed.
  private static func fidelity(_ reader: inout VersionedReader) -> Fidelity? {
    guard let implied = reader.spelling.impliedFidelity, reader.version >= .v22, !reader.has(.fidelityType) else {
      return reader.required(.fidelityType, .fidelity)
    }
    return implied
  }

  private func addRejections(to reader: inout VersionedReader) {
    if AdNetworkIdentifier.flaw(in: adNetworkIdentifier) == .upperCase {
      reader.add(.adNetworkIdentifier, "The identifier of an ad network is written in lower case.")
    }
    if nonce != nonce.lowercased() { reader.add(.nonce, "A nonce is signed in lower case.") }
    if itemIdentifier == 0 {
      reader.add(.itemIdentifier, "\(reader.name(.itemIdentifier)) is 0; it must be the identifier of an app in the App Store.")
    }
    if !SignedTime.range.contains(timestamp) {
      let isCut = timestamp == Int64(Int32.max) || timestamp == Int64(UInt32.max)
      reader.add(
        .timestamp,
        isCut
          ? "\(timestamp) is the largest 32-bit integer: the timestamp went through 32 bits."
          : SignedTime.converted(timestamp).map {
            "\(timestamp) is a time in \($0.unit); write and sign milliseconds since 1970."
          }
            ?? "timestamp is the number \(timestamp); it must be \(MemberForm<Int64>.timestamp.expected).")
    }
    if case .site? = source, fidelity == .viewThrough {
      reader.add(.fidelityType, Self.fidelityOfWebAd)
    }
    if reader.spelling.impliedFidelity == .viewThrough, version < .v22 {
      reader.add(.version, "An SKAdImpression is a view-through ad, which has version 2.2 or later.")
    }
    if reader.spelling.kind == .productParameters, fidelity == .viewThrough {
      reader.add(.fidelityType, "An ad of loadProduct has the fidelity type 1.")
    }
  }

  /// The fault of a view-through web ad, also in its postback.
  static let fidelityOfWebAd = "A web ad has the fidelity type 1."
}
