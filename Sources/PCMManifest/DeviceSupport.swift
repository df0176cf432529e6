import PCMCore

/// Whether the app runs on devices that support measurement.
///
/// Apple supports app-to-web measurement on iPhone and iPad, from iOS 14.5, and not in Mac Catalyst apps (reference,
/// section 2.4). A manifest does not contain "Catalyst", so an app is one when either is true:
///
/// 1. `UIDeviceFamily` exists and contains none of 1 (iPhone), 2 (iPad), and 7 (Apple Vision). Apps that are optimized for the
///    Mac contain only 6.
/// 2. It is a build for the Mac, and `LSRequiresIPhoneOS` is not true. Each of these indicates such a build:
///    `LSMinimumSystemVersion`, which no iOS build has; `CFBundleSupportedPlatforms` with `MacOSX`; `DTPlatformName` with
///    `macosx`. `MinimumOSVersion` does not, because iOS builds have it.
///
/// Apple also documents the interface for visionOS. Safari's behavior there is not established, so such an app has a note.
///
/// Missing keys are not evidence: a manifest with only a bundle identifier and an endpoint is an iOS app.
struct DeviceSupport {
  private let isMacCatalyst: Bool
  private let isForVisionOnly: Bool
  private let families: [Int]
  private let minimumOSVersion: String?

  init(_ info: InfoDictionary) {
    let families = info[.deviceFamilies]?.elements.compactMap(\.number) ?? []
    let isForPhone = families.contains(1) || families.contains(2)
    let platforms = info[.supportedPlatforms]?.elements ?? []
    let isVisionBuild = info[.platformName]?.string == "xros" || platforms.contains(.string("XROS"))
    let isMacBuild =
      info[.minimumSystemVersion] != nil || info[.platformName]?.string == "macosx" || platforms.contains(.string("MacOSX"))
    let isForOtherDevices = !families.isEmpty && !isForPhone && !families.contains(7)
    isMacCatalyst = isForOtherDevices || (isMacBuild && info[.requiresIPhoneOS] != .boolean(true))
    isForVisionOnly = !isMacCatalyst && !isForPhone && (families.contains(7) || isVisionBuild)
    self.families = families
    minimumOSVersion = info[.minimumOSVersion]?.string
  }

  var platform: AppBuild.Platform { isMacCatalyst ? .macCatalyst : isForVisionOnly ? .visionOS : .iPhoneOrIPad }

  var findings: [ManifestFinding] {
    guard !isMacCatalyst else { return [ManifestFinding(.macCatalyst, macCatalystDetail)] }
    guard !isForVisionOnly else {
      return [
        ManifestFinding(
          .visionOS,
          "This is an app for visionOS. Apple documents the interface for clicks from visionOS 1.0, but whether Safari measures "
            + "there is not established. Clicks are accepted, as on an iPhone.")
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

  private var macCatalystDetail: String {
    let remedy = "Pass the Info.plist of the iOS build."
    if families.contains(3) || families.contains(4) {
      return
        "UIDeviceFamily contains neither iPhone (1) nor iPad (2), but \(families.contains(3) ? "Apple TV (3)" : "Apple Watch (4)"): "
        + "such apps are unsupported, and clicks from this app are discarded. \(remedy)"
    }
    return
      "UIDeviceFamily contains neither iPhone (1) nor iPad (2), or this is a build for the Mac without LSRequiresIPhoneOS: "
      + "Mac Catalyst apps are unsupported, and clicks from this app are discarded. \(remedy)"
  }

  /// Whether the version is earlier than 14.5. Invalid versions are ignored.
  private static func isTooLow(_ version: String) -> Bool {
    let numbers = version.split(separator: ".", omittingEmptySubsequences: false).map { Int($0) }
    guard let first = numbers.first, let major = first else { return false }
    let minor = numbers.count > 1 ? numbers[1] ?? 0 : 0
    return (major, minor) < (14, 5)
  }
}
