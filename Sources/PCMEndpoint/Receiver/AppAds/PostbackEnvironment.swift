/// Where a postback comes from, by its signature. Receivers must not add up postbacks of different environments.
package enum PostbackEnvironment: String, Hashable, Sendable, CaseIterable {
  /// Signed by Apple for apps of the App Store.
  case production
  /// Signed with a development key of Apple, or by Apple for a source app 0, which is signed for development. Any device in
  /// developer mode can send such postbacks.
  case development
  /// Signed with a published test key or another key that is not Apple's.
  case test
}
