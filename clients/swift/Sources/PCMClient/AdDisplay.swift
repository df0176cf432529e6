/// An ad of SKAdNetwork with the values that an app passes to StoreKit. They have the names of Apple's `SKAdImpression`.
///
/// ```swift
/// let ad = SKAdNetworkAd(
///   version: "4.0", adNetworkIdentifier: "example123.skadnetwork", sourceIdentifier: 4_239,
///   advertisedAppStoreItemIdentifier: 525_463_029, adImpressionIdentifier: "6aafb7a5-0170-41b5-bbe4-fe71dedf1e28",
///   sourceAppStoreItemIdentifier: 1_108_187_390, timestamp: 1_795_168_800_000, signature: "MEQCIF4LwVho…")
/// let shown = try await device.display(ad, in: news)
/// #expect(shown.outcome == .rejected)  // The signature is incomplete.
/// ```
public struct SKAdNetworkAd: Hashable, Sendable {
  /// The version, such as `4.0`; nil for 1.0.
  public var version: String?
  /// The identifier of the ad network, in lower case.
  public var adNetworkIdentifier: String?
  /// The campaign, 1 to 100, up to version 3.0.
  public var adCampaignIdentifier: Int?
  /// The source identifier, 0 to 9999, in version 4.0.
  public var sourceIdentifier: Int?
  /// The identifier of the advertised app in the App Store.
  public var advertisedAppStoreItemIdentifier: Int?
  /// The UUID of the impression.
  public var adImpressionIdentifier: String?
  /// The identifier of the displaying app in the App Store, or 0 for a test, from version 2.0 on.
  public var sourceAppStoreItemIdentifier: Int?
  /// When the ad was signed, in milliseconds since 1970.
  public var timestamp: Int?
  /// The signature of the ad network, Base64 of DER.
  public var signature: String?

  /// Creates an ad. Each value may be missing, so that a test can see the rejection.
  public init(
    version: String? = nil, adNetworkIdentifier: String? = nil, adCampaignIdentifier: Int? = nil, sourceIdentifier: Int? = nil,
    advertisedAppStoreItemIdentifier: Int? = nil, adImpressionIdentifier: String? = nil,
    sourceAppStoreItemIdentifier: Int? = nil, timestamp: Int? = nil,
    signature: String? = nil
  ) {
    self.version = version
    self.adNetworkIdentifier = adNetworkIdentifier
    self.adCampaignIdentifier = adCampaignIdentifier
    self.sourceIdentifier = sourceIdentifier
    self.advertisedAppStoreItemIdentifier = advertisedAppStoreItemIdentifier
    self.adImpressionIdentifier = adImpressionIdentifier
    self.sourceAppStoreItemIdentifier = sourceAppStoreItemIdentifier
    self.timestamp = timestamp
    self.signature = signature
  }
}

/// How an app displays an ad for another app.
///
/// ```swift
/// let shown = try await device.display(skAd, in: news, as: .storeKitRendered)
/// #expect(shown.outcome == .recorded && shown.interaction == .click)
/// let view = try await device.display(skAd, in: news, as: .viewThrough)
/// #expect(view.outcome == .rejected)  // The signature is for an ad that StoreKit renders.
/// ```
public struct AdPresentation: Term {
  /// The string in the service's JSON.
  public let rawValue: String

  /// Creates a value from any string, known or not.
  public init(rawValue: String) { self.rawValue = rawValue }

  /// StoreKit renders the ad, of either framework.
  public static let storeKitRendered = AdPresentation("storekit-rendered")
  /// The app renders a view-through ad of SKAdNetwork.
  public static let viewThrough = AdPresentation("view-through")
  /// The app renders an ad of AdAttributionKit.
  public static let customRendered = AdPresentation("custom-rendered")
}

/// A framework of Apple that attributes the installs of apps to ads.
///
/// ```swift
/// try await device.display(skAd, in: news)
/// #expect(try await device.impressions().map(\.framework) == [.skadnetwork])
/// ```
public struct AdFramework: Term {
  /// The string in the service's JSON.
  public let rawValue: String

  /// Creates a value from any string, known or not.
  public init(rawValue: String) { self.rawValue = rawValue }

  /// SKAdNetwork.
  public static let skadnetwork = AdFramework("skadnetwork")
  /// AdAttributionKit.
  public static let adattributionkit = AdFramework("adattributionkit")
}
