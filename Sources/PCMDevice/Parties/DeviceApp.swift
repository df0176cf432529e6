package import PCMCore

/// An app on the device as the rules see it: a source app that displays ads, an advertised app, or both.
package struct DeviceApp: Hashable, Sendable {
  package enum Platform: String, Hashable, Sendable, CaseIterable {
    case iPhoneOrIPad = "ios"
    case macCatalyst = "mac-catalyst"
    case appClip = "app-clip"
  }

  package enum Signing: String, Hashable, Sendable, CaseIterable {
    /// Signed by the App Store or by another marketplace.
    case store
    case development
  }

  package let bundleIdentifier: String
  /// The identifier in the App Store; nil if the app has none.
  package var itemIdentifier: Int64?
  /// The SDK with which the app was built.
  package var sdk: OSVersion
  package var platform: Platform
  package var signing: Signing
  /// What the app's Info.plist says about ads.
  package var adAttribution: AppAdAttribution

  package init(
    bundleIdentifier: String, itemIdentifier: Int64?, sdk: OSVersion, platform: Platform = .iPhoneOrIPad,
    signing: Signing = .store, adAttribution: AppAdAttribution = AppAdAttribution()
  ) {
    self.bundleIdentifier = bundleIdentifier
    self.itemIdentifier = itemIdentifier
    self.sdk = sdk
    self.platform = platform
    self.signing = signing
    self.adAttribution = adAttribution
  }

  /// The site that receives copies of the winning postbacks of a framework.
  func copySite(_ framework: AdFramework) -> Site? {
    framework == .skadnetwork ? adAttribution.skAdNetworkCopySite : adAttribution.adAttributionKitCopySite
  }
}
