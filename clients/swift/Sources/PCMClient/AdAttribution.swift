/// The values in an app's `Info.plist` for SKAdNetwork and AdAttributionKit.
///
/// ```swift
/// #expect(news.adAttribution.skAdNetworkIdentifiers == ["example123.skadnetwork"])
/// #expect(news.adAttribution.attributionWindows.global.click == .days(30))
/// ```
public struct AdAttribution: Hashable, Sendable, Decodable {
  /// The identifiers of `SKAdNetworkItems` that a device can recognize.
  public let skAdNetworkIdentifiers: [String]
  /// The identifiers of `AdNetworkIdentifiers` that a device can recognize.
  public let adNetworkIdentifiers: [String]
  /// The URL for copies of SKAdNetwork's postbacks; nil when `NSAdvertisingAttributionReportEndpoint` is missing or invalid.
  public let skAdNetworkCopyURL: String?
  /// `AttributionCopyEndpoint` as written, without a user name; nil when the key is missing.
  public let attributionCopyEndpoint: String?
  /// The URL for copies of AdAttributionKit's postbacks; nil when `AttributionCopyEndpoint` is missing or invalid.
  public let adAttributionKitCopyURL: String?
  /// The times from an interaction with an ad to an install.
  public let attributionWindows: Windows
  /// The times after a conversion without another.
  public let attributionCooldowns: Cooldowns
  /// Whether several re-engagement conversions can be active.
  public let overlappingConversions: Bool
  /// Whether the copies include postbacks of re-engagement.
  public let reengagementPostbackCopies: Bool
  /// `NSUserTrackingUsageDescription`, the text of the prompt for permission to track; nil when the key is missing.
  public let trackingUsageDescription: String?

  /// The attribution windows of an app.
  public struct Windows: Hashable, Sendable, Decodable {
    /// The window for ads of all other ad networks.
    public let global: Window
    /// The windows for ads of certain ad networks.
    public let networks: [Window]
  }

  /// The times from an interaction with an ad to an install that is attributed to it.
  public struct Window: Hashable, Sendable, Decodable {
    /// The ad network; nil for all others.
    public let adNetworkIdentifier: String?
    /// The time after a click.
    public let click: Duration
    /// The time after a view.
    public let view: Duration
    /// The type of interactions that are not attributed; nil when both are.
    public let ignoredInteractionType: InteractionType?
  }

  /// The times after a conversion in which the app has no other.
  public struct Cooldowns: Hashable, Sendable, Decodable {
    /// The time after an install.
    public let install: Duration
    /// The time after a re-engagement.
    public let reengagement: Duration
  }

  /// An interaction of the user with an ad.
  public struct InteractionType: Term {
    /// The string in the service's JSON.
    public let rawValue: String

    /// Creates a value from any string, known or not.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// A tap on the ad.
    public static let click = InteractionType("click")
    /// The display of the ad.
    public static let view = InteractionType("view")
  }
}
