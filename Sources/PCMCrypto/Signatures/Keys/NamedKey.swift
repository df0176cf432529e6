/// A public key with its name in verdicts.
package struct NamedKey: Sendable {
  /// A short name, such as a file name.
  package let name: String
  /// The signatures that the key creates, for people.
  package let use: String
  package let key: PublicKey

  package init(name: String, use: String, key: PublicKey) {
    self.name = name
    self.use = use
    self.key = key
  }

  package init(_ pair: TestKeyPair) throws(KeyError) {
    self.init(name: pair.rawValue, use: "the published test key for \(pair.use)", key: try PublicKey(base64: pair.publicKey))
  }

  package init(apple: AppleKey) throws(KeyError) {
    self.init(name: apple.rawValue, use: apple.use, key: try apple.publicKey())
  }
}

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
