package import PCMCore

/// An app on the device: a source app that displays ads, an advertised app, or both.
package struct DeviceApp: Hashable, Sendable {
  package let bundleIdentifier: String
  /// The identifier in the App Store; nil if the app has none.
  package var itemIdentifier: Int64?
  /// The SDK with which the app was built.
  package var sdk: OSVersion
  package var platform: AppBuild.Platform
  package var signing: AppBuild.Signing
  /// The ad settings in the app's Info.plist.
  package var adAttribution: AppAdAttribution

  package init(
    bundleIdentifier: String, itemIdentifier: Int64?, sdk: OSVersion, platform: AppBuild.Platform = .iPhoneOrIPad,
    signing: AppBuild.Signing = .store, adAttribution: AppAdAttribution = AppAdAttribution()
  ) {
    self.bundleIdentifier = bundleIdentifier
    self.itemIdentifier = itemIdentifier
    self.sdk = sdk
    self.platform = platform
    self.signing = signing
    self.adAttribution = adAttribution
  }

  /// Returns the site that receives copies of a framework's winning postbacks.
  func copySite(_ framework: AdFramework) -> Site? {
    framework == .skadnetwork ? adAttribution.skAdNetworkCopySite : adAttribution.adAttributionKitCopySite
  }
}
