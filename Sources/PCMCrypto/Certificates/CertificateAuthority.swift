import Crypto
import Foundation
package import PCMCore
import SwiftASN1
import X509

/// A certificate authority for servers on this machine. It exists as long as the process, and no other machine trusts it.
package struct CertificateAuthority: Sendable {
  private let key: Certificate.PrivateKey
  private let certificate: Certificate
  private let validity: Range<Instant>

  /// Creates an authority with a P-256 key.
  ///
  /// - Parameters:
  ///   - name: The common name.
  ///   - validity: The validity of the authority, and the default for certificates that it issues.
  package init(name: String = "pcm-browser throw-away authority", validity: Range<Instant>) throws {
    self.validity = validity
    let key = Certificate.PrivateKey(P256.Signing.PrivateKey())
    self.key = key
    let name = try DistinguishedName { CommonName(name) }
    certificate = try Certificate(
      version: .v3, serialNumber: Certificate.SerialNumber(), publicKey: key.publicKey,
      notValidBefore: Date(validity.lowerBound), notValidAfter: Date(validity.upperBound), issuer: name, subject: name,
      signatureAlgorithm: .ecdsaWithSHA256,
      extensions: try Certificate.Extensions {
        Critical(BasicConstraints.isCertificateAuthority(maxPathLength: 0))
        Critical(KeyUsage(keyCertSign: true, cRLSign: true))
        SubjectKeyIdentifier(hash: key.publicKey)
      },
      issuerPrivateKey: key)
  }

  /// Creates an authority that is valid from one day before `now` to one year after it.
  package init(now: Instant) throws {
    try self.init(validity: now - .days(1)..<now + .days(365))
  }

  /// The certificate of the authority, for clients to trust.
  package var pem: String {
    get throws { try certificate.serializeAsPEM().pemString }
  }

  /// Issues a server certificate with a new P-256 key.
  ///
  /// - Parameters:
  ///   - names: Host names and addresses. The first name is also the common name.
  ///   - validity: The validity. The default is the authority's validity.
  ///   - hasAlternativeNames: Whether the certificate has a subjectAltName with the names.
  package func issue(
    for names: [String], validity: Range<Instant>? = nil, hasAlternativeNames: Bool = true
  ) throws -> ServerIdentity {
    let serverKey = P256.Signing.PrivateKey()
    let validity = validity ?? self.validity
    let issued = try Certificate(
      version: .v3, serialNumber: Certificate.SerialNumber(), publicKey: Certificate.PublicKey(serverKey.publicKey),
      notValidBefore: Date(validity.lowerBound), notValidAfter: Date(validity.upperBound), issuer: certificate.subject,
      subject: try DistinguishedName { CommonName(names.first ?? "pcm-browser") }, signatureAlgorithm: .ecdsaWithSHA256,
      extensions: try Certificate.Extensions {
        Critical(BasicConstraints.notCertificateAuthority)
        Critical(KeyUsage(digitalSignature: true))
        try ExtendedKeyUsage([.serverAuth])
        // Strict clients, such as Python 3.13 and later, require this extension (RFC 5280, section 4.2.1.1).
        AuthorityKeyIdentifier(keyIdentifier: SubjectKeyIdentifier(hash: key.publicKey).keyIdentifier)
        if hasAlternativeNames { SubjectAlternativeNames(names.map(Self.alternative)) }
      },
      issuerPrivateKey: key)
    return ServerIdentity(certificate: try issued.serializeAsPEM().pemString, privateKey: serverKey.pemRepresentation)
  }

  /// Addresses require a separate field, because clients do not compare addresses with host names.
  private static func alternative(_ name: String) -> GeneralName {
    guard let bytes = HostAddress.bytes(name) else { return .dnsName(name) }
    return .ipAddress(ASN1OctetString(contentBytes: bytes[...]))
  }
}

/// A server's certificate and its private key, both as PEM text.
package struct ServerIdentity: Sendable {
  package let certificate: String
  package let privateKey: String

  package init(certificate: String, privateKey: String) {
    self.certificate = certificate
    self.privateKey = privateKey
  }

  /// The SHA-256 digest of the public key in Base64, as in Chromium's switch `--ignore-certificate-errors-spki-list`.
  ///
  /// - Throws: An error for a key on a curve other than P-256, which no authority of this program issues.
  package var publicKeyDigest: String {
    get throws {
      let key = try P256.Signing.PrivateKey(pemRepresentation: privateKey).publicKey
      return Base64.encode(Array(SHA256.hash(data: key.derRepresentation)))
    }
  }
}

/// The addresses that a certificate can contain.
enum HostAddress {
  /// Returns an IPv4 or IPv6 address in network byte order; nil for other text.
  static func bytes(_ text: String) -> [UInt8]? {
    guard !text.utf8.contains(0) else { return nil }
    var bytes = [UInt8](repeating: 0, count: 16)
    if inet_pton(AF_INET, text, &bytes) == 1 { return Array(bytes.prefix(4)) }
    return inet_pton(AF_INET6, text, &bytes) == 1 ? bytes : nil
  }
}

extension Date {
  fileprivate init(_ instant: Instant) {
    self.init(timeIntervalSince1970: Double(instant.milliseconds) / 1_000)
  }
}
