import PCMCore
import PCMCrypto
import Testing

@testable import PCMDevice

@Suite struct ReengagementTapTests {
  private func decide(
    _ kept: KeptImpression = Sample.kept(1, nil, isEligible: true), of app: DeviceApp = Sample.advertisedApp,
    url: ReengagementURL? = nil, past: PastConversions = PastConversions(), device: Device = Device()
  ) -> ReengagementDecision {
    var evaluation = RuleEvaluation(of: DeviceRuleBook.reengagement)
    let tap = ReengagementTap(
      kept.impression, of: app, url: url, tag: "t1", past: past, country: "US", device: device, at: Sample.now)
    let decision = tap.decide(&evaluation)
    #expect(evaluation.failed?.reason == decision.rejection?.reason)
    return decision
  }

  @Test("A tap on an eligible ad is a conversion")
  func conversion() {
    #expect(decide() == decide(device: Device(system: OSVersion(18))))
    #expect(decide().rejection == nil && decide().openedURL == nil)
  }

  @Test("Views, other frameworks, and ads that are not eligible are no re-engagement")
  func rejections() {
    #expect(decide(Sample.kept(1, nil, .view, isEligible: true)).rejection?.reason.code == "re-engagement-needs-a-click")
    #expect(decide(Sample.kept(1, nil, isEligible: false)).rejection?.reason.code == "not-eligible-for-re-engagement")
    #expect(decide(Sample.kept(1, nil, isEligible: nil)).rejection?.reason.code == "not-eligible-for-re-engagement")
    #expect(decide(Sample.kept(1, .v4)).rejection?.reason.code == "not-eligible-for-re-engagement")
    #expect(decide(device: Device(system: OSVersion(17, 7))).rejection?.reason.code == "system-too-old")
    var app = Sample.advertisedApp
    app.itemIdentifier = 7
    #expect(decide(of: app).rejection?.reason.code == "other-app")
  }

  @Test("An app that is signed for development counts only for test ads in developer mode")
  func developmentSigned() {
    var app = Sample.advertisedApp
    app.signing = .development
    let device = Device(developerModeSince: Sample.now)
    let test = Sample.kept(1, nil, isDevelopment: true, isEligible: true)
    #expect(decide(of: app, device: device).rejection?.reason.code == "app-not-from-store")
    #expect(decide(test, of: app).rejection?.reason.code == "app-not-from-store")
    #expect(decide(test, of: app, device: device).rejection == nil)
  }

  @Test("A cooldown prevents the conversion, and the app opens with the parameter nevertheless")
  func cooldown() {
    var app = Sample.advertisedApp
    app.adAttribution.cooldowns.reengagement = .hours(1)
    let url = ReengagementURL("https://shop.example/a", isUniversalLink: true)
    let during = decide(of: app, url: url, past: PastConversions(reengagementAt: Sample.now - .hours(1) + Sample.millisecond))
    #expect(during.rejection?.change.contains((Sample.now + Sample.millisecond).text) == true)
    #expect(during.openedURL == "https://shop.example/a?AdAttributionKitReengagementOpen=t1")
    #expect(decide(of: app, past: PastConversions(reengagementAt: Sample.now - .hours(1))).rejection == nil)
  }

  @Test(
    "The parameter is added to the query",
    arguments: [
      ("https://shop.example", "https://shop.example?AdAttributionKitReengagementOpen=t1"),
      ("https://shop.example/a?b=c", "https://shop.example/a?b=c&AdAttributionKitReengagementOpen=t1"),
      ("https://shop.example/a#b?c", "https://shop.example/a?AdAttributionKitReengagementOpen=t1#b?c"),
    ])
  func parameter(text: String, opened: String) {
    #expect(decide(url: ReengagementURL(text, isUniversalLink: true)).openedURL == opened)
    #expect(decide(url: ReengagementURL(text, isUniversalLink: true)).note == nil)
    let dropped = decide(url: ReengagementURL(text, isUniversalLink: false))
    #expect(dropped.openedURL == nil)
    #expect(dropped.note?.code == "re-engagement-url-dropped")
  }

  @Test("Before iOS 18.4, the parameter has no value; without re-engagement, there is none")
  func parameterWithoutTag() {
    let url = ReengagementURL("https://shop.example/", isUniversalLink: true)
    #expect(
      decide(url: url, device: Device(system: OSVersion(18, 3))).openedURL
        == "https://shop.example/?AdAttributionKitReengagementOpen")
    #expect(decide(Sample.kept(1, nil), url: url).openedURL == "https://shop.example/")
  }
}
