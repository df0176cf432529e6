/// Where the app runs, and whether measurement works there.
///
/// Apple supports app-to-web measurement on iPhone and iPad, from iOS 14.5, and not in Mac Catalyst apps (reference,
/// section 2.4). A manifest does not say "Catalyst", so the app counts as one when either holds:
///
/// 1. `UIDeviceFamily` is there and contains neither 1 (iPhone) nor 2 (iPad). An app that is optimised for the Mac has
///    only 6 there.
/// 2. It is a build for the Mac, and `LSRequiresIPhoneOS` is not true. Marks of such a build, each sufficient:
///    `LSMinimumSystemVersion`, which no iOS build has; `CFBundleSupportedPlatforms` containing `MacOSX`;
///    `DTPlatformName` being `macosx`. `MinimumOSVersion` alone is no mark, for iOS builds have it.
///
/// What is missing is no evidence: a manifest with only a bundle identifier and an endpoint is an iOS app.
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
          "UIDeviceFamily names neither iPhone (1) nor iPad (2), or this is a build for the Mac without LSRequiresIPhoneOS: "
            + "Mac Catalyst apps are unsupported, and clicks from this app are discarded. Pass the Info.plist of the iOS build."
        )
      ]
    }
    guard let minimumOSVersion, Self.isTooLow(minimumOSVersion) else { return [] }
    return [
      ManifestFinding(
        .minimumOSVersionTooLow,
        "MinimumOSVersion is \(minimumOSVersion): before iOS 14.5 there is no app-to-web measurement, so clicks on older "
          + "systems do not count. Require 14.5, or expect fewer reports.")
    ]
  }

  /// Before 14.5. What does not read as a version is Xcode's business.
  private static func isTooLow(_ version: String) -> Bool {
    let numbers = version.split(separator: ".", omittingEmptySubsequences: false).map { Int($0) }
    guard let first = numbers.first, let major = first else { return false }
    let minor = numbers.count > 1 ? numbers[1] ?? 0 : 0
    return (major, minor) < (14, 5)
  }
}
