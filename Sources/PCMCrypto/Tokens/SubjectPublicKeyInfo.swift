internal import SwiftASN1

/// The SubjectPublicKeyInfo of a token key (RFC 4055; reference, section 8.1), parsed strictly and written in one form.
struct SubjectPublicKeyInfo {
  let form: TokenKeyForm
  /// Big-endian without leading zeros.
  let modulus: [UInt8]
  /// Big-endian without leading zeros.
  let exponent: [UInt8]

  init(der: [UInt8]) throws(TokenKeyError) {
    let envelope = try Envelope(der: der)
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

/// A SubjectPublicKeyInfo with any algorithm.
private struct Envelope {
  let algorithm: AlgorithmIdentifier
  let key: ArraySlice<UInt8>

  init(der: [UInt8]) throws(TokenKeyError) {
    if let count = Self.encodedLength(der), count < der.count { throw .trailingBytes(der.count - count) }
    do {
      self = try DER.sequence(DER.parse(der), identifier: .sequence) { nodes in
        try Envelope(algorithm: AlgorithmIdentifier(derEncoded: &nodes), bits: ASN1BitString(derEncoded: &nodes))
      }
    } catch {
      throw .notSubjectPublicKeyInfo
    }
  }

  private init(algorithm: AlgorithmIdentifier, bits: ASN1BitString) throws(TokenKeyError) {
    guard bits.paddingBits == 0 else { throw .notSubjectPublicKeyInfo }
    (self.algorithm, key) = (algorithm, bits.bytes)
  }

  /// The encoded length of the outermost SEQUENCE, which distinguishes trailing bytes from invalid ones; nil for lengths
  /// that no key has.
  private static func encodedLength(_ der: [UInt8]) -> Int? {
    guard der.count >= 4, der[0] == 0x30 else { return nil }
    switch der[1] {
    case 0..<0x80: return 2 + Int(der[1])
    case 0x81: return 3 + Int(der[2])
    case 0x82: return 4 + Int(der[2]) << 8 + Int(der[3])
    default: return nil
    }
  }
}

/// An AlgorithmIdentifier: an object identifier and its parameters.
struct AlgorithmIdentifier: DERParseable {
  let name: ASN1ObjectIdentifier
  let parameters: ASN1Node?

  init(derEncoded node: ASN1Node) throws {
    self = try DER.sequence(node, identifier: .sequence) { nodes in
      AlgorithmIdentifier(name: try ASN1ObjectIdentifier(derEncoded: &nodes), parameters: nodes.next())
    }
  }

  private init(name: ASN1ObjectIdentifier, parameters: ASN1Node?) {
    self.name = name
    self.parameters = parameters
  }

  var hasNull: Bool {
    guard let parameters else { return false }
    return (try? ASN1Null(derEncoded: parameters)) != nil
  }
}

extension ASN1ObjectIdentifier {
  static let rsaEncryption: Self = [1, 2, 840, 113549, 1, 1, 1]
  static let rsassaPSS: Self = [1, 2, 840, 113549, 1, 1, 10]
  static let mgf1: Self = [1, 2, 840, 113549, 1, 1, 8]
  static let sha384: Self = [2, 16, 840, 1, 101, 3, 4, 2, 2]
}
