import PCMCore
import PCMCrypto
import Testing

@testable import PCMDevice

@Suite struct ViewEndTests {
  private func view(_ framework: AdFramework = .skadnetwork) -> AdImpression {
    AdImpression(
      signed: framework == .skadnetwork
        ? .skAdNetwork(Sample.impression(.v4, fidelity: .viewThrough)) : .adAttributionKit(Sample.adAttributionKitImpression()),
      interaction: .view, sourceApp: "com.example.news", sourceSDK: OSVersion(18, 4), isDevelopment: false,
      recordedAt: Sample.now)
  }

  private func end(_ view: AdImpression?, after displayed: Interval, device: Device = Device()) -> ImpressionDecision {
    var evaluation = RuleEvaluation(of: DeviceRuleBook.viewEnd)
    return ViewEnd(ViewKey(view ?? self.view()), of: view, device: device, at: Sample.now + displayed).decide(&evaluation)
  }

  @Test("A view counts after two seconds", arguments: [AdFramework.skadnetwork, .adattributionkit])
  func minimum(framework: AdFramework) throws {
    let impression = try #require(end(view(framework), after: .seconds(2)).recorded)
    #expect(impression.interaction == .view)
    #expect(impression.recordedAt == Sample.now + .seconds(2))
    let short = Interval(milliseconds: 1_999)
    let rejection = end(view(framework), after: short).rejection
    #expect(rejection?.reason.code == "view-too-short")
    #expect(rejection?.appleError == (framework == .skadnetwork ? .skan(.impressionTooShort) : nil))
  }

  @Test("The minimum is a setting for SKAdNetwork only")
  func setting() {
    let device = Device(settings: DeviceSettings(minimumViewTime: .seconds(5)))
    #expect(end(view(), after: .seconds(4), device: device).rejection?.change == "display the ad for 1 s longer")
    #expect(end(view(.adattributionkit), after: .seconds(4), device: device).recorded != nil)
  }

  @Test(
    "Before iOS 15.4, a view of SKAdNetwork counts after three seconds",
    arguments: [("14.8", 3_000), ("15.3", 3_000), ("15.4", 2_000), ("18.6", 2_000)] as [(String, Int64)])
  func minimumOfTheSystem(version: String, minimum: Int64) throws {
    var device = Device()
    device.system = try #require(OSVersion(text: version))
    #expect(end(view(), after: Interval(milliseconds: minimum), device: device).recorded != nil)
    #expect(end(view(), after: Interval(milliseconds: minimum - 1), device: device).rejection?.reason.code == "view-too-short")
    device.settings.minimumViewTime = .seconds(1)
    #expect(end(view(), after: .seconds(1), device: device).recorded != nil)
  }

  @Test("An end without a start is an error of SKAdNetwork")
  func withoutStart() {
    let rejection = end(nil, after: .seconds(3)).rejection
    #expect(rejection?.reason.code == "view-not-started" && rejection?.appleError == .skan(.impressionNotFound))
  }
}
