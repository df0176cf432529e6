/// The properties of an app's build that a device distinguishes. A manifest contains few of them.
package struct AppBuild: Hashable, Sendable {
  package enum Platform: String, Hashable, Sendable, CaseIterable {
    case iPhoneOrIPad = "ios"
    case macCatalyst = "mac-catalyst"
    case appClip = "app-clip"
    case visionOS = "visionos"

    /// Whether apps on the platform can show ads of ad networks.
    package var showsAds: Bool { self == .iPhoneOrIPad || self == .visionOS }
  }

  package enum Signing: String, Hashable, Sendable, CaseIterable {
    /// Signed by the App Store or by another marketplace.
    case store
    case development
  }

  /// The SDK with which the app was built; nil if it is unknown.
  package let sdk: OSVersion?
  package let signing: Signing
  package let platform: Platform

  package init(sdk: OSVersion? = nil, signing: Signing = .store, platform: Platform = .iPhoneOrIPad) {
    self.sdk = sdk
    self.signing = signing
    self.platform = platform
  }
}
