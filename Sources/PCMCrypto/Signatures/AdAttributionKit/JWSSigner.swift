package import PCMCore

/// A private key with the identifier under which it signs.
///
/// To sign under one of Apple's key identifiers, use ``init(impersonating:with:)``.
package struct JWSSigner: Sendable {
  package let keyIdentifier: String
  private let key: PrivateKey

  /// Signs postbacks under the identifier of a test key.
  package init(_ pair: TestKeyPair, with key: PrivateKey) throws(SigningError) {
    guard TestKeyPair.adAttributionKit.contains(pair) else { throw .unusedKeyIdentifier(pair.rawValue) }
    try self.init(keyIdentifier: pair.rawValue, key: key)
  }

  /// Signs postbacks under an identifier of Apple with a key that is not Apple's.
  ///
  /// Use it for receivers that cannot be configured with other key identifiers. A receiver with Apple's public keys must
  /// reject these postbacks.
  package init(impersonating identifier: AppleKey, with key: PrivateKey) throws(SigningError) {
    guard AppleKey.adAttributionKit.contains(identifier) else { throw .unusedKeyIdentifier(identifier.rawValue) }
    try self.init(keyIdentifier: identifier.rawValue, key: key)
  }

  /// Signs impressions of an ad network.
  package init(adNetworkIdentifier: String, with key: PrivateKey) throws(SigningError) {
    guard AppleKey(rawValue: adNetworkIdentifier) == nil else { throw .reservedKeyIdentifier(adNetworkIdentifier) }
    try self.init(keyIdentifier: adNetworkIdentifier, key: key)
  }

  private init(keyIdentifier: String, key: PrivateKey) throws(SigningError) {
    guard key.curve == .p256 else { throw .wrongCurve(key.curve, expected: .p256) }
    (self.keyIdentifier, self.key) = (keyIdentifier, key)
  }

  /// Returns the compact serialization of a signed payload.
  package func sign(_ payload: JSON, slashes: SlashForm = .escaped) throws(SigningError) -> String {
    let header: JSON = ["kid": .string(keyIdentifier), "alg": "ES256"]
    let input = [header, payload].map { Base64URL.encode($0.bytes(slashes)) }.joined(separator: ".")
    do throws(KeyError) {
      let signature = try key.sign(Array(input.utf8))
      guard let raw = signature.raw(byteCount: Curve.p256.byteCount) else { throw KeyError.failedCall("ECDSA_sign") }
      return input + "." + Base64URL.encode(raw)
    } catch {
      throw .key(error)
    }
  }
}
