import PCMCore
import PCMDevice
import PCMSignatures
import Testing

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

  @Test("The numbers of SKANError are those of Apple's header")
  func skanErrors() {
    #expect(SKANErrorCode.allCases.map(\.rawValue) == Array(0...11))
    #expect(AppleError.skan(.adNetworkIdMissing).text == "SKANError.adNetworkIdMissing (2)")
    #expect(AppleError.skan(.impressionTooShort).number == 11)
    #expect(AppleError.adAttributionKit(.missingAttributionView).text == "AdAttributionKitError.missingAttributionView")
    #expect(
      AppleError.skan(.unknown).json.text == #"{"domain":"SKANError","name":"unknown","number":10}"#)
  }

  @Test(
    "Window settings apply in the order network, global, default; values out of range do not count",
    arguments: [
      (nil, nil, 30), (5, nil, 5), (5, 3, 3), (0, nil, 30), (31, nil, 30), (1, 30, 30), (7, 31, 7), (7, 0, 7),
    ] as [(Int64?, Int64?, Int64)])
  func clickWindow(global: Int64?, network: Int64?, days: Int64) {
    let configuration = AttributionConfiguration(
      global: .init(clickDays: global), networks: [Sample.network: .init(clickDays: network)])
    #expect(configuration.window(.click, network: Sample.network, on: OSVersion(18, 4)) == .days(days))
    #expect(configuration.window(.click, network: Sample.network, on: OSVersion(18, 3)) == .days(30))
  }

  @Test(
    "A view counts for 1 to 7 days", arguments: [(nil, 1), (1, 1), (7, 7), (8, 1), (0, 1)] as [(Int64?, Int64)])
  func viewWindow(global: Int64?, days: Int64) {
    let configuration = AttributionConfiguration(global: .init(viewDays: global))
    #expect(configuration.window(.view, network: "a", on: OSVersion(18, 4)) == .days(days))
  }
}
