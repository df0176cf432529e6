import PCMCore

/// A key that a device reads for attribution, at its place in the manifest.
struct AttributionKey: Hashable {
  /// The key, after the keys of the dictionaries that contain it.
  let path: String
  let participations: Set<Participation>

  init(_ path: String, _ participations: Set<Participation>) {
    self.path = path
    self.participations = participations
  }

  init(_ key: InfoDictionary.Key) {
    self.init(key.rawValue, Self.participations(of: key))
  }

  /// A rule of an advertised app.
  init(rule path: String) {
    self.init("\(Rule.configurations)/\(path)", [.adAttributionKitAdvertiser])
  }

  var isTopLevel: Bool { !path.contains("/") }

  static func participations(of key: InfoDictionary.Key) -> Set<Participation> {
    switch key {
    case .endpoint: [.clicks, .skAdNetworkAdvertiser]
    case .skAdNetworkItems: [.skAdNetworkPublisher]
    case .adNetworkIdentifiers: [.adAttributionKitPublisher]
    case .copyEndpoint, .configurations, .overlappingConversions, .reengagementCopies, .adAttributionKit:
      [.adAttributionKitAdvertiser]
    case .trackingUsageDescription: [.tracking]
    default: []
    }
  }
}

/// The names that people give the keys of a manifest: documented names, the names in Xcode, and invented names.
///
/// Apple's pages name the menu items of Xcode next to the keys ("Configuring an advertised app"), and public projects contain
/// the invented names.
enum KeyCatalog {
  /// The keys of the outermost dictionary.
  static let topLevel = InfoDictionary.attributionKeys.map { AttributionKey($0) }

  /// The keys inside of `AdAttributionKitConfigurations`, by their names.
  ///
  /// Not all: other dictionaries give some of the words another meaning. See ``Rule/key(named:members:isLikely:)``.
  private static let rules = Rule.paths.filter { !Rule.words.contains($0.key) }.mapValues { AttributionKey(rule: $0) }

  /// The names that Xcode shows instead of a key.
  private static let displayNames: [String: InfoDictionary.Key] = [
    "Advertising attribution report endpoint URL": .endpoint,
    "AdAttributionKit - Postback Copy URL": .copyEndpoint,
    "AdAttributionKit - Opt in for Reengagement Postback Copies": .reengagementCopies,
    "Privacy - Tracking Usage Description": .trackingUsageDescription,
  ]

  /// Returns whether the text is a name that Xcode shows instead of a key.
  static func isDisplayName(_ name: String) -> Bool { displayNames[name] != nil }

  private static let inventedNames: [String: InfoDictionary.Key] = [
    "PostbackCopyURL": .copyEndpoint, "PostbackCopyEndpoint": .copyEndpoint, "AttributionCopyURL": .copyEndpoint,
    "AttributionReportEndpoint": .endpoint, "AdAttributionKitPostbackCopyURL": .copyEndpoint,
    "OptInForReengagementPostbackCopies": .reengagementCopies,
    "EligibleForReengagementPostbackCopies": .reengagementCopies, "ReengagementPostbackCopies": .reengagementCopies,
    "OptInForOverlappingConversions": .overlappingConversions,
    "EligibleForOverlappingConversions": .overlappingConversions, "OverlappingConversions": .overlappingConversions,
    "NSUserTracking": .trackingUsageDescription,
  ]

  /// The keys by their letters. See ``letters(of:)``.
  private static let exact: [[UInt8]: AttributionKey] = {
    var keys: [[UInt8]: AttributionKey] = [:]
    for (name, key) in rules { keys[letters(of: name)] = key }
    for (name, key) in displayNames.merging(inventedNames, uniquingKeysWith: { $1 }) { keys[letters(of: name)] = .init(key) }
    for key in topLevel { keys[letters(of: key.path)] = key }
    return keys
  }()

  /// The names with which others are compared, with their keys.
  static let targets: [(letters: [UInt8], key: AttributionKey)] =
    exact.map { (letters: $0.key, key: $0.value) }.sorted { $0.letters.lexicographicallyPrecedes($1.letters) }

  /// Returns the key that a name means, without regard to case, separators, and the prefix `NS`.
  static func key(named name: String) -> AttributionKey? { exact[letters(of: name)] }

  /// Returns the key that an invented name means by its words, such as `AdAttributionKitPostbackEndpoint`.
  ///
  /// - Parameter isInside: Whether the name is in a dictionary that is named for a framework.
  static func key(resembling name: String, isInside framework: AdFramework? = nil) -> AttributionKey? {
    let text = String(decoding: letters(of: name), as: UTF8.self)
    func has(_ words: String...) -> Bool { words.contains { text.contains($0) } }
    if trackingPrefixes.contains(where: text.hasPrefix), has("usage", "description", "permission", "purpose", "reason") {
      return AttributionKey(.trackingUsageDescription)
    }
    let isAdAttributionKit = text.hasPrefix("adattributionkit") || framework == .adattributionkit
    let isSKAdNetwork = text.hasPrefix("skadnetwork") || framework == .skadnetwork
    if text.hasPrefix("eligibleforadattributionkit") || text.hasPrefix("optinforadattributionkit") {
      if has("overlapping") { return AttributionKey(.overlappingConversions) }
      return has("reengagement", "postback", "copy", "copies") ? AttributionKey(.reengagementCopies) : nil
    }
    guard isAdAttributionKit || isSKAdNetwork || text.hasPrefix("advertisingattribution") else { return nil }
    guard isAdAttributionKit else {
      if has("endpoint", "url", "postbackcop") { return AttributionKey(.endpoint) }
      return isSKAdNetwork && has("items", "identifier", "ids") ? AttributionKey(.skAdNetworkItems) : nil
    }
    if has("overlapping") { return AttributionKey(.overlappingConversions) }
    if has("cooldown") { return AttributionKey(rule: "AttributionCooldown") }
    if has("window") { return AttributionKey(rule: "AttributionWindows") }
    if has("reengagement") { return AttributionKey(.reengagementCopies) }
    if has("endpoint", "url", "postback", "copy", "copies") { return AttributionKey(.copyEndpoint) }
    if has("network", "identifier", "items") { return AttributionKey(.adNetworkIdentifiers) }
    return has("config", "rule", "setting") ? AttributionKey(.configurations) : nil
  }

  /// How names begin that mean the text of the prompt for permission to track. Hands and accessories are also tracked.
  private static let trackingPrefixes = ["usertracking", "apptracking", "tracking", "privacytrackingusage", "attusage"]

  /// Returns the framework for which a dictionary is named; nil for any other name.
  static func framework(named name: String) -> AdFramework? {
    let letters = letters(of: name)
    if letters.starts(with: "adattributionkit".utf8) { return .adattributionkit }
    return letters.starts(with: "skadnetwork".utf8) ? .skadnetwork : nil
  }

  /// The lowercase letters and digits without the prefix `NS`, so that `NS_Advertising-…` and `advertising…` are equal.
  static func letters(of name: String) -> [UInt8] {
    let letters = name.lowercased().utf8.filter { (0x30...0x39).contains($0) || (0x61...0x7A).contains($0) }
    return Array(letters.starts(with: "ns".utf8) ? letters.dropFirst(2)[...] : letters[...])
  }
}
