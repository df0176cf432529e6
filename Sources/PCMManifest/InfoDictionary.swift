/// The relevant keys of an Info.plist, with values of any type.
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
  let attributionCopyEndpoint: PropertyListValue?
  let adAttributionKit: PropertyListValue?

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
    case attributionCopyEndpoint = "AttributionCopyEndpoint"
    case adAttributionKit = "AdAttributionKit"
  }
}

/// A value of any type, because a wrong type is a finding and not a decoding error.
enum PropertyListValue: Decodable, Hashable {
  case string(String)
  case integer(Int)
  case boolean(Bool)
  case array([PropertyListValue])
  /// Dictionaries, reals, dates, data, and numbers out of range.
  case other

  init(from decoder: any Decoder) throws {
    if var elements = try? decoder.unkeyedContainer() {
      var values: [PropertyListValue] = []
      while !elements.isAtEnd { values.append(try elements.decode(PropertyListValue.self)) }
      self = .array(values)
      return
    }
    guard let value = try? decoder.singleValueContainer() else {
      self = .other
      return
    }
    if let boolean = try? value.decode(Bool.self) {
      self = .boolean(boolean)
    } else if let integer = try? value.decode(Int.self) {
      self = .integer(integer)
    } else if let string = try? value.decode(String.self) {
      self = .string(string)
    } else {
      self = .other
    }
  }

  var string: String? {
    guard case .string(let text) = self else { return nil }
    return text
  }

  /// Xcode writes integers. Older tools wrote strings.
  var number: Int? {
    switch self {
    case .integer(let number): number
    case .string(let text): Int(text)
    default: nil
    }
  }

  /// The elements of an array, or a single value.
  var elements: [PropertyListValue] {
    guard case .array(let elements) = self else { return [self] }
    return elements
  }
}
