import PCMCore

/// The relevant keys of an Info.plist, with values of any type. They have `removed@` instead of user information, so that no
/// finding repeats it, and a replay has the same findings.
struct InfoDictionary {
  let bundleIdentifier: PropertyListValue?
  let endpoint: PropertyListValue?
  let deviceFamilies: PropertyListValue?
  let requiresIPhoneOS: PropertyListValue?
  let minimumOSVersion: PropertyListValue?
  let minimumSystemVersion: PropertyListValue?
  let supportedPlatforms: PropertyListValue?
  let platformName: PropertyListValue?
  let skAdNetworkItems: PropertyListValue?
  let adNetworkIdentifiers: PropertyListValue?
  let copyEndpoint: PropertyListValue?
  let configurations: PropertyListValue?
  let overlappingConversions: PropertyListValue?
  let reengagementCopies: PropertyListValue?
  let adAttributionKit: PropertyListValue?
  /// The members of inner dictionaries that a device reads only at another place.
  let nestedKeys: NestedKeys

  enum Key: String {
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
  }

  /// - Parameter list: The outermost dictionary.
  init(_ list: [String: PropertyListValue]) {
    func value(_ key: Key) -> PropertyListValue? { list[key.rawValue]?.withMarkedUserInformation }
    bundleIdentifier = value(.bundleIdentifier)
    endpoint = value(.endpoint)
    deviceFamilies = value(.deviceFamilies)
    requiresIPhoneOS = value(.requiresIPhoneOS)
    minimumOSVersion = value(.minimumOSVersion)
    minimumSystemVersion = value(.minimumSystemVersion)
    supportedPlatforms = value(.supportedPlatforms)
    platformName = value(.platformName)
    skAdNetworkItems = value(.skAdNetworkItems)
    adNetworkIdentifiers = value(.adNetworkIdentifiers)
    copyEndpoint = value(.copyEndpoint)
    configurations = value(.configurations)
    overlappingConversions = value(.overlappingConversions)
    reengagementCopies = value(.reengagementCopies)
    adAttributionKit = value(.adAttributionKit)
    nestedKeys = NestedKeys(in: list, skipping: Self.hasOwnReview)
  }

  /// Whether a key of the outermost dictionary has another review, even if it is misspelled.
  private static func hasOwnReview(_ key: String) -> Bool {
    key.utf8.count <= 80 && KeyCatalog.key(named: key) != nil
  }

  /// The parts of the app for which the manifest has a documented key with a value that is not an empty list.
  var participations: Set<Participation> {
    let values: [(key: Key, value: PropertyListValue?)] = [
      (.endpoint, endpoint), (.skAdNetworkItems, skAdNetworkItems), (.adNetworkIdentifiers, adNetworkIdentifiers),
      (.copyEndpoint, copyEndpoint), (.configurations, configurations), (.overlappingConversions, overlappingConversions),
      (.reengagementCopies, reengagementCopies),
    ]
    return values.reduce(into: []) { parts, entry in
      guard let value = entry.value, value != .array([]) else { return }
      parts.formUnion(AttributionKey.participations(of: entry.key))
    }
  }

  /// The keys that a device reads for attribution, which people misspell.
  static let attributionKeys: [Key] = [
    .endpoint, .skAdNetworkItems, .adNetworkIdentifiers, .copyEndpoint, .configurations, .overlappingConversions,
    .reengagementCopies,
  ]
}
