/// The conversion of an AdAttributionKit postback.
package enum ConversionType: String, Hashable, Sendable, CaseIterable {
  case download
  case redownload
  /// Since iOS 18.
  case reengagement = "re-engagement"
}
