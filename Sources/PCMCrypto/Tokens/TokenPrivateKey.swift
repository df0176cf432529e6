internal import Crypto
internal import CryptoExtras
internal import PCMCore

/// The private key of a signer, which a report endpoint keeps secret (reference, section 8.5).
package struct TokenPrivateKey: Sendable {
  /// The sizes of generated keys. Keys of 2048 to 4096 bits can be read.
  package enum Size: Int, CaseIterable, Sendable {
    case bits2048 = 2048
    case bits3072 = 3072
    case bits4096 = 4096
  }

  package let publicKey: TokenPublicKey
  /// The public key as an endpoint serves it: the base64url encoding of a SubjectPublicKeyInfo in
  /// ``TokenKeyForm/rsassaPSS``.
  package let publicKeyWire: String
  private let key: _RSA.BlindSigning.PrivateKey<SHA384>

  /// Generates a key with the exponent 65537. The randomness comes from the crypto library, which does not accept a
  /// generator.
  package init(generating size: Size) throws(TokenKeyError) {
    let key: _RSA.BlindSigning.PrivateKey<SHA384>
    do {
      key = try _RSA.BlindSigning.PrivateKey(
        keySize: _RSA.Signing.KeySize(bitCount: size.rawValue), parameters: .RSABSSA_SHA384_PSS_Deterministic)
    } catch {
      throw .notGenerated
    }
    try self.init(key)
  }

  /// Parses PKCS #8 or PKCS #1 text without a password, as ``pem`` and `openssl genrsa` write it.
  package init(pem: String) throws(TokenKeyError) {
    let key: _RSA.BlindSigning.PrivateKey<SHA384>
    do {
      // The public key is checked for its size, with a specific error.
      key = try _RSA.BlindSigning.PrivateKey(
        unsafePEMRepresentation: pem, parameters: .RSABSSA_SHA384_PSS_Deterministic)
    } catch {
      throw .notPrivateKey
    }
    try self.init(key)
  }

  private init(_ key: _RSA.BlindSigning.PrivateKey<SHA384>) throws(TokenKeyError) {
    let spki: [UInt8]
    do {
      let numbers = try key.publicKey.getKeyPrimitives()
      spki = try SubjectPublicKeyInfo.der(
        modulus: Array(numbers.modulus)[...], exponent: Array(numbers.publicExponent)[...])
    } catch {
      throw .notPrivateKey
    }
    self.key = key
    publicKey = try TokenPublicKey(spki: spki)
    publicKeyWire = Base64URL.encode(spki)
  }

  /// The key in PKCS #8 with the algorithm rsaEncryption, for a file with restricted permissions.
  package var pem: String { key.pkcs8PEMRepresentation }

  /// Performs the raw RSA private operation (RFC 9474, section 4.3). The library verifies the result before it returns it.
  ///
  /// - Parameter blindedMessage: As many bytes as the modulus, with a value less than the modulus.
  /// - Returns: The blind signature, as many bytes as the modulus.
  package func sign(blindedMessage: [UInt8]) throws(TokenError) -> [UInt8] {
    guard blindedMessage.count == publicKey.modulusByteCount else {
      throw .wrongBlindedMessageSize(blindedMessage.count, expected: publicKey.modulusByteCount)
    }
    guard blindedMessage.lexicographicallyPrecedes(publicKey.modulus) else { throw .blindedMessageNotBelowModulus }
    do {
      return Array(try key.blindSignature(for: blindedMessage).rawRepresentation)
    } catch {
      throw .unusablePrivateKey
    }
  }
}
