internal import SwiftASN1

/// The elliptic curves of the signatures.
package enum Curve: String, Hashable, Sendable, CaseIterable {
  /// NIST P-192, which OpenSSL calls prime192v1.
  case p192 = "P-192"
  /// NIST P-256, which OpenSSL calls prime256v1.
  case p256 = "P-256"

  /// The size of a coordinate in bytes.
  var byteCount: Int { self == .p192 ? 24 : 32 }

  /// The named curve of a key (RFC 5480).
  init(_ algorithm: AlgorithmIdentifier) throws(KeyError) {
    guard algorithm.name == .ecPublicKey else {
      throw .wrongAlgorithm(objectIdentifier: String(describing: algorithm.name))
    }
    switch algorithm.curve {
    case .p192?: self = .p192
    case .p256?: self = .p256
    case let other: throw .wrongCurve(objectIdentifier: other.map { String(describing: $0) })
    }
  }

  /// The curve of a private key in PKCS #8 (RFC 5958).
  init(pkcs8: [UInt8]) throws(KeyError) {
    let algorithm = try? DER.sequence(DER.parse(pkcs8), identifier: .sequence) { nodes in
      _ = try Int(derEncoded: &nodes)
      let algorithm = try AlgorithmIdentifier(derEncoded: &nodes)
      while nodes.next() != nil {}
      return algorithm
    }
    guard let algorithm else { throw .notPrivateKey }
    try self.init(algorithm)
  }
}
