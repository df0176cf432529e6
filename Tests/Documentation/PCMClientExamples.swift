import Foundation
import PCMClient
import Testing

/// The values that the examples of the client use. Each example is a test.
///
/// `Tests/Documentation/examples.py` adds the examples.
// examples: @Test
@Suite struct Examples {
  let service = PCMService.fromEnvironment
  /// A browser that delivered both reports of a click.
  let browser: Browser
  let app: App
  let ad = EventAttribution(sourceIdentifier: 4, destinationURL: "https://shop.example/")
  /// A device with a registered ad network.
  let device: Device
  /// The app that displays ads.
  let news: App
  /// The advertised app.
  let game: App
  /// An ad of SKAdNetwork that the test ad network signed for both apps.
  let skAd = SKAdNetworkAd(
    version: "4.0", adNetworkIdentifier: "example123.skadnetwork", sourceIdentifier: 4_239,
    advertisedAppStoreItemIdentifier: 525_463_029, adImpressionIdentifier: "6aafb7a5-0170-41b5-bbe4-fe71dedf1e28",
    sourceAppStoreItemIdentifier: 1_108_187_390, timestamp: 1_795_168_800_000,
    signature: "MEQCIF4LwVhol5a7onR2nKAXijjU3NFbAyqGus7PKB40OPnKAiBs+RenOgwR3TUpP5Jnbg1ThSWg4sq3JHJKmNdwfPU6bQ==")
  /// A content card with an ad for a website.
  let adCard: JSONValue = [
    "idString": "spring", "created": 1_795_168_800, "dismissible": true, "urlString": "https://shop.example/",
    "extras": ["class_type": "pcm_ad", "attribution_source_id": "4", "attribution_destination": "https://shop.example"],
  ]

  init() async throws {
    let name = UUID().uuidString
    browser = try await PCM.browser("web-\(name)", network: .simulated)
    app = try await browser.register(app: "com.example.news", reportEndpoint: "https://news.example")
    try await browser.open(ad, from: app)
    try await browser.trigger(.pixel(of: "news.example", data: 12, on: "https://shop.example/thanks"))
    try await browser.advance(by: .hours(48))

    device = try await PCM.browser("device-\(name)", network: .simulated).device
    let key = try #require(try await device.keys().first { $0.id == .adNetwork })
    try await device.register(
      adNetwork: "example123.skadnetwork", publicKey: key.publicKeyPEM, postbackURL: "https://network.example/postbacks")
    news = try await device.register(
      app: "com.example.news",
      infoPlist: [
        "SKAdNetworkItems": [["SKAdNetworkIdentifier": "example123.skadnetwork"]],
        "NSAdvertisingAttributionReportEndpoint": "https://news.example",
        "NSUserTrackingUsageDescription": "To measure ads.",
      ],
      itemIdentifier: 1_108_187_390)
    game = try await device.register(app: "com.example.game", infoPlist: [:], itemIdentifier: 525_463_029)
  }
}
