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

  /// A certificate for a server with these names or addresses, and its key, both in PEM.
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

  /// An address is not a name: clients that check certificates look for it in a field for addresses.
  private static func subject(_ name: String) -> GeneralName {
    guard let bytes = bytes(ofIPv4: name) ?? bytes(ofIPv6: name) else { return .dnsName(name) }
    return .ipAddress(ASN1OctetString(contentBytes: bytes[...]))
  }

  private static func bytes(ofIPv4 text: String) -> [UInt8]? {
    let parts = text.split(separator: ".", omittingEmptySubsequences: false)
    let bytes = parts.compactMap { UInt8($0) }
    return parts.count == 4 && bytes.count == 4 ? bytes : nil
  }

  /// An address in hexadecimal groups, of which `::` leaves out those that are zero (RFC 4291, section 2.2).
  private static func bytes(ofIPv6 text: String) -> [UInt8]? {
    let halves = text.split(separator: "::", omittingEmptySubsequences: false).map { half in
      half.split(separator: ":", omittingEmptySubsequences: false).filter { !half.isEmpty || !$0.isEmpty }
    }
    let known = halves.joined().count
    guard halves.count == 2 ? known < 8 : halves.count == 1 && known == 8 else { return nil }
    let groups = halves.map { $0.map { UInt16($0, radix: 16) } }
    let zeros = [UInt16?](repeating: 0, count: 8 - known)
    let all = (groups.count == 2 ? groups[0] + zeros + groups[1] : groups[0]).compactMap { $0 }
    return all.count == 8 ? all.flatMap { [UInt8($0 >> 8), UInt8($0 & 0xFF)] } : nil
  }
}
