internal import SwiftASN1

/// A SubjectPublicKeyInfo with any algorithm (RFC 5280, section 4.1.2.7).
struct KeyEnvelope: DERParseable {
  let algorithm: AlgorithmIdentifier
  /// The content of the bit string.
  let key: ArraySlice<UInt8>

  init(derEncoded node: ASN1Node) throws {
    let bits: ASN1BitString
    (algorithm, bits) = try DER.sequence(node, identifier: .sequence) { nodes in
      (try AlgorithmIdentifier(derEncoded: &nodes), try ASN1BitString(derEncoded: &nodes))
    }
    guard bits.paddingBits == 0 else { throw ASN1Error.invalidASN1Object(reason: "a key has whole bytes") }
    key = bits.bytes
  }
}

/// An AlgorithmIdentifier: an object identifier and its parameters.
struct AlgorithmIdentifier: DERParseable {
  let name: ASN1ObjectIdentifier
  let parameters: ASN1Node?

  init(derEncoded node: ASN1Node) throws {
    (name, parameters) = try DER.sequence(node, identifier: .sequence) { nodes in
      (try ASN1ObjectIdentifier(derEncoded: &nodes), nodes.next())
    }
  }

  var hasNull: Bool { parameters.map { (try? ASN1Null(derEncoded: $0)) != nil } ?? false }

  /// The parameters of a key on a named curve; nil for other keys.
  var curve: ASN1ObjectIdentifier? { parameters.flatMap { try? ASN1ObjectIdentifier(derEncoded: $0) } }
}

/// The names of algorithms (RFC 4055) and curves (RFC 5480).
extension ASN1ObjectIdentifier {
  static let rsaEncryption: Self = [1, 2, 840, 113549, 1, 1, 1]
  static let rsassaPSS: Self = [1, 2, 840, 113549, 1, 1, 10]
  static let mgf1: Self = [1, 2, 840, 113549, 1, 1, 8]
  static let sha384: Self = [2, 16, 840, 1, 101, 3, 4, 2, 2]
  static let ecPublicKey: Self = [1, 2, 840, 10045, 2, 1]
  static let p192: Self = [1, 2, 840, 10045, 3, 1, 1]
  static let p256: Self = [1, 2, 840, 10045, 3, 1, 7]
  static let p384: Self = [1, 3, 132, 0, 34]
  static let p521: Self = [1, 3, 132, 0, 35]
}
