internal import SwiftASN1

/// The elliptic curves of the signatures.
package enum Curve: String, Hashable, Sendable, CaseIterable {
  /// NIST P-192, which OpenSSL calls prime192v1.
  case p192 = "P-192"
  /// NIST P-256, which OpenSSL calls prime256v1.
  case p256 = "P-256"

  /// The size of a coordinate in bytes.
  var byteCount: Int { self == .p192 ? 24 : 32 }
}

/// A SubjectPublicKeyInfo of an elliptic curve (RFC 5480), read strictly: a named curve and an uncompressed point.
struct ECPublicKeyStructure {
  let curve: Curve
  /// The byte 4 and both coordinates.
  let point: [UInt8]

  init(der: [UInt8]) throws(KeyError) {
    do {
      self = try DER.sequence(DER.parse(der), identifier: .sequence) { nodes in
        let curve = try Curve(algorithm: &nodes)
        return try Self(curve: curve, bits: ASN1BitString(derEncoded: &nodes))
      }
    } catch let error as KeyError {
      throw error
    } catch {
      throw .notSubjectPublicKeyInfo
    }
  }

  private init(curve: Curve, bits: ASN1BitString) throws(KeyError) {
    guard bits.paddingBits == 0, let form = bits.bytes.first else { throw .notSubjectPublicKeyInfo }
    guard form != 2, form != 3 else { throw .compressedPoint }
    guard form == 4, bits.bytes.count == 1 + 2 * curve.byteCount else { throw .pointNotOnCurve }
    (self.curve, point) = (curve, Array(bits.bytes))
  }
}

/// A private key in PKCS #8 (RFC 5958), as far as it names its curve.
enum ECPrivateKeyStructure {
  static func curve(der: [UInt8]) throws(KeyError) -> Curve {
    do {
      return try DER.sequence(DER.parse(der), identifier: .sequence) { nodes in
        _ = try Int(derEncoded: &nodes)
        let curve = try Curve(algorithm: &nodes)
        while nodes.next() != nil {}
        return curve
      }
    } catch let error as KeyError {
      throw error
    } catch {
      throw .notPrivateKey
    }
  }
}

extension Curve {
  /// Reads the AlgorithmIdentifier of a key.
  fileprivate init(algorithm nodes: inout ASN1NodeCollection.Iterator) throws {
    guard let node = nodes.next() else { throw KeyError.notSubjectPublicKeyInfo }
    self = try DER.sequence(node, identifier: .sequence) { fields in
      let algorithm = try ASN1ObjectIdentifier(derEncoded: &fields)
      guard algorithm == .ecPublicKey else { throw KeyError.wrongAlgorithm(objectIdentifier: String(describing: algorithm)) }
      guard let parameters = fields.next(), parameters.identifier == .objectIdentifier else {
        while fields.next() != nil {}
        throw KeyError.wrongCurve(objectIdentifier: nil)
      }
      switch try ASN1ObjectIdentifier(derEncoded: parameters) {
      case .prime192v1: return .p192
      case .prime256v1: return .p256
      case let other: throw KeyError.wrongCurve(objectIdentifier: String(describing: other))
      }
    }
  }
}

extension ASN1ObjectIdentifier {
  fileprivate static let ecPublicKey: Self = [1, 2, 840, 10045, 2, 1]
  fileprivate static let prime192v1: Self = [1, 2, 840, 10045, 3, 1, 1]
  fileprivate static let prime256v1: Self = [1, 2, 840, 10045, 3, 1, 7]
}
