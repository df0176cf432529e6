internal import Crypto

/// A private key for ECDSA with SHA-256 on P-192 or P-256. It prints as a placeholder.
package struct PrivateKey: Sendable, CustomStringConvertible {
  package let publicKey: PublicKey
  private let key: Key

  private enum Key: Sendable {
    case p192(P192Key)
    case p256(P256.Signing.PrivateKey)
  }

  package var curve: Curve { publicKey.curve }
  package var description: String { "<private key>" }

  /// - Parameter pem: PKCS #8 text without a password, as `openssl genpkey` writes it.
  package init(pem: String) throws(KeyError) {
    guard pem.utf8.count <= PublicKey.fileLimit else { throw .tooLarge(limit: PublicKey.fileLimit) }
    let pkcs8 = try PEMBlock.content(of: pem, label: "PRIVATE KEY")
    switch try ECPrivateKeyStructure.curve(der: pkcs8) {
    case .p192:
      let key = try P192Key(pkcs8: pkcs8)
      self.key = .p192(key)
      publicKey = try PublicKey(spki: key.spki)
      guard publicKey.curve == .p192 else { throw .notPrivateKey }
    case .p256:
      guard let key = try? P256.Signing.PrivateKey(derRepresentation: pkcs8) else { throw .notPrivateKey }
      self.key = .p256(key)
      publicKey = try PublicKey(spki: Array(key.publicKey.derRepresentation))
    }
  }

  /// Signs a message. The random number of the signature is that of the crypto library, so two signatures of the same message
  /// differ.
  package func sign(_ message: [UInt8]) throws(KeyError) -> ECDSASignature {
    switch key {
    case .p192(let key):
      guard let signature = ECDSASignature(der: try key.sign(message)) else { throw .failedCall("EVP_DigestSign") }
      return signature
    case .p256(let key):
      let signature = try? key.signature(for: message).rawRepresentation
      guard let signature = signature.flatMap({ ECDSASignature(raw: Array($0)) }) else { throw .failedCall("ECDSA_sign") }
      return signature
    }
  }
}
