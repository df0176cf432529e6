internal import SwiftASN1

/// RSASSA-PSS-params (RFC 4055, section 3.1) with the only values of the scheme: SHA-384, MGF1 with SHA-384, a salt of 48
/// bytes, and no trailer field.
enum PSSParameters {
  private static let saltLength = 48

  /// - Throws: `wrongPSSParameters` with the first field that differs from the scheme.
  static func form(of parameters: ASN1Node?) throws(TokenKeyError) -> TokenKeyForm {
    guard let fields = fields(of: parameters) else { throw .wrongPSSParameters(.all) }
    guard let hash = fields.first(where: { $0.tag == 0 }), let hashHasNull = isSHA384(hash.value) else {
      throw .wrongPSSParameters(.hash)
    }
    guard let mask = fields.first(where: { $0.tag == 1 }), let maskHasNull = isMGF1WithSHA384(mask.value) else {
      throw .wrongPSSParameters(.maskGeneration)
    }
    guard let salt = fields.first(where: { $0.tag == 2 }), (try? Int(derEncoded: salt.value)) == saltLength else {
      throw .wrongPSSParameters(.saltLength)
    }
    guard !fields.contains(where: { $0.tag == 3 }) else { throw .wrongPSSParameters(.trailer) }
    guard fields.map(\.tag) == [0, 1, 2] else { throw .wrongPSSParameters(.all) }
    return hashHasNull || maskHasNull ? .rsassaPSSWithNull : .rsassaPSS
  }

  static func write(into serializer: inout DER.Serializer) throws {
    try serializer.appendConstructedNode(identifier: .sequence) { fields in
      try fields.serialize(explicitlyTaggedWithTagNumber: 0, tagClass: .contextSpecific) { try writeSHA384(into: &$0) }
      try fields.serialize(explicitlyTaggedWithTagNumber: 1, tagClass: .contextSpecific) { field in
        try field.appendConstructedNode(identifier: .sequence) { algorithm in
          try algorithm.serialize(ASN1ObjectIdentifier.mgf1)
          try writeSHA384(into: &algorithm)
        }
      }
      try fields.serialize(explicitlyTaggedWithTagNumber: 2, tagClass: .contextSpecific) { try $0.serialize(saltLength) }
    }
  }

  private static func writeSHA384(into serializer: inout DER.Serializer) throws {
    try serializer.appendConstructedNode(identifier: .sequence) { try $0.serialize(ASN1ObjectIdentifier.sha384) }
  }

  /// Returns the explicitly tagged fields in order; nil for other structures.
  private static func fields(of node: ASN1Node?) -> [(tag: UInt, value: ASN1Node)]? {
    guard let node, node.identifier == .sequence, case .constructed(let children) = node.content else { return nil }
    var fields: [(tag: UInt, value: ASN1Node)] = []
    for child in children {
      let tag = child.identifier.tagNumber
      let value = try? DER.explicitlyTagged(child, tagNumber: tag, tagClass: .contextSpecific) { $0 }
      guard let value else { return nil }
      fields.append((tag, value))
    }
    return fields
  }

  /// Returns nil for another hash; otherwise, whether the identifier has NULL parameters.
  private static func isSHA384(_ node: ASN1Node) -> Bool? {
    guard let algorithm = try? AlgorithmIdentifier(derEncoded: node), algorithm.name == .sha384 else { return nil }
    return algorithm.parameters == nil ? false : algorithm.hasNull ? true : nil
  }

  private static func isMGF1WithSHA384(_ node: ASN1Node) -> Bool? {
    guard let algorithm = try? AlgorithmIdentifier(derEncoded: node), algorithm.name == .mgf1 else { return nil }
    return algorithm.parameters.flatMap(isSHA384)
  }
}
