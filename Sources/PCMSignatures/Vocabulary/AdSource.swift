/// Where an ad was displayed.
package enum AdSource: Hashable, Sendable {
  /// An app, by its identifier in the App Store; 0 for an app that is signed for development.
  case app(Int64)
  /// A website, by its registrable domain. Only SKAdNetwork 4.0.
  case site(String)
}
