internal import Crypto
internal import CryptoExtras

/// A secret of 32 random bytes with a blind signature of a site. The report contains the token and its signature
/// (reference, section 8.1).
package struct UnlinkableToken: Hashable, Sendable {
  package static let byteCount = 32

  package let bytes: [UInt8]

  /// - Parameter bytes: 32 bytes. The caller determines their randomness.
  package init(bytes: [UInt8]) throws(TokenError) {
    guard bytes.count == Self.byteCount else { throw .wrongTokenSize(bytes.count) }
    self.bytes = bytes
  }

  /// Blinds the token for the site that signs it.
  ///
  /// The crypto library generates the blinding factor and the salt and does not accept a generator: blinding the same token
  /// twice produces different blinded messages and signatures.
  ///
  /// - Throws: ``TokenError/unusablePublicKey``
  package func blind(with key: TokenPublicKey) throws(TokenError) -> BlindedToken {
    try BlindedToken(self, key: key)
  }
}

/// A token, its signature, and the identifier of the signing key, which a browser stores until it sends the report.
package struct SignedToken: Hashable, Sendable {
  package let token: UnlinkableToken
  /// The signature, as many bytes as the key's modulus.
  package let signature: [UInt8]
  package let keyID: KeyID

  package init(token: UnlinkableToken, signature: [UInt8], keyID: KeyID) {
    self.token = token
    self.signature = signature
    self.keyID = keyID
  }
}

/// A blinded token before the site's response. It exists only in memory: the crypto library does not export the blinding
/// factor, so an interrupted exchange starts again.
package struct BlindedToken: Sendable {
  package let token: UnlinkableToken
  package let key: TokenPublicKey
  /// The message for the site to sign, as many bytes as the key's modulus. It reveals nothing about the token.
  package let blindedMessage: [UInt8]
  /// A structure of constant bytes, which the library does not declare as `Sendable`.
  private nonisolated(unsafe) let inverse: _RSA.BlindSigning.BlindingInverse

  init(_ token: UnlinkableToken, key: TokenPublicKey) throws(TokenError) {
    do {
      let result = try key.key.blind(key.key.prepare(token.bytes))
      blindedMessage = Array(result.blindedMessage)
      inverse = result.inverse
    } catch {
      throw .unusablePublicKey
    }
    self.token = token
    self.key = key
  }

  /// Unblinds the site's response and verifies the signature.
  ///
  /// - Throws: ``TokenError/wrongBlindSignatureSize(_:expected:)`` or ``TokenError/signatureDoesNotVerify``
  package func finalize(blindSignature: [UInt8]) throws(TokenError) -> SignedToken {
    guard blindSignature.count == key.modulusByteCount else {
      throw .wrongBlindSignatureSize(blindSignature.count, expected: key.modulusByteCount)
    }
    do {
      let signature = try key.key.finalize(
        _RSA.BlindSigning.BlindSignature(rawRepresentation: blindSignature), for: key.key.prepare(token.bytes),
        blindingInverse: inverse)
      return SignedToken(token: token, signature: Array(signature.rawRepresentation), keyID: key.id)
    } catch {
      throw .signatureDoesNotVerify
    }
  }
}
