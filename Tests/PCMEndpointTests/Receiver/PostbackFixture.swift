import Foundation
import PCMCore
import PCMCrypto
import PCMEndpoint

/// Postbacks that the published test keys sign, and requests with them.
enum PostbackFixture {
  static let identifier = "6aafb7a5-0170-41b5-bbe4-fe71dedf1e28"

  static func skAdNetwork(
    _ version: SKAdNetworkVersion = .v4, source: AdSource? = .app(1_234_567_891), index: Int64 = 0,
    value: ConversionValue? = nil, country: String? = nil
  ) throws -> String {
    let postback = SKAdNetworkPostback(
      version: version, adNetworkIdentifier: "example123.skadnetwork",
      campaign: version == .v4 ? .source(index == 0 ? "5239" : "39") : .campaign(42), itemIdentifier: 525_463_029,
      transactionIdentifier: identifier, isRedownload: true, source: version >= .v2 && index == 0 ? source : nil,
      fidelity: version >= .v22 ? .storeKitRendered : nil, didWin: version >= .v3 ? true : nil,
      sequenceIndex: version == .v4 ? index : nil, conversionValue: value, countryCode: country)
    return String(decoding: try postback.body(signedBy: TestKeys().skadnetwork(version)), as: UTF8.self)
  }

  /// - Parameter signer: Nil for the test key in place of Apple's production key.
  static func adAttributionKit(_ signer: JWSSigner? = nil, publisher: Int64? = 5_838_492, index: Int64 = 0) throws -> String {
    let postback = AdAttributionKitPostback(
      postbackIdentifier: identifier, sequenceIndex: index, adNetworkIdentifier: "example123.adattributionkit",
      sourceIdentifier: index == 0 ? "5239" : "39", advertisedItemIdentifier: 1_108_187_390, conversionType: .download,
      didWin: true, publisherItemIdentifier: index == 0 ? publisher : nil, marketplaceIdentifier: "com.apple.AppStore",
      interactionType: .click)
    return String(decoding: try postback.body(signedBy: signer ?? TestKeys().signer(.production)), as: UTF8.self)
  }

  static func take(
    _ body: String, at endpoint: ReportEndpoint, host: String = "news.example", path: String = "/postbacks",
    for framework: AdFramework? = nil
  ) async throws(RequestError) -> Verdict {
    try await endpoint.takePostback(ReceiverFixture.request(.postback, body, host: host, path: path), for: framework)
  }

  static func text(_ file: String) throws -> String {
    try String(contentsOf: ReceiverFixture.folder.appendingPathComponent("device/\(file)"), encoding: .utf8)
  }

  static func key(_ file: String) throws -> NamedKey {
    NamedKey(name: file, use: "a key of the test", key: try PublicKey(file: Array(text("keys/\(file)").utf8)))
  }
}
