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
}
