package import PCMCore

/// What an endpoint receives.
package enum CheckKind: String, Hashable, Sendable, CaseIterable {
  /// Reports of Private Click Measurement.
  case report
  /// Postbacks of SKAdNetwork.
  case skadnetwork
  /// Postbacks of AdAttributionKit.
  case adattributionkit

  package init(_ framework: AdFramework) { self = framework == .skadnetwork ? .skadnetwork : .adattributionkit }

  /// The framework of the postbacks; nil for reports.
  package var framework: AdFramework? { AdFramework(rawValue: rawValue) }
}
