/// The two frameworks of Apple that attribute installs of apps to ads.
package enum AdFramework: String, Hashable, Sendable, CaseIterable {
  case skadnetwork
  case adattributionkit

  /// The name in sentences.
  package var title: String {
    switch self {
    case .skadnetwork: "SKAdNetwork"
    case .adattributionkit: "AdAttributionKit"
    }
  }

  /// The URL at which a site receives copies of the framework's postbacks.
  package func copyURL(at site: Site) -> String { "https://\(site.domain)\(copyPath)" }

  /// The path of that URL. It ends with a slash.
  package var copyPath: String {
    switch self {
    case .skadnetwork: "/.well-known/skadnetwork/report-attribution/"
    case .adattributionkit: "/.well-known/appattribution/report-attribution/"
    }
  }
}

/// Whether the user tapped an ad or only saw it, in both frameworks.
package enum InteractionType: String, Hashable, Codable, Sendable, CaseIterable {
  case click
  case view
}

/// The identifiers of ad networks, such as `example123.skadnetwork` (SKAdNetwork reference, section 1).
///
/// Identifiers that end in `.skadnetwork` and in `.adattributionkit` work in both frameworks, and Apple's samples have neither
/// ending (`com.example`), so the ending decides nothing.
package enum AdNetworkIdentifier {
  /// The maximum number of bytes. The identifiers that Apple assigns have ten characters before the suffix.
  package static let maximumLength = 64

  /// The form of an identifier, for use in a sentence.
  package static let form = "an identifier of 1 to \(maximumLength) letters, digits, hyphens, periods, and underscores"

  /// Why a device does not recognize an identifier.
  package enum Flaw: Hashable, Sendable {
    case empty
    /// More bytes than ``maximumLength``.
    case tooLong
    /// Characters other than ASCII letters, digits, hyphens, periods, and underscores.
    case characters
    case upperCase
  }

  /// Returns why a device does not recognize an identifier; nil if it does.
  package static func flaw(in text: String) -> Flaw? {
    if text.isEmpty { return .empty }
    if text.utf8.count > maximumLength { return .tooLong }
    if !BundleIdentifier.hasAllowedCharacters(text) { return .characters }
    return text.utf8.contains { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0) } ? .upperCase : nil
  }

  /// Returns whether the text has the form of an identifier, in either case.
  package static func isWellFormed(_ text: String) -> Bool {
    switch flaw(in: text) {
    case nil, .upperCase: true
    case .empty, .tooLong, .characters: false
    }
  }
}
