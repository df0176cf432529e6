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

/// What browsers look at in a server's own certificate.
struct ServerCertificate {
  let names: [String]
  /// Whether there is a subjectAltName, with host names in it or not.
  let hasAlternativeNames: Bool
  let validity: ClosedRange<Instant>
  let issuer: String
  let subject: String
  let hasSHA1Signature: Bool
  /// Nil for a key that browsers take.
  let keyObjection: String?

  /// - Returns: nil for what is no certificate, or has a key that the crypto library does not read: see ``CertificateKey``.
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
    keyObjection = Self.objection(to: certificate.publicKey)
  }

  private static func objection(to key: Certificate.PublicKey) -> String? {
    if P256.Signing.PublicKey(key) != nil || P384.Signing.PublicKey(key) != nil || P521.Signing.PublicKey(key) != nil {
      return nil
    }
    return _RSA.Signing.PublicKey(key) == nil ? "the key is neither RSA nor on a curve of NIST's" : nil
  }

  /// Whether one of the names is the host, or stands for it with an asterisk in place of its first label (RFC 6125,
  /// section 6.4.3). The common name does not count.
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
