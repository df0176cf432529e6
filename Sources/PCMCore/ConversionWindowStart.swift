/// When the conversion windows of production begin: Apple's pages disagree (SKAdNetwork reference, section 13, point 3;
/// AdAttributionKit reference, section 13).
package enum ConversionWindowStart: String, Hashable, Sendable, CaseIterable {
  /// With the first launch of the app.
  case launch
  /// With the first update of the conversion value.
  case firstUpdate = "first-update"
}
