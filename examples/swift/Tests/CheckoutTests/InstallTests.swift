import PCMClient
import Testing

/// An ad of SKAdNetwork 4.0, signed with the published key of the test ad network.
private let ad = SKAdNetworkAd(
  version: "4.0", adNetworkIdentifier: "example123.skadnetwork", sourceIdentifier: 4_239,
  advertisedAppStoreItemIdentifier: 525_463_029, adImpressionIdentifier: "6aafb7a5-0170-41b5-bbe4-fe71dedf1e28",
  sourceAppStoreItemIdentifier: 1_108_187_390, timestamp: 1_795_168_800_000,
  signature: "MEQCIF4LwVhol5a7onR2nKAXijjU3NFbAyqGus7PKB40OPnKAiBs+RenOgwR3TUpP5Jnbg1ThSWg4sq3JHJKmNdwfPU6bQ==")

@Test func anAdLeadsToAnInstall() async throws {
  let device = try await PCM.browser("install", clock: .manual, network: .simulated).device
  let testKey = try #require(try await device.keys().first { $0.id == .adNetwork })
  try await device.register(
    adNetwork: "example123.skadnetwork", publicKey: testKey.publicKeyPEM, postbackURL: "https://network.example/postbacks")
  let news = try await device.register(
    app: "com.example.news", infoPlist: ["SKAdNetworkItems": [["SKAdNetworkIdentifier": "example123.skadnetwork"]]],
    itemIdentifier: 1_108_187_390)
  let game = try await device.register(app: "com.example.game", infoPlist: [:], itemIdentifier: 525_463_029)

  let shown = try await device.display(ad, in: news)  // an SKAdNetworkAd with your signature
  #expect(shown.outcome == .recorded, "\(shown)")
  try await device.install(game)
  try await device.report(.skadnetwork(42), by: game)
  try await device.browser.advance(by: .hours(120))
  #expect(try await device.postbacks(in: [.delivered]).count == 1)
}

@Test func aScriptDeterminesTheResponses() async throws {
  let browser = try await PCM.browser("scripted", network: .simulated)
  try await browser.script("news.example", SiteScript(report: [.status(503), .good]))
  #expect(try await browser.messages(to: "news.example").isEmpty)
}
