import PCMCore
import PCMCrypto
import Testing

@testable import PCMDevice

@Suite struct VersionEligibilityTests {
  @Test(
    "Each version needs its first system and its first SDK",
    arguments: [
      (.v2, OSVersion(14)), (.v21, OSVersion(14)), (.v22, OSVersion(14, 5)), (.v3, OSVersion(14, 6)), (.v4, OSVersion(16, 1)),
    ] as [(SKAdNetworkVersion, OSVersion)])
  func firstVersions(version: SKAdNetworkVersion, first: OSVersion) {
    let before = first.minor > 0 ? OSVersion(first.major, first.minor - 1) : OSVersion(first.major - 1, 7)
    func violation(_ sdk: OSVersion?, _ system: OSVersion) -> String? {
      VersionEligibility.violation(version, sdk: sdk, system: system)?.change
    }
    #expect(violation(first, first) == nil)
    #expect(violation(OSVersion(26), OSVersion(26)) == nil)
    #expect(violation(before, first) == "build the source app with the iOS \(first.text) SDK or a later one")
    #expect(violation(first, before)?.hasPrefix("update the device to iOS \(first.text)") == true)
    #expect(violation(nil, first) == nil, "a website has no SDK")
    #expect(violation(nil, before)?.hasPrefix("update the device to iOS \(first.text)") == true)
  }

  @Test(
    "Version 1.0 needs either an SDK before iOS 14 or a system before iOS 15",
    arguments: [
      (OSVersion(13, 7), OSVersion(18), true), (OSVersion(14), OSVersion(14, 8), true), (OSVersion(14), OSVersion(15), false),
      (OSVersion(13, 7), OSVersion(14), true), (OSVersion(11, 3), OSVersion(11, 3), true),
      (OSVersion(11, 2), OSVersion(11, 3), false), (OSVersion(11, 3), OSVersion(11, 2), false),
    ])
  func version1(sdk: OSVersion, system: OSVersion, isEligible: Bool) {
    #expect((VersionEligibility.violation(.v1, sdk: sdk, system: system) == nil) == isEligible)
  }
}
