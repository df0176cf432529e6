import PCMCore
import PCMCrypto
import Testing

@testable import PCMDevice

@Suite struct DeviceTests {
  @Test("Developer mode lasts two weeks, from iOS 18 on")
  func developerMode() {
    let end = Sample.now + Device.testingLifetime
    var device = Device(system: OSVersion(18), developerModeSince: Sample.now)
    #expect(!device.isInDeveloperMode(at: Sample.now - Sample.millisecond))
    #expect(device.isInDeveloperMode(at: Sample.now))
    #expect(device.isInDeveloperMode(at: end - Sample.millisecond))
    #expect(!device.isInDeveloperMode(at: end))
    device.system = OSVersion(17, 7)
    #expect(!device.isInDeveloperMode(at: Sample.now))
    device = Device()
    #expect(!device.isInDeveloperMode(at: Sample.now))
  }

  @Test("The testing profile lasts two weeks")
  func testingProfile() {
    let end = Sample.now + Device.testingLifetime
    let device = Device(system: OSVersion(17, 4), testingProfileSince: Sample.now)
    #expect(device.hasTestingProfile(.skadnetwork, at: end - Sample.millisecond))
    #expect(!device.hasTestingProfile(.skadnetwork, at: end))
  }

  @Test(
    "The testing profile works before iOS 18, for AdAttributionKit from iOS 17.4 on",
    arguments: [
      (OSVersion(13, 7), false, false), (OSVersion(14), true, false), (OSVersion(17, 3), true, false),
      (OSVersion(17, 4), true, true), (OSVersion(17, 7), true, true), (OSVersion(18), false, false),
    ])
  func profileSystems(system: OSVersion, skAdNetwork: Bool, adAttributionKit: Bool) {
    let device = Device(system: system, testingProfileSince: Sample.now)
    #expect(device.hasTestingProfile(.skadnetwork, at: Sample.now) == skAdNetwork)
    #expect(device.hasTestingProfile(.adattributionkit, at: Sample.now) == adAttributionKit)
  }

  @Test("The numbers of SKANError equal Apple's header")
  func skanErrors() {
    #expect(SKANErrorCode.allCases.map(\.rawValue) == Array(0...11))
    #expect(AppleError.skan(.impressionTooShort).number == 11)
    #expect(AppleError.adAttributionKit(.missingAttributionView).name == "missingAttributionView")
    #expect(
      AppleError.skan(.unknown).json.text == #"{"domain":"SKANError","name":"unknown","number":10}"#)
  }

  @Test("The windows of a network precede the global ones, from iOS 18.4 on", arguments: InteractionType.allCases)
  func windows(interaction: InteractionType) {
    var (app, windows) = (AppAdAttribution(), AppAdAttribution.Windows())
    let standard = AppAdAttribution.standardWindow(interaction)
    #expect(standard == (interaction == .click ? .days(30) : .hours(24)))
    func window(_ minor: Int64 = 4) -> Interval { app.window(interaction, network: Sample.network, on: OSVersion(18, minor)) }
    #expect(window() == standard)
    (windows.click, windows.view) = (.days(5), .days(3))
    app.globalWindows = windows
    #expect(window() == .days(interaction == .click ? 5 : 3))
    #expect(window(3) == standard)
    (windows.click, windows.view) = (.days(7), .days(6))
    app.networkWindows = [Sample.network: windows]
    #expect(window() == .days(interaction == .click ? 7 : 6))
    #expect(app.window(interaction, network: Sample.otherNetwork, on: OSVersion(18, 4)) == .days(interaction == .click ? 5 : 3))
  }
}
