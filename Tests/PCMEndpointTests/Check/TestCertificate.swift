import Crypto
import Foundation
import PCMCore
import SwiftASN1
import X509

/// Certificates for ads.example, signed with a key that is thrown away.
enum TestCertificate {
  /// 2027-01-01.
  static let now = Instant(milliseconds: 1_798_761_600_000)
  static let validity = now - .days(10)..<now + .days(80)

  static func pem(
    names: [String]? = ["ads.example"], validity: Range<Instant> = validity, isEdwards: Bool = false,
    hasExtendedKeyUsage: Bool = true
  ) throws -> String {
    let issuer = Certificate.PrivateKey(P256.Signing.PrivateKey())
    let key = isEdwards ? Certificate.PrivateKey(Curve25519.Signing.PrivateKey()) : issuer
    let certificate = try Certificate(
      version: .v3, serialNumber: Certificate.SerialNumber(), publicKey: key.publicKey,
      notValidBefore: Date(timeIntervalSince1970: Double(validity.lowerBound.milliseconds) / 1_000),
      notValidAfter: Date(timeIntervalSince1970: Double(validity.upperBound.milliseconds) / 1_000),
      issuer: try DistinguishedName { CommonName("An authority") },
      subject: try DistinguishedName { CommonName("ads.example") },
      signatureAlgorithm: .ecdsaWithSHA256,
      extensions: try Certificate.Extensions {
        if hasExtendedKeyUsage { try ExtendedKeyUsage([.serverAuth]) }
        if let names { SubjectAlternativeNames(names.map { .dnsName($0) }) }
      }, issuerPrivateKey: issuer)
    return try certificate.serializeAsPEM().pemString
  }
}
