import PCMCore
import PCMCrypto
import PCMNetwork
import Testing

@testable import PCMEndpoint

@Suite("Server certificates")
struct CertificateTests {
  @Test(
    "A certificate name matches the host, with a wildcard for one label",
    arguments: [
      (["ads.example"], true), (["ADS.example"], true), (["other.example", "ads.example"], true), (["*.example"], false),
      (["*.ads.example"], false), (["www.ads.example"], false), (["*ads.example"], false), (["*.*"], false), (["*"], false),
      (["s.example"], false), ([], false),
    ])
  func names(_ names: [String], _ isMeant: Bool) throws {
    let certificate = try #require(ServerCertificate(pem: try TestCertificate.pem(names: names)))
    #expect(certificate.names("ads.example") == isMeant)
  }

  @Test(
    "A wildcard is for the first label of a host with three labels or more",
    arguments: [("www.ads.example", true), ("WWW.ads.example.", true), ("a.www.ads.example", false), ("ads.example", false)])
  func wildcards(_ host: String, _ isMeant: Bool) throws {
    let certificate = try #require(ServerCertificate(pem: try TestCertificate.pem(names: ["*.ads.example"])))
    #expect(certificate.names(host) == isMeant)
  }

  @Test("The validity, issuer, and key are parsed")
  func contents() throws {
    let certificate = try #require(ServerCertificate(pem: try TestCertificate.pem()))
    #expect(certificate.validity == TestCertificate.validity.lowerBound...TestCertificate.validity.upperBound)
    #expect(certificate.issuer == "CN=An authority")
    #expect(certificate.keyViolation == nil)
    #expect(!certificate.hasSHA1Signature)
  }

  @Test("A weak signature is found, and a certificate with a short key is not parsed")
  func weak() throws {
    #expect(ServerCertificate(pem: try TestFile.text("certificates/rsa-1024.pem")) == nil)
    let weak = try #require(ServerCertificate(pem: try TestFile.text("certificates/sha1.pem")))
    #expect(weak.hasSHA1Signature)
    #expect(weak.keyViolation == nil)
  }

  @Test("A certificate that is valid from before 1970 is reported with its times")
  func distantTimes() async throws {
    var checkup = try Checkup()
    let start = Instant(milliseconds: -315_619_200_000)
    checkup.certificate = try TestCertificate.pem(validity: start..<start + .days(1))
    #expect(
      try await checkup.run().verdict(of: "certificate-is-in-its-time")
        == .failed("it is valid from 1960-01-01T00:00:00.000Z to 1960-01-02T00:00:00.000Z"))
  }

  @Test("A short key is found, with its size, in a certificate that the crypto library cannot parse")
  func shortKey() async throws {
    let pem = try TestFile.text("certificates/rsa-1024.pem")
    #expect(CertificateKey(pem: pem)?.violation == "the key is RSA of 1024 bits")
    #expect(CertificateKey(pem: try TestCertificate.pem(isEdwards: true))?.violation?.hasPrefix("the key is neither") == true)
    let good = try #require(CertificateKey(pem: try TestCertificate.pem()))
    #expect(good.violation == nil)
    #expect(CertificateKey(pem: try TestFile.text("certificates/sha1.pem")).map { $0.violation == nil } == true)
    #expect(CertificateKey(pem: "no certificate") == nil)
  }

  @Test("A certificate of your own authority may be valid for 825 days, and for longer if it is from before July 2019")
  func lifetimes() async throws {
    var checkup = try Checkup()
    checkup.options.route.caFile = "own.pem"
    let start = TestCertificate.now - .days(1)
    checkup.certificate = try TestCertificate.pem(validity: start..<start + .days(825))
    #expect(try await checkup.run().failed == [])
    let earlier = Instant(milliseconds: 1_561_939_199_000)
    checkup.certificate = try TestCertificate.pem(validity: earlier..<earlier + .days(9_000), hasExtendedKeyUsage: false)
    #expect(try await checkup.run().failed == [])
  }

  @Test("The finding of a missing subjectAltName says that browsers ignore the common name")
  func commonName() async throws {
    var checkup = try Checkup()
    checkup.certificate = try TestCertificate.pem(names: nil)
    #expect(
      try await checkup.run().verdict(of: "certificate-names-the-host")
        == .failed("it has no subjectAltName; browsers ignore the common name (CN=ads.example)"))
    checkup.options.route.insecure = true
    #expect(
      try await checkup.run().verdict(of: "certificate-names-the-host")
        == .notApplicable("certificates are not verified (--insecure)"))
  }

  @Test("The rules about TLS, HTTP/2, and certificates do not apply to forwarded requests, and send none")
  func forwarded() async throws {
    var checkup = try Checkup()
    checkup.certificate = try TestCertificate.pem(names: nil)
    checkup.change = { if !$0.isHandshake { $2.httpVersion = "1.1" } }
    checkup.options.route.forwardTo = [Forward(host: "ads.example", target: "127.0.0.1:8000")]
    let report = try await checkup.run()
    #expect(report.failed == [] && report.forwardedTo == "127.0.0.1:8000")
    for id in ["tls-1-3-is-spoken", "certificate-names-the-host", "report-works-over-http-2"] {
      #expect(
        report.verdict(of: id) == .notApplicable("requests go to 127.0.0.1:8000 without TLS (--forward-to)"), "\(id)")
    }
    #expect(report.verdict(of: "connections-are-accepted") == .passed)
    #expect(try await checkup.requests().filter(\.isHandshake).count == 1)
  }

  @Test("An unreadable key is not reported as short")
  func unreadable() async throws {
    var checkup = try Checkup()
    checkup.certificate = "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n"
    let report = try await checkup.run()
    #expect(report.failed == ["certificate-is-well-formed"])
    #expect(report.verdict(of: "certificate-key-is-long-enough") == .notApplicable("the certificate cannot be parsed"))
  }

  @Test(
    "Plain HTTP on the port is reported, unless a TLS server rejects it with 400",
    arguments: [
      (404, "the port serves plain HTTP instead of TLS: a request without TLS received 404"),
      (200, "the port serves plain HTTP instead of TLS: a request without TLS received 200"),
      (400, "the connection to ads.example ended with tls-failed: as the test has it"),
      (nil, "the connection to ads.example ended with tls-failed: as the test has it"),
    ] as [(Int?, String)])
  func plainHTTP(_ status: Int?, _ account: String) async throws {
    var checkup = try Checkup()
    checkup.change = { request, _, exchange in
      if request.isHandshake { exchange.fail(.tlsFailed) }
      guard request.url == "http://ads.example:443/" else { return }
      exchange = ProbeExchange(
        status.map { Exchange(httpStatus: $0) } ?? Exchange(failure: TransportFailure(.connectionLost, "reset")))
    }
    let report = try await checkup.run()
    #expect(report.verdict(of: "tls-1-2-or-later-is-spoken") == .failed(account))
  }

  @Test(
    "Invalid text is not a certificate",
    arguments: ["", "no certificate", "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n"])
  func none(_ text: String) {
    #expect(ServerCertificate(pem: text) == nil)
  }
}
