import PCMCore
import PCMNetwork
import PCMSimulatedSites
import Testing

/// The scenario of a device, and its replay.
@Suite struct DeviceHistoryTests {
  private let browser: ReplayedBrowser

  init() async throws {
    var unavailable = SiteBehavior.Response()
    unavailable.status = 503
    browser = try await ReplayedBrowser()
    try await browser.call(
      "PUT", "",
      #"{"clock":{"mode":"manual","start":"2026-11-20T10:00:00Z"},"seed":"s","storage":"ephemeral","device":{"country":"DE"}}"#,
      of: "devices")
    try await browser.call("PUT", "/network", #"{"mode":"simulated"}"#)
    try await browser.put(SiteBehavior(postback: [unavailable, .good]), at: "example123.example")
    try await call(
      "PUT", "/ad-networks/\(TestAdNetwork.identifier)",
      #"{"publicKey":"\#(TestAdNetwork.publicKey)","postbackURL":"https://ads:secret@example123.example/postbacks"}"#)
    try await call(
      "PUT", "/apps/com.example.news",
      """
      {"itemIdentifier":1108187390,"infoPlist":{"SKAdNetworkItems":[{"SKAdNetworkIdentifier":"example123.skadnetwork"}],\
      "AdNetworkIdentifiers":["example123.skadnetwork"]}}
      """)
    try await call(
      "PUT", "/apps/com.example.game",
      #"{"itemIdentifier":525463029,"sdkVersion":"18.0","reportEndpoint":"https://game.example"}"#)
  }

  private func call(_ method: String, _ path: String, _ body: String = "") async throws {
    try await browser.call(method, path, body, of: "devices")
  }

  /// The scenario leads to the same log, and contains no password.
  private func checkReplay() async throws {
    let scenario = try await browser.scenario()
    #expect(!scenario.contains("secret"))
    #expect(try await ReplayedBrowser.log(ofReplaying: scenario) == browser.log(), "\(scenario)")
  }

  private static let ad: JSON = [
    "bundleIdentifier": "com.example.news", "version": "4.0", "adNetworkIdentifier": .string(TestAdNetwork.identifier),
    "sourceIdentifier": 5239, "advertisedAppStoreItemIdentifier": .number(TestAdNetwork.advertisedItem),
    "adImpressionIdentifier": "6aafb7a5-0170-41b5-bbe4-fe71dedf1e28", "sourceAppStoreItemIdentifier": 1_108_187_390,
    "timestamp": 1_795_168_800_000,
  ]

  private func display(_ presentation: String) async throws {
    let ad = JSON.object(Self.ad.members + [.init("presentation", .string(presentation))])
    let signature = try #require(TestAdNetwork.signature(of: ad, signedAs: .null))
    try await call("POST", "/impressions", JSON.object(ad.members + [.init("signature", .string(signature))]).text)
  }

  @Test func anAdAnInstallAndItsPostbacksAreReplayed() async throws {
    try await display("storekit-rendered")
    try await call("POST", "/clock/advance", #"{"by":"PT3H"}"#)
    try await call("POST", "/installs", #"{"bundleIdentifier":"com.example.game","crowdTiers":{"country":2}}"#)
    try await call("POST", "/launches", #"{"bundleIdentifier":"com.example.game"}"#)
    try await call("POST", "/conversion-values", #"{"bundleIdentifier":"com.example.game","fineValue":7,"lockWindow":true}"#)
    try await call("POST", "/conversion-values", #"{"bundleIdentifier":"com.example.game","fineValue":8}"#)
    try await call("POST", "/clock/advance", #"{"by":"P9D"}"#)
    let log = try await browser.log()
    #expect(log.contains("postback-retry-scheduled") && log.contains("postback-delivered"), "\(log)")
    try await checkReplay()
  }

  @Test func viewsTapsAndChangesAreReplayed() async throws {
    try await display("view-through")
    try await call("POST", "/clock/advance", #"{"by":"PT5S"}"#)
    let shown = try #require(try await browser.log().split(separator: "impression-started").last)
    let name = try #require(shown.split(separator: "\"").first { $0.hasPrefix("impression-") })
    try await call("POST", "/impressions/\(name)/end")
    try await call("POST", "/impressions/\(name)/end")
    let jws = try #require(TestAdNetwork.jws(of: Self.ad, signedAs: .null))
    try await call("POST", "/impressions", #"{"bundleIdentifier":"com.example.news","jws":"\#(jws)"}"#)
    let tapped = try #require(try await browser.log().split(separator: "impression-started").last)
    let tap = try #require(tapped.split(separator: "\"").first { $0.hasPrefix("impression-") })
    try await call("POST", "/impressions/\(tap)/tap", #"{"tapVerified":false}"#)
    try await call("POST", "/impressions/\(tap)/tap")
    try await call("PATCH", "", #"{"settings":{"debugMode":true},"device":{"systemVersion":"18.4","developerMode":true}}"#)
    try await call("DELETE", "/ad-networks/\(TestAdNetwork.identifier)")
    try await display("storekit-rendered")
    #expect(try await browser.log().contains("ad-network-not-registered"))
    try await checkReplay()
  }

  @Test func aWebAdIsReplayedWithItsSignedValues() async throws {
    try await browser.call(
      "POST", "/link-clicks",
      """
      {"pageURL":"https://news.example/","attributionSourceID":"3","attributionDestination":"https://example123.example",\
      "attributionSourceNonce":"t8naKxXHTzuTJhNfljADPQ","href":"https://apps.apple.com/app/id525463029"}
      """)
    try await call("POST", "/installs", #"{"bundleIdentifier":"com.example.game"}"#)
    #expect(try await browser.log().contains("conversion-started"))
    try await checkReplay()
  }

  @Test func consentAndTheRequestsOfAnSDKAreReplayed() async throws {
    var unavailable = SiteBehavior.Response()
    unavailable.status = 503
    try await browser.put(SiteBehavior(sdkRequest: [unavailable, .good]), at: "analytics.adjust.com")
    let app = #""bundleIdentifier":"com.example.shop""#
    try await call("PUT", "/apps/com.example.shop", #"{"infoPlist":{"NSUserTrackingUsageDescription":"To measure ads."}}"#)
    try await call("POST", "/sdk-events", #"{\#(app),"event":"open"}"#)
    try await call("POST", "/sdk-events", #"{\#(app),"event":"sale","consentWaitingInterval":"PT1M"}"#)
    try await call("POST", "/clock/advance", #"{"by":"PT30S"}"#)
    try await call("POST", "/tracking-requests", #"{\#(app),"active":false}"#)
    try await call("POST", "/tracking-requests", "{\(app)}")
    try await call("POST", "/clock/advance", #"{"by":"PT1M"}"#)
    try await call("POST", "/tracking-answers", #"{\#(app),"allow":true}"#)
    try await call("POST", "/tracking-settings", #"{"system":"restricted"}"#)
    try await call("POST", "/sdk-events", #"{\#(app),"event":"later"}"#)
    try await call("POST", "/clock/advance", #"{"by":"PT1S"}"#)
    let log = try await browser.log()
    #expect(log.contains("sdk-request-failed") && log.contains("sdk-request-delivered"), "\(log)")
    try await checkReplay()
  }
}
