internal import Crypto
internal import CryptoExtras

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

/// A token between blinding and signature. It lives in memory only: the crypto library lets nobody store what undoes the
/// blinding, so that an exchange that a stop interrupts has to begin anew.
package struct BlindedToken: Sendable {
  package let token: UnlinkableToken
  package let key: TokenPublicKey
  /// What the site signs: as many bytes as the key's modulus. It says nothing about the token.
  package let blindedMessage: [UInt8]
  /// A structure of constant bytes, which the library does not declare to be `Sendable`.
  private nonisolated(unsafe) let inverse: _RSA.BlindSigning.BlindingInverse

  init(_ token: UnlinkableToken, key: TokenPublicKey) throws(TokenRefusal) {
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

  /// Takes the blinding off the site's answer and verifies what comes out.
  ///
  /// - Throws: ``TokenRefusal/wrongBlindSignatureSize(_:expected:)`` or ``TokenRefusal/signatureDoesNotVerify``
  package func finalise(blindSignature: [UInt8]) throws(TokenRefusal) -> SignedToken {
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
