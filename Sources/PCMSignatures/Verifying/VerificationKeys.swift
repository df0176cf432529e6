/// The public keys that a verifier knows.
package enum VerificationKeys: Sendable {
  /// Apple's keys for postbacks. Impressions cannot be verified with them.
  case apple
  /// The published test keys, for postbacks of a simulated device and impressions of the test ad network.
  case test
  /// The key of an ad network for its impressions, or of a device for its postbacks. The version of a postback decides between
  /// keys on different curves.
  case given([NamedKey])
}
