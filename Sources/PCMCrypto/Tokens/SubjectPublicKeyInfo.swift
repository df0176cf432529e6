internal import SwiftASN1

/// The SubjectPublicKeyInfo of a token key (RFC 4055; reference, section 8.1), parsed strictly and written in one form.
struct SubjectPublicKeyInfo {
  let form: TokenKeyForm
  /// Big-endian without leading zeros.
  let modulus: [UInt8]
  /// Big-endian without leading zeros.
  let exponent: [UInt8]

  init(der: [UInt8]) throws(TokenKeyError) {
    if let count = Self.encodedLength(der), count < der.count { throw .trailingBytes(der.count - count) }
    guard let envelope = try? KeyEnvelope(derEncoded: der) else { throw .notSubjectPublicKeyInfo }
    form = try Self.form(of: envelope.algorithm)
    do {
      (modulus, exponent) = try DER.sequence(DER.parse(envelope.key), identifier: .sequence) { nodes in
        (Array(try ArraySlice<UInt8>(derEncoded: &nodes)), Array(try ArraySlice<UInt8>(derEncoded: &nodes)))
      }
    } catch {
      throw .notRSAPublicKey
    }
  }

  private static func form(of algorithm: AlgorithmIdentifier) throws(TokenKeyError) -> TokenKeyForm {
    switch algorithm.name {
    case .rsaEncryption:
      guard algorithm.hasNull else { throw .wrongRSAParameters }
      return .rsaEncryption
    case .rsassaPSS: return try PSSParameters.form(of: algorithm.parameters)
    default: throw .wrongAlgorithm(objectIdentifier: String(describing: algorithm.name))
    }
  }

  /// Returns the encoded length of the outermost SEQUENCE, which distinguishes trailing bytes from invalid bytes; nil for
  /// lengths that no key has.
  private static func encodedLength(_ der: [UInt8]) -> Int? {
    guard der.count >= 4, der[0] == 0x30 else { return nil }
    switch der[1] {
    case 0..<0x80: return 2 + Int(der[1])
    case 0x81: return 3 + Int(der[2])
    case 0x82: return 4 + Int(der[2]) << 8 + Int(der[3])
    default: return nil
    }
  }

  /// Returns the DER bytes of a key in ``TokenKeyForm/rsassaPSS``.
  ///
  /// - Throws: The errors of swift-asn1, which do not occur for numbers and identifiers.
  static func der(modulus: ArraySlice<UInt8>, exponent: ArraySlice<UInt8>) throws -> [UInt8] {
    var key = DER.Serializer()
    try key.appendConstructedNode(identifier: .sequence) { key in
      try key.serialize(modulus)
      try key.serialize(exponent)
    }
    let wrapped = ASN1BitString(bytes: key.serializedBytes[...])
    var info = DER.Serializer()
    try info.appendConstructedNode(identifier: .sequence) { info in
      try info.appendConstructedNode(identifier: .sequence) { algorithm in
        try algorithm.serialize(ASN1ObjectIdentifier.rsassaPSS)
        try PSSParameters.write(into: &algorithm)
      }
      try info.serialize(wrapped)
    }
    return info.serializedBytes
  }
}
