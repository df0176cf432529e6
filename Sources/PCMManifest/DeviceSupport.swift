/// Whether the app runs on devices that support measurement.
///
/// Apple supports app-to-web measurement on iPhone and iPad, from iOS 14.5, and not in Mac Catalyst apps (reference,
/// section 2.4). A manifest does not contain "Catalyst", so an app is one when either is true:
///
/// 1. `UIDeviceFamily` exists and contains neither 1 (iPhone) nor 2 (iPad). Apps that are optimized for the Mac contain
///    only 6.
/// 2. It is a build for the Mac, and `LSRequiresIPhoneOS` is not true. Each of these indicates such a build:
///    `LSMinimumSystemVersion`, which no iOS build has; `CFBundleSupportedPlatforms` with `MacOSX`; `DTPlatformName` with
///    `macosx`. `MinimumOSVersion` does not, because iOS builds have it.
///
/// Missing keys are not evidence: a manifest with only a bundle identifier and an endpoint is an iOS app.
struct DeviceSupport {
  let isMacCatalyst: Bool
  private let minimumOSVersion: String?

  init(_ info: InfoDictionary) {
    let families = info.deviceFamilies?.elements.compactMap(\.number)
    let isForOtherDevices = families.map { !$0.isEmpty && !$0.contains(1) && !$0.contains(2) } ?? false
    let isMacBuild =
      info.minimumSystemVersion != nil || info.platformName?.string == "macosx"
      || info.supportedPlatforms?.elements.contains(.string("MacOSX")) == true
    isMacCatalyst = isForOtherDevices || (isMacBuild && info.requiresIPhoneOS != .boolean(true))
    minimumOSVersion = info.minimumOSVersion?.string
  }

  var findings: [ManifestFinding] {
    guard !isMacCatalyst else {
      return [
        ManifestFinding(
          .macCatalyst,
          "UIDeviceFamily contains neither iPhone (1) nor iPad (2), or this is a build for the Mac without LSRequiresIPhoneOS: "
            + "Mac Catalyst apps are unsupported, and clicks from this app are discarded. Pass the Info.plist of the iOS build."
        )
      ]
    }
    guard let minimumOSVersion, Self.isTooLow(minimumOSVersion) else { return [] }
    return [
      ManifestFinding(
        .minimumOSVersionTooLow,
        "MinimumOSVersion is \(minimumOSVersion): app-to-web measurement requires iOS 14.5, so clicks on older "
          + "systems are not measured. Require 14.5, or expect fewer reports.")
    ]
  }

  /// Whether the version is earlier than 14.5. Invalid versions are ignored.
  private static func isTooLow(_ version: String) -> Bool {
    let numbers = version.split(separator: ".", omittingEmptySubsequences: false).map { Int($0) }
    guard let first = numbers.first, let major = first else { return false }
    let minor = numbers.count > 1 ? numbers[1] ?? 0 : 0
    return (major, minor) < (14, 5)
  }
}
