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

  /// Returns the site of a URL for copies of the framework's postbacks; nil for other text.
  package func site(ofCopyURL url: String) -> Site? {
    let site = Site(String(url.dropFirst("https://".count).prefix { $0 != "/" }))
    let isHost = !site.domain.isEmpty && site.domain.utf8.allSatisfy { (0x21...0x7E).contains($0) }
    return isHost && site.domain == site.domain.lowercased() && copyURL(at: site) == url ? site : nil
  }
}
