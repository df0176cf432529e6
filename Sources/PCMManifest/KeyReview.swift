import PCMCore

/// Finds misspellings of `NSAdvertisingAttributionReportEndpoint`. Devices ignore such keys, so that the endpoint is
/// missing.
struct KeyReview {
  /// The keys that may be misspellings, in alphabetical order.
  let nearMisses: [String]

  /// The maximum number of compared keys. Typical manifests have about fifty, and the limit bounds the time for a hostile
  /// one.
  private static let comparedLimit = 1_000
  private static let namedLimit = 3
  /// The maximum number of different letters, without case, separators, and the prefix.
  private static let distanceLimit = 6
  private static let target = simplified(EndpointReview.key)

  init(_ keys: [String]) {
    let candidates = keys.filter { key in
      key != EndpointReview.key && key.utf8.count <= Self.target.count + Self.distanceLimit + 16
    }
    let compared = candidates.map { (key: $0, letters: Self.simplified($0)) }
      .filter { abs($0.letters.count - Self.target.count) <= Self.distanceLimit }
      .sorted { $0.key < $1.key }.prefix(Self.comparedLimit)
    let near = compared.filter { EditDistance.between($0.letters, Self.target, atMost: Self.distanceLimit) != nil }
    nearMisses = near.prefix(Self.namedLimit).map(\.key.asShown)
  }

  var findings: [ManifestFinding] {
    nearMisses.map { key in
      ManifestFinding(
        .endpointKeyMisspelled, "\(key) has no effect: the key is spelled \(EndpointReview.key). Rename it.")
    }
  }

  /// The lowercase letters and digits without the prefix `NS`, so that `NS_Advertising-…` and `advertising…` are equal.
  private static func simplified(_ key: String) -> [UInt8] {
    let letters = key.lowercased().utf8.filter { (0x30...0x39).contains($0) || (0x61...0x7A).contains($0) }
    return Array(letters.starts(with: "ns".utf8) ? letters.dropFirst(2)[...] : letters[...])
  }
}

extension String {
  /// The string for use in a finding: truncated, and without characters that control a terminal.
  var asShown: String {
    let shown = unicodeScalars.prefix(80).map { scalar -> Unicode.Scalar in
      switch scalar.properties.generalCategory {
      case .control, .format, .lineSeparator, .paragraphSeparator, .privateUse, .surrogate, .unassigned: "\u{FFFD}"
      default: scalar
      }
    }
    return String(String.UnicodeScalarView(shown)) + (unicodeScalars.count > 80 ? "…" : "")
  }
}

/// Notes about the keys of Apple's other attribution systems.
struct AdKeysReview {
  let findings: [ManifestFinding]

  init(_ info: InfoDictionary) {
    var findings: [ManifestFinding] = []
    if let items = info.skAdNetworkItems {
      let count = items.elements.count
      findings.append(
        ManifestFinding(
          .skAdNetworkItems,
          "SKAdNetworkItems lists \(count) ad network\(count == 1 ? "" : "s"). It serves app installs through SKAdNetwork and "
            + "has no effect here."))
    }
    let keys: [(key: InfoDictionary.CodingKeys, value: PropertyListValue?)] = [
      (.adNetworkIdentifiers, info.adNetworkIdentifiers), (.attributionCopyEndpoint, info.attributionCopyEndpoint),
      (.adAttributionKit, info.adAttributionKit),
    ]
    let present = keys.filter { $0.value != nil }.map(\.key.rawValue)
    if !present.isEmpty {
      findings.append(
        ManifestFinding(
          .adAttributionKitKeys,
          "\(present.joined(separator: ", ")): for app installs and re-engagement through AdAttributionKit, no effect here."
        ))
    }
    self.findings = findings
  }
}

/// The keys that the outermost dictionary contains more than once. Property lists must not have duplicates, and parsers use
/// one of the values without notice.
struct DuplicateKeys {
  private static let namedLimit = 5

  /// The keys in alphabetical order.
  let keys: [String]

  init(_ keys: [String]) {
    var seen: Set<String> = []
    self.keys = Set(keys.filter { !seen.insert($0).inserted }).sorted()
  }

  var findings: [ManifestFinding] {
    guard !keys.isEmpty else { return [] }
    let named = keys.prefix(Self.namedLimit).map(\.asShown).joined(separator: ", ")
    let more = keys.count > Self.namedLimit ? " and \(keys.count - Self.namedLimit) more" : ""
    return [
      ManifestFinding(
        .duplicateKeys,
        "\(named)\(more): the manifest contains more than one value for "
          + "\(keys.count == 1 ? "this key" : "each of these keys"), and only one is used. Keep the intended one.")
    ]
  }
}
