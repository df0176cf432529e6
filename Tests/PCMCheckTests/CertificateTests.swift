import Testing

@testable import PCMCheck

@Suite("What is read in a certificate")
struct CertificateTests {
  @Test(
    "A name is the host's, or stands for it in place of one label",
    arguments: [
      (["ads.example"], true), (["ADS.example"], true), (["other.example", "ads.example"], true), (["*.example"], true),
      (["*.ads.example"], false), (["www.ads.example"], false), (["*ads.example"], false), (["*.*"], false), (["*"], false),
      (["s.example"], false), ([], false),
    ])
  func names(_ names: [String], _ isMeant: Bool) throws {
    let certificate = try #require(ServerCertificate(pem: try TestCertificate.pem(names: names)))
    #expect(certificate.names("ads.example") == isMeant)
  }

  @Test("Its times, its issuer and its key are read")
  func contents() throws {
    let certificate = try #require(ServerCertificate(pem: try TestCertificate.pem()))
    #expect(certificate.validity == TestCertificate.validity.lowerBound...TestCertificate.validity.upperBound)
    #expect(certificate.issuer == "CN=An authority")
    #expect(certificate.keyObjection == nil)
    #expect(!certificate.hasSHA1Signature)
  }

  @Test("A weak signature is seen, and a certificate with a short key is none")
  func weak() throws {
    #expect(ServerCertificate(pem: try TestFile.text("certificates/rsa-1024.pem")) == nil)
    let weak = try #require(ServerCertificate(pem: try TestFile.text("certificates/sha1.pem")))
    #expect(weak.hasSHA1Signature)
    #expect(weak.keyObjection == nil)
  }

  @Test(
    "What is no certificate is none",
    arguments: ["", "no certificate", "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n"])
  func none(_ text: String) {
    #expect(ServerCertificate(pem: text) == nil)
  }
}
