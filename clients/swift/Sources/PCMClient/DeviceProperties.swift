public import Foundation

/// The properties of a device and its developer settings.
///
/// ```swift
/// let properties = try await device.change {
///   $0.systemVersion = "17.5"
///   $0.country = "DE"
/// }
/// #expect(properties.minimumViewTime == .seconds(2))
/// ```
public struct DeviceProperties: Hashable, Sendable, Decodable {
  /// The version of iOS. The default is `18.6`.
  public var systemVersion: String
  /// The country of the App Store account, two letters. The default is `US`.
  public var country: String
  /// Whether developer mode is on: ads whose source app is 0 count, with windows of three minutes. From iOS 18 on.
  public var developerMode: Bool
  /// The time at which developer mode was switched on; nil when it is off. It ends after two weeks.
  public let developerModeSince: Date?
  /// Whether the testing profile is installed: the timer takes five minutes. Before iOS 18.
  public var testingProfile: Bool
  /// The time at which the testing profile was installed; nil without one. It ends after two weeks.
  public let testingProfileSince: Date?
  /// The time for which a view-through ad of SKAdNetwork must be displayed, up to one hour. The default is
  /// two seconds, and before iOS 15.4 three.
  public var minimumViewTime: Duration
  /// When the conversion windows of later conversions begin. The default is the first launch.
  public var conversionWindowStart: ConversionWindowStart
  /// The site that `source_domain` of a web ad names. The default is the site that displays the ad.
  public var sourceDomain: SourceDomain
  /// The keys that sign postbacks of AdAttributionKit. The default is the published test keys.
  public var postbackKeys: PostbackKeys
  /// Whether postbacks have `\/` for a slash, as by Apple's serializer. The default is `true`.
  public var escapedSlashes: Bool

  /// Creates properties with the service's defaults.
  public init(
    systemVersion: String = "18.6", country: String = "US", developerMode: Bool = false, testingProfile: Bool = false,
    minimumViewTime: Duration = .seconds(2), conversionWindowStart: ConversionWindowStart = .launch,
    sourceDomain: SourceDomain = .displayingSite, postbackKeys: PostbackKeys = .test, escapedSlashes: Bool = true
  ) {
    self.systemVersion = systemVersion
    self.country = country
    self.developerMode = developerMode
    developerModeSince = nil
    self.testingProfile = testingProfile
    testingProfileSince = nil
    self.minimumViewTime = minimumViewTime
    self.conversionWindowStart = conversionWindowStart
    self.sourceDomain = sourceDomain
    self.postbackKeys = postbackKeys
    self.escapedSlashes = escapedSlashes
  }

  /// When the conversion windows begin. Apple's pages disagree.
  public struct ConversionWindowStart: Term {
    /// The string in the service's JSON.
    public let rawValue: String

    /// Creates a value from any string, known or not.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// With the first launch of the app.
    public static let launch = ConversionWindowStart("launch")
    /// With the first update of the conversion value.
    public static let firstUpdate = ConversionWindowStart("first-update")
  }

  /// The site that `source_domain` of a web ad names.
  public struct SourceDomain: Term {
    /// The string in the service's JSON.
    public let rawValue: String

    /// Creates a value from any string, known or not.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// The website that displays the ad.
    public static let displayingSite = SourceDomain("displaying-site")
    /// The ad network.
    public static let adNetwork = SourceDomain("ad-network")
  }

  /// The keys that sign postbacks of AdAttributionKit.
  public struct PostbackKeys: Term {
    /// The string in the service's JSON.
    public let rawValue: String

    /// Creates a value from any string, known or not.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// The published test keys. Development postbacks use the first one.
    public static let test = PostbackKeys("test")
    /// The same, except that development postbacks use the second one.
    public static let testSecondDevelopment = PostbackKeys("test-second-development")
    /// A fault: the published test keys under Apple's key identifiers.
    public static let appleIdentifiers = PostbackKeys("apple-identifiers")
  }
}

extension DeviceProperties {
  /// Returns the change from other properties to these, without equal properties: sending a mode again would extend it.
  func changes(from other: DeviceProperties) -> Members {
    func change<Value: Equatable>(_ property: KeyPath<DeviceProperties, Value>) -> Value? {
      self[keyPath: property] == other[keyPath: property] ? nil : self[keyPath: property]
    }
    return [
      "systemVersion": change(\.systemVersion), "country": change(\.country), "developerMode": change(\.developerMode),
      "testingProfile": change(\.testingProfile), "minimumViewTime": change(\.minimumViewTime),
      "conversionWindowStart": change(\.conversionWindowStart), "sourceDomain": change(\.sourceDomain),
      "postbackKeys": change(\.postbackKeys), "escapedSlashes": change(\.escapedSlashes),
    ]
  }
}
