import PCMCore

/// Looks for keys that are meant to be `NSAdvertisingAttributionReportEndpoint` and are spelled otherwise: a device ignores
/// them, and the endpoint counts as missing.
struct KeyReview {
  /// The keys that look like a misspelling, in alphabetical order.
  let nearMisses: [String]

  /// Keys that are compared. A real manifest has some fifty; the bound keeps a hostile one from taking long.
  private static let comparedLimit = 1_000
  private static let namedLimit = 3
  /// How many letters may differ once case, separators and the prefix are left out.
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

  /// Lower-case letters and digits, without the prefix `NS`: `NS_Advertising-…` and `advertising…` are the same.
  private static func simplified(_ key: String) -> [UInt8] {
    let letters = key.lowercased().utf8.filter { (0x30...0x39).contains($0) || (0x61...0x7A).contains($0) }
    return Array(letters.starts(with: "ns".utf8) ? letters.dropFirst(2)[...] : letters[...])
  }
}

extension String {
  /// As it may stand in a finding: cut, and without characters that would steer a terminal.
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
