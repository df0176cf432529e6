import Foundation
internal import PCMCore

/// The relevant keys of an Info.plist, with values of any type. They have `removed@` instead of user information, so that no
/// finding repeats it, and a recording has the same findings.
struct InfoDictionary: Decodable {
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
  var nestedKeys = NestedKeys()

  enum CodingKeys: String, CodingKey {
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

  /// Compares keys as Foundation's decoder does, so that an app has the same findings by JSON and by its Info.plist.
  init(_ json: JSON) {
    self.init { key in
      json.members.first { $0.name == key.rawValue }.map { PropertyListValue($0.value).withMarkedUserInformation }
    }
    nestedKeys = NestedKeys(in: json, skipping: Self.hasOwnReview) { value in
      switch value {
      case .object(let members): .members(members.map { ($0.name, $0.value) })
      case .array(let elements): .elements(elements)
      case .number, .verbatim, .bool: .number
      default: .none
      }
    }
  }

  /// - Parameter list: The property list as Foundation's serialization reads it.
  mutating func readNestedKeys(of list: Any) {
    nestedKeys = NestedKeys(in: list, skipping: Self.hasOwnReview) { value in
      if let members = value as? [String: Any] { return .members(members.map { ($0.key, $0.value) }) }
      if let elements = value as? [Any] { return .elements(elements) }
      return value is String || value is Data || value is Date ? .none : .number
    }
  }

  /// Whether a key of the outermost dictionary has another review, even if it is misspelled.
  private static func hasOwnReview(_ key: String) -> Bool {
    key.utf8.count <= 80 && KeyCatalog.key(named: key) != nil
  }

  /// The parts of the app for which the manifest has a documented key with a value that is not an empty list.
  var participations: Set<Participation> {
    let values: [(key: CodingKeys, value: PropertyListValue?)] = [
      (.endpoint, endpoint), (.skAdNetworkItems, skAdNetworkItems), (.adNetworkIdentifiers, adNetworkIdentifiers),
      (.copyEndpoint, copyEndpoint), (.configurations, configurations), (.overlappingConversions, overlappingConversions),
      (.reengagementCopies, reengagementCopies),
    ]
    return values.reduce(into: []) { parts, entry in
      guard let value = entry.value, value != .array([]) else { return }
      parts.formUnion(AttributionKey.participations(of: entry.key))
    }
  }

  init(from decoder: any Decoder) throws {
    let keys = try decoder.container(keyedBy: CodingKeys.self)
    // The decoder takes the string $null for an absent value.
    try self.init { keys.contains($0) ? try keys.decode(PropertyListValue.self, forKey: $0).withMarkedUserInformation : nil }
  }

  private init(value: (CodingKeys) throws -> PropertyListValue?) rethrows {
    bundleIdentifier = try value(.bundleIdentifier)
    endpoint = try value(.endpoint)
    deviceFamilies = try value(.deviceFamilies)
    requiresIPhoneOS = try value(.requiresIPhoneOS)
    minimumOSVersion = try value(.minimumOSVersion)
    minimumSystemVersion = try value(.minimumSystemVersion)
    supportedPlatforms = try value(.supportedPlatforms)
    platformName = try value(.platformName)
    skAdNetworkItems = try value(.skAdNetworkItems)
    adNetworkIdentifiers = try value(.adNetworkIdentifiers)
    copyEndpoint = try value(.copyEndpoint)
    configurations = try value(.configurations)
    overlappingConversions = try value(.overlappingConversions)
    reengagementCopies = try value(.reengagementCopies)
    adAttributionKit = try value(.adAttributionKit)
  }

  /// The keys that a device reads for attribution, which people misspell.
  static let attributionKeys: [CodingKeys] = [
    .endpoint, .skAdNetworkItems, .adNetworkIdentifiers, .copyEndpoint, .configurations, .overlappingConversions,
    .reengagementCopies,
  ]
}
