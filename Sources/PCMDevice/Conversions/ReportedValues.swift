import PCMCore
package import PCMCrypto

/// A call of the advertised app that reports a value (SKAdNetwork reference, sections 4 and 5; AdAttributionKit reference,
/// section 4). SKAdNetwork calls with a value apply to both frameworks.
extension ConversionValueInput {
  var coarse: ConversionValue.Coarse? { coarseValue.flatMap(ConversionValue.Coarse.init) }

  /// Whether the call only registers the install.
  var isRegistration: Bool { fineValue == nil && coarseValue == nil }
}

extension ConversionType {
  package var isReengagement: Bool { self == .reengagement }

  /// The name in `PostbackUpdate.ConversionType`.
  var updateName: String { isReengagement ? "reengagement" : "install" }
}

/// The values that an app reported in a window.
package struct ReportedValues: Hashable, Codable, Sendable {
  package var fine: Int64?
  package var coarse: ConversionValue.Coarse?

  package init(fine: Int64? = nil, coarse: ConversionValue.Coarse? = nil) {
    self.fine = fine
    self.coarse = coarse
  }
}
