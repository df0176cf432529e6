/// The conversion of a postback of AdAttributionKit.
package enum ConversionType: String, Hashable, Sendable, CaseIterable {
  case download
  case redownload
  /// Since iOS 18.
  case reengagement = "re-engagement"
}
