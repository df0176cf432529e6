/// A private key for ECDSA with SHA-256 on P-192 or P-256. Its description is a placeholder.
package struct PrivateKey: Sendable, CustomStringConvertible {
  package let publicKey: PublicKey
  private let key: ECPrivateKey

  package var curve: Curve { publicKey.curve }
  package var description: String { "<private key>" }

  /// - Parameter pem: PKCS #8 text without a password, as `openssl genpkey` writes it.
  package init(pem: String) throws(KeyError) {
    guard pem.utf8.count <= PublicKey.fileLimit else { throw .tooLarge(limit: PublicKey.fileLimit) }
    let pkcs8 = try PEMBlock.content(of: pem, label: "PRIVATE KEY")
    let curve = try Curve(pkcs8: pkcs8)
    key = try ECPrivateKey(pkcs8: pkcs8)
    publicKey = try PublicKey(spki: key.spki)
    guard publicKey.curve == curve else { throw .notPrivateKey }
  }

  /// Signs a message. The nonce of RFC 6979 makes the signature deterministic.
  package func sign(_ message: [UInt8]) throws(KeyError) -> ECDSASignature { try key.sign(message) }

  func signature(of text: SignedText) throws(SigningError) -> ECDSASignature {
    do throws(KeyError) {
      return try sign(text.bytes)
    } catch {
      throw .key(error)
    }
  }
}
