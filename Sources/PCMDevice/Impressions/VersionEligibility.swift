package import PCMCore
package import PCMCrypto

/// The versions of SKAdNetwork that a device and a source app support (SKAdNetwork reference, section 3).
package enum VersionEligibility {
  /// Returns the first system that supports a version. It is also the first SDK with which an app can use the version.
  package static func first(_ version: SKAdNetworkVersion) -> OSVersion {
    switch version {
    case .v1: OSVersion(11, 3)
    case .v2, .v21: OSVersion(14)
    case .v22: OSVersion(14, 5)
    case .v3: OSVersion(14, 6)
    case .v4: OSVersion(16, 1)
    }
  }

  /// The last SDK with which an app can use version 1.0 on every system.
  package static let lastSDKOfVersion1 = OSVersion(13, 7)
  /// The last system, by its major version, on which an app with any SDK can use version 1.0.
  package static let lastSystemOfVersion1: Int64 = 14

  /// Returns the reason an ad of a version does not count; nil if it counts.
  ///
  /// - Parameter sdk: The SDK of the source app; nil for a website, whose browser is as new as the system.
  package static func violation(
    _ version: SKAdNetworkVersion, sdk: OSVersion?, system: OSVersion, _ error: AppleError? = nil
  ) -> Violation? {
    let (first, name) = (first(version), version.rawValue)
    func rejection(_ detail: String, change: String) -> Violation {
      Violation("version-not-supported", detail, change: change, error)
    }
    if system < first {
      return rejection(
        "version \(name) needs iOS \(first.text), and the device runs iOS \(system.text)",
        change: "update the device to iOS \(first.text), or sign the ad for a version that iOS \(system.text) has")
    }
    guard let sdk else { return nil }
    if sdk < first {
      return rejection(
        "version \(name) needs the iOS \(first.text) SDK, and the source app was built with the iOS \(sdk.text) SDK",
        change: "build the source app with the iOS \(first.text) SDK or a later one")
    }
    guard version == .v1, sdk > lastSDKOfVersion1, system.major > lastSystemOfVersion1 else { return nil }
    return rejection(
      "version 1.0 needs the iOS \(lastSDKOfVersion1.text) SDK or earlier, or iOS \(lastSystemOfVersion1) or earlier; the source "
        + "app was built with the iOS \(sdk.text) SDK, and the device runs iOS \(system.text)",
      change: "sign the ad for version 2.0 or later, and pass version")
  }
}
