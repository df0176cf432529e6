import PCMCore
import PCMDevice
import PCMSignatures
import Testing

@Suite struct ViewEndTests {
  private static let key = OpenView.Key(
    framework: .skadnetwork, bundleIdentifier: "com.example.news", advertisedAppStoreItemIdentifier: Sample.item)

  private func view(_ framework: AdFramework = .skadnetwork) -> OpenView {
    OpenView(
      bundleIdentifier: "com.example.news",
      signed: framework == .skadnetwork
        ? .skAdNetwork(Sample.impression(.v4, fidelity: .viewThrough)) : .adAttributionKit(Sample.adAttributionKitImpression()),
      sourceSDK: OSVersion(18, 4), isDevelopment: false, startedAt: Sample.now)
  }

  private func end(_ view: OpenView?, after displayed: Interval, device: Device = Device()) -> ImpressionDecision {
    var evaluation = RuleEvaluation(of: DeviceRuleBook.viewEnd)
    return ViewEnd(view?.key ?? Self.key, of: view, device: device, at: Sample.now + displayed).decide(&evaluation)
  }

  @Test("A view counts after two seconds", arguments: [AdFramework.skadnetwork, .adattributionkit])
  func minimum(framework: AdFramework) throws {
    let impression = try #require(end(view(framework), after: .seconds(2)).recorded)
    #expect(impression.interaction == .view)
    #expect(impression.recordedAt == Sample.now + .seconds(2))
    let short = Interval(milliseconds: 1_999)
    #expect(
      end(view(framework), after: short) == .reject(.view(.tooShort(short, minimum: .seconds(2), framework))))
  }

  @Test("The minimum is a setting for SKAdNetwork only")
  func setting() {
    let device = Device(settings: DeviceSettings(minimumViewTime: .seconds(5)))
    #expect(
      end(view(), after: .seconds(4), device: device)
        == .reject(.view(.tooShort(.seconds(4), minimum: .seconds(5), .skadnetwork))))
    #expect(end(view(.adattributionkit), after: .seconds(4), device: device).recorded != nil)
  }

  @Test("An end without a start is an error of SKAdNetwork")
  func withoutStart() {
    let decision = end(nil, after: .seconds(3))
    #expect(decision == .reject(.view(.notStarted(Self.key))))
    #expect(ViewRejection.notStarted(Self.key).appleError == .skan(.impressionNotFound))
    #expect(ViewRejection.tooShort(.seconds(1), minimum: .seconds(2), .skadnetwork).appleError == .skan(.impressionTooShort))
    #expect(ViewRejection.tooShort(.seconds(1), minimum: .seconds(2), .adattributionkit).appleError == nil)
  }
}
