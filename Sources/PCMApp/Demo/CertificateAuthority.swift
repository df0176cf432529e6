internal import Crypto
import PCMCore
import SwiftASN1
internal import X509

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// A certificate authority that lives as long as the process, for servers that nobody else should trust.
struct CertificateAuthority {
  private let key: Certificate.PrivateKey
  private let certificate: Certificate
  private let validity: ClosedRange<Date>

  /// - Parameter now: certificates are valid from a day before to a year after it.
  init(now: Instant) throws {
    let date = Date(timeIntervalSince1970: Double(now.milliseconds) / 1_000)
    validity = date.addingTimeInterval(-86_400)...date.addingTimeInterval(365 * 86_400)
    key = Certificate.PrivateKey(P256.Signing.PrivateKey())
    let name = try DistinguishedName { CommonName("pcm-browser throw-away authority") }
    certificate = try Certificate(
      version: .v3, serialNumber: Certificate.SerialNumber(), publicKey: key.publicKey,
      notValidBefore: validity.lowerBound, notValidAfter: validity.upperBound, issuer: name, subject: name,
      signatureAlgorithm: .ecdsaWithSHA256,
      extensions: try Certificate.Extensions {
        Critical(BasicConstraints.isCertificateAuthority(maxPathLength: 0))
        Critical(KeyUsage(keyCertSign: true))
      },
      issuerPrivateKey: key)
  }

  /// The authority's own certificate, for those who are to trust it.
  var pem: String {
    get throws { try certificate.serializeAsPEM().pemString }
  }

  /// A certificate for a server with these names or IPv4 addresses, and its key, both in PEM.
  func issue(for names: [String]) throws -> (certificate: String, key: String) {
    let serverKey = P256.Signing.PrivateKey()
    let issued = try Certificate(
      version: .v3, serialNumber: Certificate.SerialNumber(), publicKey: Certificate.PublicKey(serverKey.publicKey),
      notValidBefore: validity.lowerBound, notValidAfter: validity.upperBound, issuer: certificate.subject,
      subject: try DistinguishedName { CommonName(names.first ?? "pcm-browser") }, signatureAlgorithm: .ecdsaWithSHA256,
      extensions: try Certificate.Extensions {
        Critical(BasicConstraints.notCertificateAuthority)
        SubjectAlternativeNames(names.map(Self.subject))
        try ExtendedKeyUsage([.serverAuth])
      },
      issuerPrivateKey: key)
    return (try issued.serializeAsPEM().pemString, serverKey.pemRepresentation)
  }

  /// An IPv4 address is not a name: those who check certificates look for it in a field of its own.
  private static func subject(_ name: String) -> GeneralName {
    let bytes = name.split(separator: ".", omittingEmptySubsequences: false).compactMap { UInt8($0) }
    return bytes.count == 4 ? .ipAddress(ASN1OctetString(contentBytes: bytes[...])) : .dnsName(name)
  }
}
