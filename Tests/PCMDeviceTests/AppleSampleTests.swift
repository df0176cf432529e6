import PCMCrypto
import Testing

@testable import PCMCore
@testable import PCMDevice

/// The signed ads of Apple's sample project, for an app that is signed for development.
@Suite struct AppleSampleTests {
  private static let network = "com.apple.test-1"

  private func networks() throws -> AdNetworkRegistry {
    let key = try PublicKey(file: Sample.fixture("keys/apple-sample-ad-network.txt"))
    return AdNetworkRegistry([
      try AdNetwork(identifier: Self.network, key: key, postbackURL: Sample.url("https://ads.example/postback"))
    ])
  }

  private static let app: DeviceApp = {
    var app = Sample.sourceApp
    app.signing = .development
    app.adAttribution.skAdNetworkIdentifiers = [network]
    return app
  }()

  private func display(_ presentation: ImpressionPresentation) throws -> ImpressionDecision {
    let json = try #require(JSON(parsing: Sample.fixture("vectors/impression-4.0-\(presentation.rawValue).json")))
    func number(_ name: String) -> Int64? { if case .number(let number)? = json[name] { number } else { nil } }
    let ad = ImpressionInput(
      version: json["version"]?.string, adNetworkIdentifier: json["ad-network-id"]?.string,
      sourceIdentifier: number("source-identifier"), advertisedAppStoreItemIdentifier: number("itunes-item-id"),
      adImpressionIdentifier: json["nonce"]?.string, sourceAppStoreItemIdentifier: number("source-app-id"),
      timestamp: number("timestamp"),
      signature: json["signature"]?.string)
    var evaluation = RuleEvaluation(of: DeviceRuleBook.skAdNetworkAd)
    let now = Instant(milliseconds: try #require(number("timestamp")))
    return SKAdNetworkDisplay(ad, as: presentation, in: Self.app, networks: try networks(), device: Device(), at: now)
      .decide(&evaluation)
  }

  @Test("The ad that StoreKit renders is recorded as a test ad")
  func storeKitRendered() throws {
    let impression = try #require(display(.storeKitRendered).recorded)
    #expect(impression.isDevelopment && impression.advertisedAppStoreItemIdentifier == Sample.item)
  }

  @Test("The view-through ad begins a view")
  func viewThrough() throws {
    #expect(try display(.viewThrough).view?.isDevelopment == true)
  }

  @Test("The response for a web ad is recorded")
  func web() throws {
    let donation = AppStoreDonation(
      itemID: UInt64(Sample.item), adNetwork: Site("ads.example"), impressionID: "t8naKxXHTzuTJhNfljADPQ",
      source: Site("example.com"))
    let request = SignedPayloadRequest(
      donation: donation, sourceDomain: "example.com", isDevelopment: false,
      clickedAt: Instant(milliseconds: 1_676_057_605_705))
    var evaluation = RuleEvaluation(of: DeviceRuleBook.signedPayload)
    let decision = SignedPayloadResponse(
      to: request, status: 200, contentType: "application/json", body: try Sample.fixture("vectors/impression-4.0-web.json"),
      networks: try networks(), device: Device()
    ).decide(&evaluation)
    #expect(decision.recorded?.source == .site("example.com"))
    #expect(decision.notes == [])
  }
}
