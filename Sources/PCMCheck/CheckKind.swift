package import PCMCore

/// What an endpoint receives.
package enum CheckKind: String, Hashable, Sendable, CaseIterable {
  /// Reports of Private Click Measurement.
  case report
  /// Postbacks of SKAdNetwork.
  case skadnetwork
  /// Postbacks of AdAttributionKit.
  case adattributionkit

  package init(_ framework: AdFramework) {
    self =
      switch framework {
      case .skadnetwork: .skadnetwork
      case .adattributionkit: .adattributionkit
      }
  }

  /// The framework of the postbacks; nil for reports.
  package var framework: AdFramework? {
    switch self {
    case .report: nil
    case .skadnetwork: .skadnetwork
    case .adattributionkit: .adattributionkit
    }
  }
}
