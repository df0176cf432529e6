import Foundation
package import PCMCore
import SwiftASN1
import X509

/// The properties of a server's leaf certificate that browsers check.
package struct ServerCertificate {
  package let names: [String]
  /// The addresses in network byte order.
  let addresses: [[UInt8]]
  /// Whether there is a subjectAltName, with or without host names.
  package let hasAlternativeNames: Bool
  package let validity: ClosedRange<Instant>
  package let issuer: String
  package let subject: String
  package let hasSHA1Signature: Bool
  /// Whether there is an extended key usage. The TLS library checks that it includes servers.
  package let hasExtendedKeyUsage: Bool
  /// The reason browsers reject the key; nil for an accepted key.
  package let keyViolation: String?

  /// - Returns: nil for an invalid certificate, or for a key that the crypto library cannot read: see ``CertificateKey``.
  package init?(pem: String) {
    guard let document = try? PEMDocument(pemString: pem) else { return nil }
    self.init(der: document.derBytes)
  }

  init?(der: [UInt8]) {
    guard let certificate = try? Certificate(derEncoded: der), certificate.notValidBefore <= certificate.notValidAfter else {
      return nil
    }
    let alternatives = try? certificate.extensions.subjectAlternativeNames
    hasAlternativeNames = alternatives != nil
    names = (alternatives ?? SubjectAlternativeNames([])).compactMap { name in
      guard case .dnsName(let text) = name else { return nil }
      return text.lowercased()
    }
    addresses = (alternatives ?? SubjectAlternativeNames([])).compactMap { name in
      guard case .ipAddress(let address) = name else { return nil }
      return Array(address.bytes)
    }
    validity = Instant(certificate.notValidBefore)...Instant(certificate.notValidAfter)
    issuer = String(describing: certificate.issuer)
    subject = String(describing: certificate.subject)
    hasSHA1Signature = certificate.signatureAlgorithm == .sha1WithRSAEncryption
    hasExtendedKeyUsage = (try? certificate.extensions.extendedKeyUsage) != nil
    keyViolation = CertificateKey(der: der)?.violation
  }

  /// Returns whether one of the names is the host, or a wildcard in place of the host's first label (RFC 6125, section
  /// 6.4.3). A wildcard for all hosts of a top-level domain matches no host. The common name is ignored.
  ///
  /// - Parameter host: A name, an IPv4 address, or an IPv6 address with or without brackets.
  package func names(_ host: String) -> Bool {
    if let address = HostAddress.bytes(host.filter { !"[]".contains($0) }) {
      return addresses.contains(address)
    }
    let host = (host.last == "." ? String(host.dropLast()) : host).lowercased()
    return names.contains { name in
      guard name.hasPrefix("*.") else { return name == host }
      let rest = host.drop { $0 != "." }
      return rest.dropFirst().contains(".") && rest == name.dropFirst()
    }
  }
}

/// The reason browsers reject a server's certificate, except for its chain and its validity, which the TLS library checks.
///
/// The browser and the endpoint check apply the same rules.
package struct CertificateViolation: Hashable, Sendable {
  package enum Rule: Hashable, Sendable {
    case key
    case signature
    case name
  }

  package let rule: Rule
  /// A clause about the certificate.
  package let detail: String

  /// - Returns: nil for a certificate that browsers accept, and for a certificate that cannot be parsed.
  package init?(of der: [UInt8], for host: String) {
    let certificate = ServerCertificate(der: der)
    if let violation = certificate.map(\.keyViolation) ?? CertificateKey(der: der)?.violation {
      (rule, detail) = (.key, violation)
    } else if let violation = certificate?.signatureViolation {
      (rule, detail) = (.signature, violation)
    } else if let violation = certificate?.nameViolation(for: host) {
      (rule, detail) = (.name, violation)
    } else {
      return nil
    }
  }
}

extension ServerCertificate {
  /// The reason browsers reject the signature; nil for an accepted signature.
  package var signatureViolation: String? { hasSHA1Signature ? "it is signed with SHA-1" : nil }

  /// Returns the reason browsers reject the certificate for a host; nil for an accepted host.
  package func nameViolation(for host: String) -> String? {
    guard !names(host) else { return nil }
    guard hasAlternativeNames else {
      return "it has no subjectAltName; browsers ignore the common name (\(subject))"
    }
    return "it is for \(names.isEmpty ? "no host name" : names.joined(separator: ", ")), not for \(host)"
  }
}

extension Instant {
  fileprivate init(_ date: Date) {
    self.init(milliseconds: Int64((date.timeIntervalSince1970 * 1_000).rounded()))
  }
}

/// The public key of a certificate, decoded from the encoding alone, because the crypto library does not read every key.
package struct CertificateKey {
  /// The reason browsers reject the key; nil if there is none.
  package let violation: String?

  /// - Returns: nil for an invalid certificate.
  package init?(pem: String) {
    guard let document = try? PEMDocument(pemString: pem) else { return nil }
    self.init(der: document.derBytes)
  }

  init?(der: [UInt8]) {
    guard let certificate = try? DER.parse(der), let signed = Self.parts(of: certificate)?.first,
      // The SubjectPublicKeyInfo is the only field with an algorithm and a bit string.
      let info = Self.parts(of: signed)?.lazy.compactMap({ try? KeyEnvelope(derEncoded: $0) }).first
    else { return nil }
    guard [.rsaEncryption, .rsassaPSS].contains(info.algorithm.name) else {
      let curves: [ASN1ObjectIdentifier?] = [.p256, .p384, .p521]
      violation = curves.contains(info.algorithm.curve) ? nil : "the key is neither RSA nor on a NIST curve"
      return
    }
    guard let size = Self.modulusSize(info.key) else { return nil }
    violation = size < 2_048 ? "the key is RSA of \(size) bits" : nil
  }

  private static func parts(of node: ASN1Node) -> [ASN1Node]? {
    guard case .constructed(let nodes) = node.content else { return nil }
    return Array(nodes)
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
