import Crypto
import CryptoExtras
import PCMCore
import SwiftASN1
import X509

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The properties of a server's leaf certificate that browsers check.
struct ServerCertificate {
  let names: [String]
  /// Whether there is a subjectAltName, with host names in it or not.
  let hasAlternativeNames: Bool
  let validity: ClosedRange<Instant>
  let issuer: String
  let subject: String
  let hasSHA1Signature: Bool
  /// Why browsers reject the key; nil for an accepted key.
  let keyViolation: String?

  /// - Returns: nil for an invalid certificate, or for a key that the crypto library cannot read: see ``CertificateKey``.
  init?(pem: String) {
    guard let certificate = try? Certificate(pemEncoded: pem),
      certificate.notValidBefore <= certificate.notValidAfter
    else { return nil }
    let alternatives = try? certificate.extensions.subjectAlternativeNames
    hasAlternativeNames = alternatives != nil
    names = (alternatives ?? SubjectAlternativeNames([])).compactMap { name in
      guard case .dnsName(let text) = name else { return nil }
      return text.lowercased()
    }
    validity = Instant(certificate.notValidBefore)...Instant(certificate.notValidAfter)
    issuer = String(describing: certificate.issuer)
    subject = String(describing: certificate.subject)
    hasSHA1Signature = certificate.signatureAlgorithm == .sha1WithRSAEncryption
    keyViolation = Self.violation(to: certificate.publicKey)
  }

  private static func violation(to key: Certificate.PublicKey) -> String? {
    if P256.Signing.PublicKey(key) != nil || P384.Signing.PublicKey(key) != nil || P521.Signing.PublicKey(key) != nil {
      return nil
    }
    return _RSA.Signing.PublicKey(key) == nil ? "the key is neither RSA nor on a NIST curve" : nil
  }

  /// Whether one of the names is the host, or a wildcard in place of its first label (RFC 6125, section 6.4.3). The common
  /// name is ignored.
  func names(_ host: String) -> Bool {
    names.contains { name in
      guard name.hasPrefix("*.") else { return name == host }
      let rest = host.drop { $0 != "." }
      return rest.count > 1 && rest == name.dropFirst()
    }
  }
}

extension Instant {
  fileprivate init(_ date: Date) {
    self.init(milliseconds: Int64((date.timeIntervalSince1970 * 1_000).rounded()))
  }
}

/// The public key of a certificate, decoded directly for certificates whose key the crypto library does not support.
struct CertificateKey {
  /// Why browsers reject the key; nil when they may accept it.
  let violation: String?

  /// - Returns: nil for an invalid certificate.
  init?(pem: String) {
    guard let document = try? PEMDocument(pemString: pem), let certificate = try? DER.parse(document.derBytes),
      let signed = Self.parts(of: certificate)?.first, let fields = Self.parts(of: signed),
      let info = fields.first(where: Self.isKeyInfo), let parts = Self.parts(of: info),
      let algorithm = Self.parts(of: parts[0]), let name = algorithm.first,
      let identifier = try? ASN1ObjectIdentifier(derEncoded: name), let key = try? ASN1BitString(derEncoded: parts[1])
    else { return nil }
    guard Self.rsa.contains(identifier) else {
      let curve = algorithm.dropFirst().first.flatMap { try? ASN1ObjectIdentifier(derEncoded: $0) }
      violation = curve.map(Self.curves.contains) == true ? nil : "the key is neither RSA nor on a NIST curve"
      return
    }
    guard let size = Self.modulusSize(key.bytes) else { return nil }
    violation = size < 2_048 ? "the key is RSA of \(size) bits" : nil
  }

  /// rsaEncryption and id-RSASSA-PSS (RFC 4055, section 1.2).
  private static let rsa: [ASN1ObjectIdentifier] = [[1, 2, 840, 113_549, 1, 1, 1], [1, 2, 840, 113_549, 1, 1, 10]]

  /// P-256, P-384 and P-521 (RFC 5480, section 2.1.1.1).
  private static let curves: [ASN1ObjectIdentifier] = [[1, 2, 840, 10_045, 3, 1, 7], [1, 3, 132, 0, 34], [1, 3, 132, 0, 35]]

  private static func parts(of node: ASN1Node) -> [ASN1Node]? {
    guard case .constructed(let nodes) = node.content else { return nil }
    return Array(nodes)
  }

  /// Whether a field of the certificate is its SubjectPublicKeyInfo, the only one with an algorithm and a bit string.
  private static func isKeyInfo(_ node: ASN1Node) -> Bool {
    guard node.identifier == .sequence, let parts = parts(of: node), parts.count == 2 else { return false }
    return parts[0].identifier == .sequence && parts[1].identifier == .bitString
  }

  /// The size of an RSAPublicKey in bits.
  private static func modulusSize(_ bytes: ArraySlice<UInt8>) -> Int? {
    guard let key = try? DER.parse(bytes), let number = parts(of: key)?.first,
      let modulus = try? ArraySlice<UInt8>(derEncoded: number, withIdentifier: .integer)
    else { return nil }
    let digits = modulus.drop { $0 == 0 }
    return digits.first.map { digits.count * 8 - $0.leadingZeroBitCount }
  }
}
