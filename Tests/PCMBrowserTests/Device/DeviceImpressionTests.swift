import BrowserSupport
import PCMBrowser
import PCMCore
import PCMDevice
import Testing

/// The records of ads.
@Suite struct DeviceImpressionTests {
  @Test("An install without an ad says why each ad had no effect")
  func unattributed() async throws {
    let device = try await DeviceScene()
    let ad = try await device.display(device.ad())
    try await device.scene.advance(.days(31))
    let outcome = try await device.install()
    #expect(outcome.kind == .unattributed && outcome.reasons.map(\.code) == ["no-impression-counts"])
    #expect(try await device.browser.impressions().kept.isEmpty, "the ad expired with the install")
    #expect(outcome.decision.candidates.map(\.rejection?.reason.code) == ["impression-expired"])
    #expect(try await device.report(fine: 1).reasons.map(\.code) == ["nothing-pending"])
    let text = try await device.reasons(about: RecordName.install(outcome.sequence))
    #expect(text.contains("no ad led to it") && text.contains(RecordName.impression(ad.impression)))
  }
}
