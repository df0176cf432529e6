/// The keys with which a device signs its postbacks of AdAttributionKit.
package enum PostbackKeyChoice: String, Hashable, Sendable, CaseIterable {
  /// The published test keys. Development postbacks use the first one.
  case test
  /// The same, except that development postbacks use the second one.
  case secondDevelopment = "test-second-development"
  /// A fault: the published test keys under Apple's key identifiers, which a receiver with Apple's keys must reject.
  case appleIdentifiers = "apple-identifiers"
}
