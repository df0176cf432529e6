internal import Crypto
internal import PCMCore
internal import SwiftASN1

/// A public key for ECDSA with SHA-256 on P-192 or P-256.
package struct PublicKey: Sendable {
  package let curve: Curve
  /// The DER bytes of the SubjectPublicKeyInfo.
  package let spki: [UInt8]
  private let key: Key

  private enum Key: Sendable {
    case p192(P192PublicKey)
    case p256(P256.Signing.PublicKey)
  }

  /// - Parameter spki: The DER bytes of a SubjectPublicKeyInfo with a named curve and an uncompressed point.
  package init(spki: [UInt8]) throws(KeyError) {
    guard let envelope = try? KeyEnvelope(derEncoded: spki), let form = envelope.key.first else {
      throw .notSubjectPublicKeyInfo
    }
    curve = try Curve(envelope.algorithm)
    guard form != 2, form != 3 else { throw .compressedPoint }
    guard form == 4, envelope.key.count == 1 + 2 * curve.byteCount else { throw .pointNotOnCurve }
    self.spki = spki
    switch curve {
    case .p192: key = .p192(try P192PublicKey(spki: spki))
    case .p256:
      do {
        key = .p256(try P256.Signing.PublicKey(x963Representation: envelope.key))
      } catch {
        throw .pointNotOnCurve
      }
    }
  }

  /// - Parameter base64: The SubjectPublicKeyInfo in Base64, as Apple publishes keys.
  package init(base64: String) throws(KeyError) {
    guard let spki = Base64.decode(base64) else { throw .notBase64 }
    try self.init(spki: spki)
  }

  /// Returns whether this key signed the message.
  package func verifies(_ signature: ECDSASignature, over message: [UInt8]) -> Bool {
    guard let raw = signature.raw(byteCount: curve.byteCount) else { return false }
    switch key {
    case .p192(let key): return key.verifies(signature.der, over: message)
    case .p256(let key):
      let signature = try? P256.Signing.ECDSASignature(rawRepresentation: raw)
      return signature.map { key.isValidSignature($0, for: message) } ?? false
    }
  }

  /// Returns the hash function other than SHA-256 with which this key signed the message; nil if there is none.
  package func otherHash(of signature: ECDSASignature, over message: [UInt8]) -> String? {
    guard case .p256(let key) = key, let raw = signature.raw(byteCount: curve.byteCount),
      let signature = try? P256.Signing.ECDSASignature(rawRepresentation: raw)
    else { return nil }
    if key.isValidSignature(signature, for: SHA512.hash(data: message)) { return "SHA-512" }
    if key.isValidSignature(signature, for: SHA384.hash(data: message)) { return "SHA-384" }
    return key.isValidSignature(signature, for: Insecure.SHA1.hash(data: message)) ? "SHA-1" : nil
  }
}
