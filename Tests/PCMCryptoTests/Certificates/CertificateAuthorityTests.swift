import Crypto
import Foundation
import PCMCore
import PCMCrypto
import SwiftASN1
import Testing
import X509

@Suite("Certificate authorities")
struct CertificateAuthorityTests {
  private static let now = Instant(milliseconds: 1_780_000_000_000)

  @Test("A certificate contains host names and addresses in separate fields and is signed by the authority")
  func issue() throws {
    let authority = try CertificateAuthority(now: Self.now)
    let identity = try authority.issue(for: ["news.example", "127.0.0.1", "::1", "2001:db8::2:1"])
    let issued = try Certificate(pemEncoded: identity.certificate)
    let own = try Certificate(pemEncoded: authority.pem)
    #expect(own.publicKey.isValidSignature(issued.signature, for: issued))
    #expect(issued.issuer == own.subject)
    #expect(try issued.subject == DistinguishedName { CommonName("news.example") })
    let names = try #require(try issued.extensions.subjectAlternativeNames)
    let addresses: [[UInt8]] = [
      [127, 0, 0, 1], [UInt8](repeating: 0, count: 15) + [1],
      [0x20, 0x01, 0x0D, 0xB8] + [UInt8](repeating: 0, count: 8) + [0, 2, 0, 1],
    ]
    #expect(
      Array(names) == [.dnsName("news.example")]
        + addresses.map { .ipAddress(ASN1OctetString(contentBytes: $0[...])) })
    #expect(try Certificate.PrivateKey(pemEncoded: identity.privateKey).publicKey == issued.publicKey)
    let digest = SHA256.hash(data: try issued.publicKey.serializeAsPEM().derBytes)
    #expect(try identity.publicKeyDigest == Base64.encode(Array(digest)))
  }

  @Test(
    "Text that resembles an address is a name",
    arguments: ["1.2.3", "1.2.3.4.5", "1.2.3.256", "1:2:3:4:5:6:7", "1::2::3", "::g", "1:2:3:4:5:6:7:8:9"])
  func noAddress(_ text: String) throws {
    let identity = try CertificateAuthority(now: Self.now).issue(for: [text])
    let names = try #require(try Certificate(pemEncoded: identity.certificate).extensions.subjectAlternativeNames)
    #expect(Array(names) == [.dnsName(text)])
  }

  @Test("The authority and its certificates have key identifiers, as RFC 5280 requires")
  func keyIdentifiers() throws {
    let authority = try CertificateAuthority(now: Self.now)
    let own = try #require(try Certificate(pemEncoded: authority.pem).extensions.subjectKeyIdentifier)
    let issued = try Certificate(pemEncoded: authority.issue(for: ["news.example"]).certificate)
    #expect(try issued.extensions.authorityKeyIdentifier?.keyIdentifier == own.keyIdentifier)
  }

  @Test("A certificate can have a different validity and no alternative names")
  func variations() throws {
    let authority = try CertificateAuthority(name: "Stranger", validity: Self.now..<Self.now + .days(9))
    let issued = try Certificate(
      pemEncoded: authority.issue(
        for: ["news.example"], validity: Self.now..<Self.now + .days(1), hasAlternativeNames: false
      ).certificate)
    #expect(try issued.extensions.subjectAlternativeNames == nil)
    #expect(issued.notValidAfter.timeIntervalSince(issued.notValidBefore) == 86_400)
    #expect(try issued.issuer == DistinguishedName { CommonName("Stranger") })
  }
}

@Suite("Authority files")
struct AuthorityBundleTests {
  private static let pem = Result { try CertificateAuthority(now: Instant(milliseconds: 1_780_000_000_000)).pem }

  @Test("Certificates are accepted with surrounding text")
  func accepted() throws {
    let pem = try Self.pem.get()
    try AuthorityBundle.check(Array("a comment\n\(pem)\nanother\n\(pem)".utf8))
  }

  @Test("The error contains the number of the first invalid certificate, also without an end marker")
  func unreadable() throws {
    let pem = try Self.pem.get()
    let broken = "-----BEGIN CERTIFICATE-----\nMAA\n-----END CERTIFICATE-----\n"
    #expect(throws: AuthorityBundle.ReadError.unreadable(2)) { try AuthorityBundle.check(Array("\(pem)\n\(broken)".utf8)) }
    #expect(throws: AuthorityBundle.ReadError.unreadable(1)) {
      try AuthorityBundle.check(Array(pem.replacing("-----END CERTIFICATE-----", with: "").utf8))
    }
  }

  @Test("DER and text without a certificate have different errors")
  func others() throws {
    let der = try PEMDocument(pemString: Self.pem.get()).derBytes
    #expect(throws: AuthorityBundle.ReadError.isDER) { try AuthorityBundle.check(der) }
    for text in ["", "-----BEGIN PRIVATE KEY-----", "0"] {
      #expect(throws: AuthorityBundle.ReadError.hasNoCertificate) { try AuthorityBundle.check(Array(text.utf8)) }
    }
  }
}
