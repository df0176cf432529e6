package import PCMCore
package import PCMSignatures

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
  /// The identifiers in `SKAdNetworkItems`, as written.
  package var skAdNetworkItems: [String]
  /// The identifiers in `AdNetworkIdentifiers`, as written.
  package var adNetworkIdentifiers: [String]
  /// The site that receives copies of the postbacks of SKAdNetwork, from `NSAdvertisingAttributionReportEndpoint`.
  package var skAdNetworkCopySite: Site?
  /// The site that receives copies of the postbacks of AdAttributionKit, from `AttributionCopyEndpoint`.
  package var adAttributionKitCopySite: Site?
  package var configuration: AttributionConfiguration

  package init(
    bundleIdentifier: String, itemIdentifier: Int64?, sdk: OSVersion, platform: Platform = .iPhoneOrIPad,
    signing: Signing = .store, skAdNetworkItems: [String] = [], adNetworkIdentifiers: [String] = [],
    skAdNetworkCopySite: Site? = nil, adAttributionKitCopySite: Site? = nil,
    configuration: AttributionConfiguration = AttributionConfiguration()
  ) {
    self.bundleIdentifier = bundleIdentifier
    self.itemIdentifier = itemIdentifier
    self.sdk = sdk
    self.platform = platform
    self.signing = signing
    self.skAdNetworkItems = skAdNetworkItems
    self.adNetworkIdentifiers = adNetworkIdentifiers
    self.skAdNetworkCopySite = skAdNetworkCopySite
    self.adAttributionKitCopySite = adAttributionKitCopySite
    self.configuration = configuration
  }

  /// The ad networks that the app declares for a framework, as written in its Info.plist.
  func declaredNetworks(_ framework: AdFramework) -> [String] {
    framework == .skadnetwork ? skAdNetworkItems : adNetworkIdentifiers
  }

  /// The site that receives copies of the winning postbacks of a framework.
  func copySite(_ framework: AdFramework) -> Site? {
    framework == .skadnetwork ? skAdNetworkCopySite : adAttributionKitCopySite
  }
}

extension AdFramework {
  /// The key in an app's Info.plist that lists ad networks.
  var declarationKey: String { self == .skadnetwork ? "SKAdNetworkItems" : "AdNetworkIdentifiers" }

  /// The key in an app's Info.plist that names the site for copies of postbacks.
  package var copySiteKey: String {
    self == .skadnetwork ? "NSAdvertisingAttributionReportEndpoint" : "AttributionCopyEndpoint"
  }
}
