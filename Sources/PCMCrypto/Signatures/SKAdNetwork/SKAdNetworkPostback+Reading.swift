internal import PCMCore

extension SKAdNetworkPostback {
  /// Reads a postback, and accepts only the types and forms that a device sends.
  ///
  /// Returns nil if a signed value is missing or invalid: the text that the device signed is then unknown.
  package init?(from reader: inout VersionedReader) {
    let version = reader.version
    let network = reader.required(.adNetworkIdentifier, .adNetworkIdentifier)
    let campaign = reader.required(.campaignIdentifier, .campaign).map { CampaignIdentifier.campaign($0) }
    let sourceIdentifier = reader.required(.sourceIdentifier, .sourceDigits).map { CampaignIdentifier.source($0) }
    let item = reader.required(.itemIdentifier, .itemIdentifier)
    let transaction = reader.required(.transactionIdentifier, .uuid)
    let redownload =
      version == .v1 ? reader.optional(.redownload, .flag) : reader.required(.redownload, .flag)
    let source = Self.source(&reader)
    let fidelity = reader.required(.fidelityType, .fidelity)
    let didWin = reader.required(.didWin, .flag)
    let index = reader.required(.sequenceIndex, .sequenceIndex)
    let conversion = Self.conversionValue(&reader)
    let country = reader.optional(.countryCode, .countryCode)
    guard !reader.lacksSignedValue, let network, let campaign = campaign ?? sourceIdentifier, let item, let transaction
    else { return nil }
    self.init(
      version: version, adNetworkIdentifier: network, campaign: campaign, itemIdentifier: item,
      transactionIdentifier: transaction, isRedownload: redownload, source: source, fidelity: fidelity, didWin: didWin,
      sequenceIndex: index, conversionValue: conversion, countryCode: country)
    addContradictions(to: &reader)
  }

  private static func source(_ reader: inout VersionedReader) -> AdSource? {
    let app = reader.optional(.sourceItemIdentifier, .sourceItemIdentifier)
    let domain = reader.optional(.sourceDomain, .identifier)
    if app != nil, domain != nil {
      reader.add(.sourceDomain, "source-domain and source-app-id are mutually exclusive: an ad is on a website or in an app.")
    }
    return app.map { .app($0) } ?? domain.map { .site($0) }
  }

  private static func conversionValue(_ reader: inout VersionedReader) -> ConversionValue? {
    let fine = reader.optional(.conversionValue, .fineConversionValue)
    let coarse = reader.optional(.coarseConversionValue, .coarse)
    if reader.version == .v4, reader.has(.conversionValue), reader.has(.coarseConversionValue) {
      reader.add(.coarseConversionValue, "coarse-conversion-value and conversion-value are mutually exclusive.")
    }
    return fine.map { .fine($0) } ?? coarse.map { .coarse($0) }
  }

  /// Adds faults for values that exclude each other, which no device sends (reference, sections 3 and 5).
  private func addContradictions(to reader: inout VersionedReader) {
    if AdNetworkIdentifier.flaw(in: adNetworkIdentifier) == .upperCase {
      reader.add(.adNetworkIdentifier, "The identifier of an ad network is written in lower case.")
    }
    if case .site? = source, fidelity == .viewThrough {
      reader.add(.fidelityType, SKAdNetworkImpression.fidelityOfWebAd)
    }
    if let sequenceIndex, sequenceIndex > 0 { addFaultsOfLaterPostback(sequenceIndex, to: &reader) }
    guard didWin == false else { return }
    for member in [SignedMember.sourceItemIdentifier, .sourceDomain, .conversionValue, .coarseConversionValue]
    where member.versions.contains(version) && reader.has(member) {
      reader.add(member, "A postback with did-win false has no \(member.rawValue).")
    }
    if let sequenceIndex, sequenceIndex > 0 {
      reader.add(
        .sequenceIndex, "A postback with did-win false has the sequence index 0; this one has \(sequenceIndex).")
    }
  }

  /// The second and third postbacks have a source identifier of two digits, and neither a fine value nor the source
  /// (reference, section 6).
  private func addFaultsOfLaterPostback(_ index: Int64, to reader: inout VersionedReader) {
    if case .fine? = conversionValue {
      reader.add(.conversionValue, LaterPostback.absent(SignedMember.conversionValue.rawValue, index))
    }
    if case .source(let identifier) = campaign, identifier.utf8.count != LaterPostback.digits {
      reader.add(.sourceIdentifier, LaterPostback.twoDigits(identifier, index))
    }
    guard didWin != false else { return }
    for member in [SignedMember.sourceItemIdentifier, .sourceDomain] where reader.has(member) {
      reader.add(member, LaterPostback.absent(member.rawValue, index))
    }
  }
}
