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
  package func copyURL(at site: Site) -> String {
    switch self {
    case .skadnetwork: "https://\(site.domain)/.well-known/skadnetwork/report-attribution/"
    case .adattributionkit: "https://\(site.domain)/.well-known/appattribution/report-attribution/"
    }
  }
}
