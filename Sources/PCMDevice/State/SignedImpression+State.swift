package import PCMCore
internal import PCMCrypto

extension SignedImpression {
  /// The stored form.
  package var state: JSON {
    switch self {
    case .skAdNetwork(let impression): impression.state
    case .adAttributionKit(let impression): impression.state
    }
  }

  package init(state: JSON) throws(UnreadableState) {
    let reader = StateReader(json: state)
    let framework: AdFramework = try reader.word("framework")
    switch framework {
    case .skadnetwork:
      let impression = try SKAdNetworkImpression(reader)
      guard impression.isWellFormed else { throw UnreadableState(member: "signed") }
      self = .skAdNetwork(impression)
    case .adattributionkit:
      let impression = try AdAttributionKitImpression(reader)
      guard impression.isWellFormed else { throw UnreadableState(member: "signed") }
      self = .adAttributionKit(impression)
    }
  }
}

extension SKAdNetworkImpression {
  fileprivate var state: JSON {
    var (number, digits): (JSON, JSON) = (.null, .null)
    switch campaign {
    case .campaign(let campaign): number = .number(campaign)
    case .source(let identifier): digits = .string(identifier)
    }
    var (item, domain): (JSON, JSON) = (.null, .null)
    switch source {
    case .app(let identifier)?: item = .number(identifier)
    case .site(let site)?: domain = .string(site)
    case nil: break
    }
    return .state([
      "framework": .string(AdFramework.skadnetwork.rawValue), "version": .string(version.rawValue),
      "adNetworkIdentifier": .string(adNetworkIdentifier), "adCampaignIdentifier": number, "sourceIdentifier": digits,
      "advertisedAppStoreItemIdentifier": .number(itemIdentifier), "adImpressionIdentifier": .string(nonce),
      "sourceAppStoreItemIdentifier": item,
      "sourceDomain": domain, "fidelityType": .number(fidelity?.rawValue), "timestamp": .number(timestamp),
    ])
  }

  fileprivate init(_ reader: StateReader) throws(UnreadableState) {
    let campaign = try reader.optionalNumber("adCampaignIdentifier").map { CampaignIdentifier.campaign($0) }
    let identifier = try reader.optionalText("sourceIdentifier").map { CampaignIdentifier.source($0) }
    guard let campaign = campaign ?? identifier else { throw UnreadableState(member: "adCampaignIdentifier") }
    let app = try reader.optionalItemIdentifier("sourceAppStoreItemIdentifier").map { AdSource.app($0) }
    let site = try reader.optionalText("sourceDomain").map { AdSource.site($0) }
    self.init(
      version: try reader.word("version"), adNetworkIdentifier: try reader.text("adNetworkIdentifier"), campaign: campaign,
      itemIdentifier: try reader.itemIdentifier("advertisedAppStoreItemIdentifier"),
      nonce: try reader.text("adImpressionIdentifier"),
      source: app ?? site,
      fidelity: try reader.optional("fidelityType") { $0.integer.flatMap(Fidelity.init) },
      timestamp: try reader.integer("timestamp", in: 0...Int64.max))
  }
}

extension AdAttributionKitImpression {
  fileprivate var state: JSON {
    .state([
      "framework": .string(AdFramework.adattributionkit.rawValue), "adNetworkIdentifier": .string(adNetworkIdentifier),
      "sourceIdentifier": .number(sourceIdentifier), "advertisedAppStoreItemIdentifier": .number(advertisedItemIdentifier),
      "impressionIdentifier": .string(impressionIdentifier), "publisherItemIdentifier": .number(publisherItemIdentifier),
      "timestamp": .number(timestamp),
      "eligibleForReengagement": isEligibleForReengagement.map { .bool($0) } ?? .null,
    ])
  }

  fileprivate init(_ reader: StateReader) throws(UnreadableState) {
    self.init(
      impressionIdentifier: try reader.text("impressionIdentifier"),
      publisherItemIdentifier: try reader.itemIdentifier("publisherItemIdentifier"),
      adNetworkIdentifier: try reader.text("adNetworkIdentifier"), sourceIdentifier: try reader.number("sourceIdentifier"),
      advertisedItemIdentifier: try reader.itemIdentifier("advertisedAppStoreItemIdentifier"),
      timestamp: try reader.integer("timestamp", in: 0...Int64.max),
      isEligibleForReengagement: try reader.optionalFlag("eligibleForReengagement"))
  }
}
