import PCMCore

/// Reads the lists of ad networks of an app that shows ads: `SKAdNetworkItems` (SKAdNetwork reference, section 1) and
/// `AdNetworkIdentifiers` (AdAttributionKit reference, section 2).
struct AdNetworkReview {
  let skAdNetworkIdentifiers: [String]
  let adNetworkIdentifiers: [String]
  /// The parts of the app whose lists contain nothing but build settings.
  private(set) var unknown: Set<Participation> = []

  /// The maximum number of entries read from the start of a list. Apple documents no limit, and apps list up to a few hundred.
  static let countLimit = 1_000

  private static let itemKey = "SKAdNetworkIdentifier"

  init(_ info: InfoDictionary, _ findings: inout FindingGroups) {
    var unknown: Set<Participation> = []
    skAdNetworkIdentifiers = Self.identifiers(
      in: info[.skAdNetworkItems], .skAdNetworkItems, "an array of dictionaries", &unknown, &findings
    ) { item, place, findings in
      guard item.string == nil else {
        findings.addWrongType(at: place, expected: "a dictionary with the key \(Self.itemKey)")
        return nil
      }
      let members = findings.members(of: item, at: place, known: [Self.itemKey])
      if case .dictionary = item, members[Self.itemKey] == nil {
        findings.add(
          .adNetworkIdentifierMissing, at: place,
          "the item has no \(Self.itemKey) and is ignored. Add the key or remove the item.")
      }
      return members[Self.itemKey].map { ("\(place)/\(Self.itemKey)", $0) }
    }
    adNetworkIdentifiers = Self.identifiers(
      in: info[.adNetworkIdentifiers], .adNetworkIdentifiers, "an array of strings", &unknown, &findings
    ) { element, place, _ in (place, element) }
    self.unknown = unknown
  }

  /// - Parameter entry: Returns the place and the value of the identifier in an element; nil when it has none.
  private static func identifiers(
    in value: PropertyListValue?, _ key: InfoDictionary.Key, _ expected: String, _ unknown: inout Set<Participation>,
    _ findings: inout FindingGroups,
    entry: (PropertyListValue, _ place: String, inout FindingGroups) -> (place: String, value: PropertyListValue)?
  ) -> [String] {
    guard let value else { return [] }
    findings.participations = AttributionKey.participations(of: key)
    guard case .array(let elements) = value else {
      findings.addWrongType(at: key.rawValue, expected: expected)
      addUnusable(key, unless: value.containsBuildSetting, &unknown, &findings)
      return []
    }
    guard !elements.isEmpty else {
      findings.add(
        .adNetworkListEmpty, at: key.rawValue, "the list is empty. Add the ad networks' identifiers, or remove the key.")
      return []
    }
    let identifiers = Self.identifiers(in: elements, key, &findings, entry: entry)
    if identifiers.isEmpty { addUnusable(key, unless: value.containsBuildSetting, &unknown, &findings) }
    return identifiers
  }

  private static func addUnusable(
    _ key: InfoDictionary.Key, unless isUnknown: Bool, _ unknown: inout Set<Participation>,
    _ findings: inout FindingGroups
  ) {
    guard !isUnknown else { return unknown.formUnion(findings.participations) }
    findings.add(
      .adNetworkListUnusable, at: key.rawValue,
      "a device recognizes no ad network in this list, so no ad in this app is attributed. Correct the entries.")
  }

  private static func identifiers(
    in elements: [PropertyListValue], _ key: InfoDictionary.Key, _ findings: inout FindingGroups,
    entry: (PropertyListValue, _ place: String, inout FindingGroups) -> (place: String, value: PropertyListValue)?
  ) -> [String] {
    if elements.count > countLimit {
      findings.add(
        .tooManyAdNetworks, at: "\(key.rawValue) has \(elements.count) entries",
        "only the first \(countLimit) are read. Remove the others.")
    }
    var identifiers: [String] = []
    var seen: Set<String> = []
    for (index, element) in elements.prefix(countLimit).enumerated() {
      guard let (place, value) = entry(element, "\(key.rawValue)[\(index)]", &findings) else { continue }
      guard let text = value.string else {
        findings.addWrongType(at: place, expected: "a string")
        continue
      }
      guard let identifier = findings.adNetworkIdentifier(text, at: place) else { continue }
      guard seen.insert(identifier).inserted else {
        findings.add(
          .duplicateAdNetworks, at: "\(place) (\(identifier))", "this ad network is already in the list. Remove the duplicate.")
        continue
      }
      identifiers.append(identifier)
    }
    return identifiers
  }
}

extension FindingGroups {
  /// Returns an ad network identifier that a device can recognize, and finds its peculiarities.
  mutating func adNetworkIdentifier(_ text: String, at place: String) -> String? {
    let shown = "\(place) (\(text.asShown))"
    if let problem = Self.problem(in: text) {
      add(.adNetworkIdentifierInvalid, at: shown, "the ad network identifier \(problem)")
      return nil
    }
    guard AdNetworkIdentifier.flaw(in: text) != .upperCase else {
      add(
        .adNetworkIdentifierNotLowercase, at: shown,
        "devices do not recognize an ad network identifier with uppercase letters. Write it in lowercase.")
      return nil
    }
    if let detail = AdNetworkIdentifier.suffixProblem(in: text) { add(.adNetworkIdentifierWithoutSuffix, at: shown, detail) }
    return text
  }

  private static func problem(in text: String) -> String? {
    if text.hasBuildSetting {
      "is a build setting that Xcode fills in. Pass the Info.plist of the built app, not the one in the sources."
    } else if text.allSatisfy(\.isWhitespace) {
      "is empty. Write one, or remove the entry."
    } else if text.hasSpaceAround {
      "begins or ends with a space or a line break, and devices do not recognize it. Remove the space."
    } else {
      switch AdNetworkIdentifier.flaw(in: text) {
      case .tooLong:
        "has more than \(AdNetworkIdentifier.maximumLength) bytes. Copy it from the ad network's documentation."
      case .characters:
        "has characters other than letters, digits, hyphens, periods, and underscores. Copy it from the ad network's "
          + "documentation."
      case .empty, .upperCase, nil: nil
      }
    }
  }
}

extension AdNetworkIdentifier {
  /// The endings of the identifiers that Apple assigns.
  static let suffixes = [".skadnetwork", ".adattributionkit"]

  /// Returns why Apple did not assign the identifier; nil if it has one of the endings.
  fileprivate static func suffixProblem(in text: String) -> String? {
    guard !suffixes.contains(where: { text.hasSuffix($0) && text != $0 }) else { return nil }
    return
      "the ad network identifiers that Apple assigns end in \(suffixes.joined(separator: " or ")). Copy the identifier from "
      + "the ad network's documentation."
  }
}

extension ManifestFinding {
  /// The findings in the identifier of an ad network that is registered.
  package static func ofRegistration(_ identifier: String) -> [ManifestFinding] {
    let detail = AdNetworkIdentifier.suffixProblem(in: identifier)
    return detail.map { [ManifestFinding(.adNetworkIdentifierWithoutSuffix, "\(identifier): \($0)")] } ?? []
  }
}
