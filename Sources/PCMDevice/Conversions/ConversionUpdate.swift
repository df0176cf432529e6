package import PCMCore
package import PCMCrypto

/// A call of the advertised app that reports a value (SKAdNetwork reference, sections 4 and 5; AdAttributionKit reference,
/// section 4).
package struct ConversionUpdate: Hashable, Sendable {
  /// The framework whose call the app makes. The calls of SKAdNetwork that report a value reach both.
  package var framework: AdFramework
  /// A number of `ConversionValue.fineValues`; nil for `registerAppForAdNetworkAttribution()`.
  package var fine: Int64?
  package var coarse: ConversionValue.Coarse?
  /// Ends the current window.
  package var locks: Bool
  /// The types of conversions to update; nil for all.
  package var types: Set<Kind>?
  /// Selects one re-engagement.
  package var tag: String?

  package init(
    _ framework: AdFramework, fine: Int64?, coarse: ConversionValue.Coarse? = nil, locks: Bool = false,
    types: Set<Kind>? = nil, tag: String? = nil
  ) {
    self.framework = framework
    self.fine = fine
    self.coarse = coarse
    self.locks = locks
    self.types = types
    self.tag = tag
  }

  /// `PostbackUpdate.ConversionType`.
  package enum Kind: String, Hashable, Sendable, CaseIterable {
    case install
    case reengagement
  }

  /// Whether the call only registers the install.
  var isRegistration: Bool { fine == nil && coarse == nil }
}

extension ConversionType {
  package var kind: ConversionUpdate.Kind { self == .reengagement ? .reengagement : .install }
}

/// The values that an app reported in a window.
package struct ReportedValues: Hashable, Sendable {
  package var fine: Int64?
  package var coarse: ConversionValue.Coarse?

  package init(fine: Int64? = nil, coarse: ConversionValue.Coarse? = nil) {
    self.fine = fine
    self.coarse = coarse
  }
}
