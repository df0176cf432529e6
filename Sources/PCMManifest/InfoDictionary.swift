import PCMCore

/// The relevant keys of an Info.plist, with values of any type. They have `removed@` instead of user information, so that no
/// finding repeats it, and a replay has the same findings.
struct InfoDictionary {
  private let values: [Key: PropertyListValue]
  /// The members of inner dictionaries that a device reads only at another place.
  let nestedKeys: NestedKeys

  enum Key: String, CaseIterable {
    case bundleIdentifier = "CFBundleIdentifier"
    case endpoint = "NSAdvertisingAttributionReportEndpoint"
    case deviceFamilies = "UIDeviceFamily"
    case requiresIPhoneOS = "LSRequiresIPhoneOS"
    case minimumOSVersion = "MinimumOSVersion"
    case minimumSystemVersion = "LSMinimumSystemVersion"
    case supportedPlatforms = "CFBundleSupportedPlatforms"
    case platformName = "DTPlatformName"
    case skAdNetworkItems = "SKAdNetworkItems"
    case adNetworkIdentifiers = "AdNetworkIdentifiers"
    case copyEndpoint = "AttributionCopyEndpoint"
    case configurations = "AdAttributionKitConfigurations"
    case overlappingConversions = "EligibleForAdAttributionKitOverlappingConversions"
    case reengagementCopies = "EligibleForAdAttributionKitReengagementPostbackCopies"
    case adAttributionKit = "AdAttributionKit"
    case trackingUsageDescription = "NSUserTrackingUsageDescription"
  }

  /// - Parameter list: The outermost dictionary.
  init(_ list: [String: PropertyListValue]) {
    values = Key.allCases.reduce(into: [:]) { $0[$1] = list[$1.rawValue]?.withMarkedUserInformation }
    nestedKeys = NestedKeys(in: list, skipping: Self.hasOwnReview)
  }

  subscript(key: Key) -> PropertyListValue? { values[key] }

  /// Whether a key of the outermost dictionary has another review, even if it is misspelled.
  private static func hasOwnReview(_ key: String) -> Bool {
    key.utf8.count <= 80 && KeyCatalog.key(named: key) != nil
  }

  /// The parts of the app for which the manifest has a documented key with a value that is not an empty list.
  var participations: Set<Participation> {
    Self.attributionKeys.reduce(into: []) { parts, key in
      guard let value = values[key], value != .array([]) else { return }
      parts.formUnion(AttributionKey.participations(of: key))
    }
  }

  /// The keys that a device reads for attribution and for the prompt to track, which people misspell.
  static let attributionKeys: [Key] = [
    .endpoint, .skAdNetworkItems, .adNetworkIdentifiers, .copyEndpoint, .configurations, .overlappingConversions,
    .reengagementCopies, .trackingUsageDescription,
  ]
}
