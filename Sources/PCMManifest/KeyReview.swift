import PCMCore

/// Finds misspelled keys of `NSAdvertisingAttributionReportEndpoint` and of the keys for app installs. Devices ignore them, as
/// if the key were missing.
struct KeyReview {
  private let misspellings: [(written: String, key: String)]

  /// The maximum number of keys that are compared with each correct one. Typical manifests have about fifty keys, and the limit
  /// bounds the time for a hostile one.
  private static let comparedLimit = 1_000
  /// The maximum number of misspellings of a key that are named.
  private static let namedLimit = 3
  private static let targets = InfoDictionary.attributionKeys.map { Target(key: $0.rawValue, letters: simplified($0.rawValue)) }

  private struct Target {
    let key: String
    let letters: [UInt8]

    /// The maximum number of different letters, without case, separators, and the prefix.
    var distanceLimit: Int { letters.count / 6 }
  }

  init(_ keys: [String]) {
    let known = Set(Self.targets.map(\.key))
    let longest = Self.targets.map { $0.letters.count + $0.distanceLimit + 16 }.max() ?? 0
    let written = Set(keys).subtracting(known).filter { $0.utf8.count <= longest }.sorted()
      .map { (key: $0, letters: Self.simplified($0)) }
    // The correct keys differ so much that no key is a misspelling of two.
    misspellings = Self.targets.flatMap { target in
      let limit = target.distanceLimit
      let compared = written.lazy.filter { abs($0.letters.count - target.letters.count) <= limit }.prefix(Self.comparedLimit)
      return compared.filter { EditDistance.between($0.letters, target.letters, atMost: limit) != nil }
        .prefix(Self.namedLimit).map { ($0.key.asShown, target.key) }
    }
  }

  /// The keys that may be misspellings of a key, in alphabetical order.
  func nearMisses(of key: InfoDictionary.CodingKeys) -> [String] {
    misspellings.filter { $0.key == key.rawValue }.map(\.written)
  }

  var findings: [ManifestFinding] {
    misspellings.map { written, key in
      ManifestFinding(
        key == InfoDictionary.CodingKeys.endpoint.rawValue ? .endpointKeyMisspelled : .keyMisspelled,
        "\(written) has no effect: the key is spelled \(key). Rename it.")
    }
  }

  /// The lowercase letters and digits without the prefix `NS`, so that `NS_Advertising-…` and `advertising…` are equal.
  private static func simplified(_ key: String) -> [UInt8] {
    let letters = key.lowercased().utf8.filter { (0x30...0x39).contains($0) || (0x61...0x7A).contains($0) }
    return Array(letters.starts(with: "ns".utf8) ? letters.dropFirst(2)[...] : letters[...])
  }
}

extension String {
  /// The string for use in a finding.
  var asShown: String { asShown(upTo: 80) }
}

/// The keys that the outermost dictionary contains more than once. Property lists must not have duplicates, and parsers use
/// one of the values without notice.
struct DuplicateKeys {
  private static let namedLimit = 5

  /// The keys in alphabetical order.
  let keys: [String]

  init(_ keys: [String]) {
    // Strings are equal when they are canonically equivalent. Keys are equal only with the same bytes.
    var counts: [[UInt8]: Int] = [:]
    for key in keys { counts[Array(key.utf8), default: 0] += 1 }
    let duplicates = counts.filter { $0.value > 1 }.keys.sorted { $0.lexicographicallyPrecedes($1) }
    self.keys = duplicates.map { String(decoding: $0, as: UTF8.self) }
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
