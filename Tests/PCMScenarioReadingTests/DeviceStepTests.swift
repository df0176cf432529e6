import PCMCore
import Testing

@testable import PCMScenario

/// The steps of the device.
@Suite struct DeviceStepTests {
  private static let apps =
    "apps: { com.example.news: { itemIdentifier: 7 }, com.example.dev: { itemIdentifier: 8, signing: development } }"

  private func step(_ step: String, at: String = "PT0S") throws -> Scenario.Action? {
    let file = "scenario: a\n\(Self.apps)\nsteps:\n  - at: \(at)\n    \(step)\n"
    return try ScenarioReader().read(Array(file.utf8)).steps[0].action
  }

  private func call(_ step: String, at: String = "PT0S") throws -> ScenarioStage.Call? {
    guard case .call(let call) = try self.step(step, at: at)?.effect else { return nil }
    return call
  }

  private func impression(_ members: String) throws -> JSON {
    try call("impression: { \(members) }", at: "PT1H").flatMap { JSON(parsing: $0.body) } ?? .null
  }

  @Test("A signed ad has the values of its app, its step, and the test network")
  func filledIn() throws {
    let ad = try impression(#"bundleIdentifier: com.example.news, version: "4.0", signedBy: test"#)
    #expect(
      ad.members.map(\.name) == [
        "bundleIdentifier", "version", "adNetworkIdentifier", "advertisedAppStoreItemIdentifier", "adImpressionIdentifier",
        "timestamp",
        "sourceIdentifier", "sourceAppStoreItemIdentifier", "signature",
      ])
    #expect(ad["timestamp"] == .number(1_795_172_400_000))
    #expect(ad["sourceAppStoreItemIdentifier"] == 7)
    #expect(ad["adImpressionIdentifier"] == "00000000-0000-4000-8000-000000000001")
  }

  @Test("An ad in an app that is signed for development has the source app 0")
  func development() throws {
    let ad = try impression(#"bundleIdentifier: com.example.dev, version: "2.2", signedBy: test"#)
    #expect(ad["sourceAppStoreItemIdentifier"] == 0 && ad["adCampaignIdentifier"] == 42 && ad["sourceIdentifier"] == nil)
  }

  @Test("A signed ad of AdAttributionKit has only a JSON Web Signature")
  func adAttributionKit() throws {
    let ad = try impression("bundleIdentifier: com.example.news, framework: adattributionkit, signedBy: test")
    #expect(ad.members.map(\.name) == ["bundleIdentifier", "jws"])
    #expect(ad["jws"]?.string?.split(separator: ".").count == 3)
  }

  @Test("The ad of a card is signed, and its values are texts in the extras")
  func adOfACard() throws {
    let card = #"{ idString: a, extras: { class_type: pcm_ad }, ad: { version: "4.0", signedBy: test } }"#
    let call = try #require(
      try call("cards: { bundleIdentifier: com.example.news, cards: [\(card), { idString: b }] }", at: "PT1H"))
    #expect(call.method == "PUT" && call.path.hasSuffix("/apps/com.example.news/cards"))
    let cards = JSON(parsing: call.body)?["cards"]?.items ?? []
    #expect(cards.count == 2 && cards[1] == ["idString": "b"])
    let extras = cards[0]["extras"]
    #expect(cards[0].members.map(\.name) == ["idString", "extras"] && extras?["class_type"] == "pcm_ad")
    #expect(extras?["sourceAppStoreItemIdentifier"] == "7" && extras?["signature"]?.string?.isEmpty == false)
    #expect(extras?["bundleIdentifier"] == nil)
  }

  @Test("Each card has an ad of another nonce, in the extras of either name, signed or as it is")
  func adsOfCards() throws {
    let ad = #"ad: { version: "4.0", signedBy: test }"#
    let cards = #"[{ id: a, \#(ad) }, { id: b, extra: { k: v }, \#(ad) }, { id: c, ad: { jws: x } }]"#
    let call = try call("cards: { bundleIdentifier: com.example.news, cards: \(cards) }")
    let sent = call.flatMap { JSON(parsing: $0.body) }?["cards"]?.items ?? []
    try #require(sent.count == 3)
    #expect(sent[0]["extras"]?["adImpressionIdentifier"] == "00000000-0000-4000-8000-000000000001")
    #expect(sent[1]["extra"]?["adImpressionIdentifier"] == "00000001-0000-4000-8000-000000000001")
    #expect(sent[1]["extras"] == nil && sent[1]["extra"]?["k"] == "v")
    #expect(sent[2] == ["id": "c", "extras": ["jws": "x"]])
  }

  @Test(
    "An error in the ad of a card is at its place",
    arguments: [
      ("{ signedby: test }", "/signedby"), ("5", ""), ("{ framework: adattributionkit }", "/framework"),
      ("{ signedBy: test, timestamp: null }", ""),
    ])
  func errorsInAdsOfCards(_ ad: String, _ member: String) throws {
    let error = try #require(throws: ScenarioErrors.self) {
      try call("cards: { bundleIdentifier: com.example.news, cards: [{ id: a }, { id: b, ad: \(ad) }] }")
    }
    #expect(error.errors.map(\.pointer) == ["/steps/0/cards/cards/1/ad\(member)"])
  }

  @Test("The signed values differ from the app's values")
  func signedAs() throws {
    let good = try impression(#"bundleIdentifier: com.example.news, version: "4.0", signedBy: test"#)
    for change in ["adImpressionIdentifier: X", "fidelityType: 0", #"separator: "|""#, "key: other", "forged: true"] {
      let changed = try impression(
        #"bundleIdentifier: com.example.news, version: "4.0", signedBy: test, signedAs: { \#(change) }"#)
      #expect(changed["signature"] != good["signature"], "\(change)")
      #expect(changed.members.dropLast() == good.members.dropLast(), "\(change)")
    }
  }

  @Test("An ad that the scenario does not sign is passed as it is")
  func literal() throws {
    #expect(
      try impression("bundleIdentifier: x, adImpressionIdentifier: y").text
        == #"{"bundleIdentifier":"x","adImpressionIdentifier":"y"}"#)
  }

  @Test(
    "Members of a signed ad need a signature, and a signature needs the values",
    arguments: ["bundleIdentifier: x, framework: adattributionkit", "bundleIdentifier: x, signedBy: test, timestamp: null"])
  func errors(_ members: String) {
    #expect(throws: ScenarioErrors.self) { try impression(members) }
  }

  @Test(
    "A step refers to an ad by a step's name, by its identifier, or to the latest",
    arguments: [
      ("{}", Scenario.DisplayedAd.latest), ("{ step: one }", .step("one")),
      ("{ impressionId: impression-3 }", .identifier("impression-3")),
    ])
  func displayedAds(_ value: String, _ expected: Scenario.DisplayedAd) throws {
    for name in ["end", "tap"] {
      guard case .about(let ad, let call) = try step("impression-\(name): \(value)")?.effect else {
        Issue.record("no call about an ad")
        return
      }
      #expect(ad == expected && call("impression-3").path.hasSuffix("/impressions/impression-3/\(name)"))
      #expect(call("impression-3").body == (name == "end" ? [] : Array("{}".utf8)))
    }
  }

  @Test("An ad network has the test key and a URL by default")
  func adNetwork() throws {
    let call = try #require(try call("ad-network: {}"))
    #expect(call.method == "PUT" && call.path.hasSuffix("/ad-networks/example123.skadnetwork"))
    #expect(JSON(parsing: call.body)?["postbackURL"] == "https://example123.example/postbacks")
  }
}
