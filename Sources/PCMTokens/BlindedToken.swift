internal import Crypto
internal import CryptoExtras

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
