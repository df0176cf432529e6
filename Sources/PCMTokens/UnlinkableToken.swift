/// A secret of 32 random bytes that a site signs without seeing it, and that the report then shows together with the
/// signature (reference, section 8.1).
package struct UnlinkableToken: Hashable, Sendable {
  package static let byteCount = 32

  package let bytes: [UInt8]

  /// - Parameter bytes: 32 of them; who draws them decides from what.
  package init(bytes: [UInt8]) throws(TokenRefusal) {
    guard bytes.count == Self.byteCount else { throw .wrongTokenSize(bytes.count) }
    self.bytes = bytes
  }

  /// Hides the token from the site that is to sign it.
  ///
  /// The blinding factor and the salt of the padding are drawn by the crypto library itself, which takes no generator: the
  /// same token blinded twice gives different blinded messages and different signatures.
  ///
  /// - Throws: ``TokenRefusal/unusablePublicKey``
  package func blind(with key: TokenPublicKey) throws(TokenRefusal) -> BlindedToken {
    try BlindedToken(self, key: key)
  }
}

/// A token, its signature and the name of the key that made it: what a browser keeps until the report.
package struct SignedToken: Hashable, Sendable {
  package let token: UnlinkableToken
  /// As many bytes as the key's modulus.
  package let signature: [UInt8]
  package let keyID: KeyID

  package init(token: UnlinkableToken, signature: [UInt8], keyID: KeyID) {
    self.token = token
    self.signature = signature
    self.keyID = keyID
  }
}
