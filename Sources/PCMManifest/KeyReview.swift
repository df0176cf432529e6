import PCMCore

/// Finds the keys of the outermost dictionary that resemble a key of a device. Devices ignore them, as if the key were
/// missing.
struct KeyReview {
  private let misspellings: [Misspelling]
  private let present: Set<String>
  /// The other keys with white space at an end.
  private let padded: [String]

  private struct Misspelling {
    let written: String
    let key: AttributionKey
  }

  /// The maximum number of keys that are compared with each correct key. Typical manifests have about fifty keys, and the limit
  /// bounds the time for a hostile manifest.
  private static let comparedLimit = 1_000
  /// The maximum number of misspellings of a key that are named.
  private static let namedLimit = 3
  private static let longest = (KeyCatalog.targets.map(\.letters.count).max() ?? 0) * 7 / 6 + 16

  init(_ keys: [String]) {
    present = Set(keys)
    let written = present.subtracting(KeyCatalog.topLevel.map(\.path)).filter { $0.utf8.count <= Self.longest }.sorted()
    var compared: [[UInt8]: Int] = [:]
    var counts: [AttributionKey: Int] = [:]
    misspellings = written.compactMap { name in
      let key = KeyCatalog.key(named: name) ?? KeyCatalog.key(resembling: name) ?? Self.nearest(to: name, &compared)
      guard let key, counts[key, default: 0] < Self.namedLimit else { return nil }
      counts[key, default: 0] += 1
      return Misspelling(written: name, key: key)
    }
    padded = written.filter { $0.padding != nil }.filter { [misspellings] name in !misspellings.contains { $0.written == name }
    }
  }

  /// Returns the key from which a name differs in at most a sixth of its letters, without case, separators, and the prefix.
  private static func nearest(to name: String, _ compared: inout [[UInt8]: Int]) -> AttributionKey? {
    let letters = KeyCatalog.letters(of: name)
    return EditDistance.nearest(of: KeyCatalog.targets) { target in
      let limit = target.letters.count / 6
      guard abs(letters.count - target.letters.count) <= limit, compared[target.letters, default: 0] < comparedLimit
      else { return nil }
      compared[target.letters, default: 0] += 1
      return EditDistance.between(letters, target.letters, atMost: limit)
    }.first?.key
  }

  /// The keys that may be misspellings of a key, in alphabetical order.
  func nearMisses(of key: InfoDictionary.Key) -> [String] {
    misspellings.filter { $0.key.path == key.rawValue }.map {
      $0.written.padding == nil ? $0.written.asShown : "\"\($0.written.asShown)\""
    }
  }

  /// Returns whether a key has the same letters as a misspelling.
  func explains(_ key: String) -> Bool {
    let letters = KeyCatalog.letters(of: key)
    return misspellings.contains { KeyCatalog.letters(of: $0.written) == letters }
  }

  /// The parts of the app that the misspelled keys intend.
  var intended: Set<Participation> {
    misspellings.reduce(into: []) { $0.formUnion($1.key.participations) }
  }

  var findings: [ManifestFinding] {
    misspellingFindings + (padded.isEmpty ? [] : [paddingFinding])
  }

  private var paddingFinding: ManifestFinding {
    let named = padded.prefix(Self.namedLimit).map { "\"\($0.asShown)\" \($0.padding ?? "")" }.joined(separator: ", ")
    let more = padded.count > Self.namedLimit ? " and \(padded.count - Self.namedLimit) more" : ""
    return ManifestFinding(.keyMisspelled, "The key \(named)\(more): devices read it as another key. Remove the white space.")
  }

  private var misspellingFindings: [ManifestFinding] {
    misspellings.map { misspelling in
      let (written, key) = (misspelling.written.asShown, misspelling.key)
      guard key.isTopLevel else {
        return ManifestFinding(
          .keyMisplaced, "\(written) has no effect here. Move it to \(key.path).", about: key.participations)
      }
      let isEndpoint = key.path == InfoDictionary.Key.endpoint.rawValue
      let cause =
        KeyCatalog.isDisplayName(misspelling.written) ? "Xcode shows this name for the key" : "the key is spelled"
      // A missing endpoint has a separate error. Next to the correct key, a misspelled key changes nothing.
      let isHarmless = isEndpoint || present.contains(key.path)
      let padding = misspelling.written.withoutPadding == key.path ? misspelling.written.padding : nil
      let detail =
        padding.map { "The key \"\(written)\" \($0), so it has no effect: devices read \(key.path). Remove the white space." }
        ?? "\(written) has no effect: \(cause) \(key.path). Rename it."
      return ManifestFinding(
        isEndpoint ? .endpointKeyMisspelled : .keyMisspelled, detail, severity: isHarmless ? .warning : .error,
        about: key.participations)
    }
  }
}

extension String {
  /// The string for use in a finding.
  var asShown: String { asShown(upTo: 80) }

  /// The white space and the invisible characters at the ends, such as `begins with a space`; nil for none.
  var padding: String? {
    let ends = [("begins", unicodeScalars.first), ("ends", unicodeScalars.last)].compactMap { verb, scalar in
      scalar.flatMap { $0.isPadding ? "\(verb) with \($0.paddingName)" : nil }
    }
    return ends.isEmpty ? nil : ends.joined(separator: " and ")
  }

  /// The text without white space and invisible characters at its ends.
  var withoutPadding: String {
    let beginning = unicodeScalars.drop(while: \.isPadding)
    let end = beginning.lastIndex { !$0.isPadding }.map(beginning.index(after:)) ?? beginning.startIndex
    return String(beginning[..<end])
  }
}

extension Unicode.Scalar {
  fileprivate var isPadding: Bool { properties.isWhitespace || !isVisible }

  fileprivate var paddingName: String {
    switch self {
    case " ": "a space"
    case "\t": "a tab"
    case "\n", "\r": "a line break"
    default: "the invisible character U+\(String(value, radix: 16, uppercase: true))"
    }
  }
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
