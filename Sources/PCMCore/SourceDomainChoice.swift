/// The site that `source_domain` of a web ad names (SKAdNetwork reference, section 2.3).
package enum SourceDomainChoice: String, Hashable, Sendable, CaseIterable {
  /// The website that displays the ad.
  case displayingSite = "displaying-site"
  /// The ad network that seeks attribution.
  case adNetwork = "ad-network"
}
