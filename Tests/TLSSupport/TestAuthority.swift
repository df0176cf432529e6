import Crypto
import Foundation
package import PCMCore
import SwiftASN1
import X509

/// A throw-away certificate authority: a P-256 key that lives in this object, and its certificate in a PEM file for
/// clients to trust. The file goes with the object.
package final class TestAuthority: Sendable {
  /// The authority's certificate, for `--ca-file` and its like.
  package let certificateFile: String
  private let folder: String
  private let key: Certificate.PrivateKey
  private let name: DistinguishedName
  private let validity: Range<Instant>

  /// - Parameters:
  ///   - name: The common name.
  ///   - validity: Of the authority and of everything that it issues. Clients hold it against the real time.
  /// - Throws: When the certificate cannot be made or written.
  package init(name: String = "Test authority", validity: Range<Instant> = TestAuthority.longValidity) throws {
    key = Certificate.PrivateKey(P256.Signing.PrivateKey())
    self.name = try DistinguishedName { CommonName(name) }
    self.validity = validity
    let certificate = try Certificate(
      version: .v3, serialNumber: Certificate.SerialNumber(), publicKey: key.publicKey,
      notValidBefore: Date(validity.lowerBound), notValidAfter: Date(validity.upperBound), issuer: self.name,
      subject: self.name, signatureAlgorithm: .ecdsaWithSHA256,
      extensions: try Certificate.Extensions {
        Critical(BasicConstraints.isCertificateAuthority(maxPathLength: nil))
        Critical(KeyUsage(keyCertSign: true, cRLSign: true))
      }, issuerPrivateKey: key)
    folder = FileManager.default.temporaryDirectory.path + "/pcm-test-authority-\(UUID().uuidString)"
    certificateFile = folder + "/authority.pem"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    try certificate.serializeAsPEM().pemString.write(toFile: certificateFile, atomically: true, encoding: .utf8)
  }

  deinit { try? FileManager.default.removeItem(atPath: folder) }

  /// A server's certificate for these names and addresses (bytes in network order), with a key of its own.
  ///
  /// - Parameters:
  ///   - validity: the authority's own by default.
  ///   - hasAlternativeNames: whether the names are in a subjectAltName, and not only the first as the common name.
  package func issue(
    names: [String], addresses: [[UInt8]] = [], validity: Range<Instant>? = nil, hasAlternativeNames: Bool = true
  ) throws -> TestIdentity {
    let validity = validity ?? self.validity
    let leafKey = Certificate.PrivateKey(P256.Signing.PrivateKey())
    let alternatives =
      names.map { GeneralName.dnsName($0) }
      + addresses.map { GeneralName.ipAddress(ASN1OctetString(contentBytes: $0[...])) }
    let certificate = try Certificate(
      version: .v3, serialNumber: Certificate.SerialNumber(), publicKey: leafKey.publicKey,
      notValidBefore: Date(validity.lowerBound), notValidAfter: Date(validity.upperBound), issuer: name,
      subject: try DistinguishedName { CommonName(names.first ?? "test") }, signatureAlgorithm: .ecdsaWithSHA256,
      extensions: try Certificate.Extensions {
        Critical(BasicConstraints.notCertificateAuthority)
        Critical(KeyUsage(digitalSignature: true))
        try ExtendedKeyUsage([.serverAuth])
        if hasAlternativeNames { SubjectAlternativeNames(alternatives) }
      }, issuerPrivateKey: key)
    return TestIdentity(
      certificate: try certificate.serializeAsPEM().pemString, privateKey: try leafKey.serializeAsPEM().pemString)
  }

  /// 2020 to 2090: valid whenever the tests run, and the same in every run.
  package static let longValidity = Instant(milliseconds: 1_577_836_800_000)..<Instant(milliseconds: 3_786_912_000_000)
}

/// A certificate and its private key, both as PEM text.
package struct TestIdentity: Sendable {
  package let certificate: String
  package let privateKey: String
}

extension Date {
  fileprivate init(_ instant: Instant) {
    self.init(timeIntervalSince1970: Double(instant.milliseconds) / 1_000)
  }
}
