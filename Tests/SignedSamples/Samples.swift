import PCMCore
import PCMCrypto

/// Postbacks and ad impressions with each optional value present and absent.
enum Samples {
  private static let uuid = "6aafb7a5-0170-41b5-bbe4-fe71dedf1e28"

  static func postbacks(_ version: SKAdNetworkVersion) -> [SKAdNetworkPostback] {
    var postback = SKAdNetworkPostback(
      version: version, adNetworkIdentifier: "example123.skadnetwork",
      campaign: version == .v4 ? .source("0239") : .campaign(100), itemIdentifier: 525_463_029,
      transactionIdentifier: uuid, isRedownload: true, fidelity: version >= .v22 ? .storeKitRendered : nil,
      didWin: version >= .v3 ? true : nil, sequenceIndex: version == .v4 ? 0 : nil, countryCode: "DE")
    let sources: [AdSource] = version == .v4 ? [.app(0), .app(1_234_567_891), .site("shop.example")] : [.app(0), .app(5)]
    var all = [postback]
    guard version >= .v2 else { return all }
    for source in sources {
      (postback.source, postback.conversionValue) = (source, .fine(63))
      all.append(postback)
    }
    if version >= .v22 {
      (postback.source, postback.fidelity) = (sources[0], .viewThrough)
      all.append(postback)
    }
    (postback.source, postback.conversionValue) = (nil, nil)
    if version >= .v3 {
      postback.didWin = false
      all.append(postback)
    }
    if version == .v4 {
      (postback.didWin, postback.sequenceIndex, postback.campaign) = (true, 2, .source("39"))
      postback.conversionValue = .coarse(.high)
      all.append(postback)
    }
    return all
  }

  static func impressions(_ version: SKAdNetworkVersion) -> [SKAdNetworkImpression] {
    let impression = SKAdNetworkImpression(
      version: version, adNetworkIdentifier: "example123.skadnetwork",
      campaign: version == .v4 ? .source("5239") : .campaign(1), itemIdentifier: 525_463_029, nonce: uuid,
      source: version >= .v2 ? .app(0) : nil, fidelity: version >= .v22 ? .viewThrough : nil,
      timestamp: 1_676_057_605_705)
    guard version == .v4 else { return [impression] }
    var web = impression
    (web.source, web.fidelity) = (.site("news.example"), .storeKitRendered)
    return [impression, web]
  }

  static let adAttributionKitPostbacks: [AdAttributionKitPostback] = {
    let first = AdAttributionKitPostback(
      postbackIdentifier: uuid, sequenceIndex: 0, adNetworkIdentifier: "example123.adattributionkit",
      sourceIdentifier: "1234", advertisedItemIdentifier: 10_738_027_756, conversionType: .download, didWin: true,
      publisherItemIdentifier: 0, marketplaceIdentifier: "com.apple.AppStore", conversionValue: .fine(0),
      interactionType: .view, countryCode: "US")
    var last = first
    (last.sequenceIndex, last.conversionValue, last.sourceIdentifier) = (2, .coarse(.medium), "34")
    (last.publisherItemIdentifier, last.marketplaceIdentifier, last.countryCode) = (nil, nil, nil)
    (last.conversionType, last.interactionType) = (.reengagement, .click)
    return [first, last]
  }()

  static let adAttributionKitImpression = AdAttributionKitImpression(
    impressionIdentifier: uuid, publisherItemIdentifier: 0, adNetworkIdentifier: "example123.adattributionkit",
    sourceIdentifier: 5239, advertisedItemIdentifier: 1_108_187_390, timestamp: 1_719_599_957_239)
}
