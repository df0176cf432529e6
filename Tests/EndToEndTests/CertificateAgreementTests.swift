import Foundation
import OpenSSLSupport
import PCMApp
import PCMCore
import PCMCrypto
import PCMCurl
import PCMNetwork
import PCMURL
import TLSSupport
import Testing

@testable import PCMEndpoint

/// One table of certificates, judged by the check and by the browser's network. The browser rejects a certificate before its
/// request if the check finds an error, and accepts it otherwise.
@Suite(.timeLimit(.minutes(10))) struct CertificateAgreementTests {
  struct Sample: Sendable, CustomTestStringConvertible {
    let name: String
    /// Of `openssl req -x509`.
    let options: String
    /// The errors and warnings of the check.
    let findings: [String]
    let isAccepted: Bool

    init(_ name: String, _ options: String, error: String) {
      (self.name, self.options, findings, isAccepted) = (name, options, [error], false)
    }

    init(_ name: String, _ options: String, warning: String? = nil) {
      (self.name, self.options, findings, isAccepted) = (name, options, warning.map { [$0] } ?? [], true)
    }

    var testDescription: String { name }
  }

  private static let named = "-addext subjectAltName=DNS:ads.example"
  private static let forServers = "-addext extendedKeyUsage=serverAuth"
  private static let curve = "-newkey ec -pkeyopt ec_paramgen_curve:prime256v1"

  static let samples = [
    Sample("a good one", "\(curve) -days 90 \(named) \(forServers)"),
    Sample("RSA of 2048 bits", "-newkey rsa:2048 -days 90 \(named) \(forServers)"),
    Sample("P-384", "-newkey ec -pkeyopt ec_paramgen_curve:secp384r1 -days 90 \(named) \(forServers)"),
    Sample(
      "a wildcard of the top-level domain", "\(curve) -days 90 -addext subjectAltName=DNS:*.example \(forServers)",
      error: "certificate-names-the-host"),
    Sample(
      "several names", "\(curve) -days 90 -addext subjectAltName=DNS:a.example,DNS:ADS.example,IP:127.0.0.1 \(forServers)"),
    Sample(
      "RSA of 1024 bits", "-newkey rsa:1024 -days 90 \(named) \(forServers)", error: "certificate-key-is-long-enough"),
    Sample(
      "RSA of 2040 bits", "-newkey rsa:2040 -days 90 \(named) \(forServers)", error: "certificate-key-is-long-enough"),
    Sample(
      "SHA-1", "-newkey rsa:2048 -sha1 -days 90 \(named) \(forServers)", error: "certificate-signature-is-sha-2"),
    Sample("only a common name", "\(curve) -days 90 \(forServers)", error: "certificate-names-the-host"),
    Sample(
      "a subjectAltName without names",
      "\(curve) -days 90 -addext subjectAltName=URI:https://ads.example/,email:a@ads.example \(forServers)",
      error: "certificate-names-the-host"),
    Sample(
      "another name", "\(curve) -days 90 -addext subjectAltName=DNS:other.example \(forServers)",
      error: "certificate-names-the-host"),
    Sample(
      "only an address", "\(curve) -days 90 -addext subjectAltName=IP:127.0.0.1 \(forServers)",
      error: "certificate-names-the-host"),
    Sample(
      "a wildcard within a label", "\(curve) -days 90 -addext subjectAltName=DNS:a*.example \(forServers)",
      error: "certificate-names-the-host"),
    Sample(
      "a wildcard of subdomains", "\(curve) -days 90 -addext subjectAltName=DNS:*.ads.example \(forServers)",
      error: "certificate-names-the-host"),
    Sample(
      "only for clients", "\(curve) -days 90 \(named) -addext extendedKeyUsage=clientAuth",
      error: "certificate-chain-is-trusted"),
    Sample("no extended key usage", "\(curve) -days 90 \(named)", warning: "certificate-has-extended-key-usage"),
    Sample("ten years", "\(curve) -days 3650 \(named) \(forServers)", warning: "certificate-lasts-at-most-398-days"),
    Sample("825 days", "\(curve) -days 825 \(named) \(forServers)"),
  ]

  @Test("The check and the browser agree", arguments: samples)
  func agreement(_ sample: Sample) async throws {
    let openSSL = try OpenSSLCommand()
    try await openSSL.run("req -x509 -nodes -subj /CN=ads.example \(sample.options) -keyout key.pem -out ca.pem")
    let identity = ServerIdentity(certificate: try openSSL.text("ca.pem"), privateKey: try openSSL.text("key.pem"))
    try await withServer(identity) { server, transport in
      let route = NetworkRoute(
        connectTo: ["::127.0.0.1:\(server.port)"], caFile: openSSL.path("ca.pem"), connectTimeout: .minutes(5))
      let report = try await check(over: transport, route)
      #expect(report.failedRules == sample.findings, "\(report.findings)")
      #expect(await server.requests.isEmpty)
      let exchange = await transport.send(BrowserRequest.report(url: "https://ads.example/", body: "{}"), route: route)
      #expect(exchange.httpStatus == (sample.isAccepted ? 200 : nil), "\(exchange)")
      #expect(exchange.failure?.code == (sample.isAccepted ? nil : .certificateRefused), "\(exchange)")
      #expect(await server.requests.count == (sample.isAccepted ? 1 : 0))
    }
  }

  private func withServer(
    _ identity: ServerIdentity, _ body: (RecordingServer, CurlTransport) async throws -> Void
  ) async throws {
    let server = try await RecordingServer.start(identity, security: .from12)
    let transport = try CurlTransport()
    let result: Result<Void, any Error>
    do {
      result = .success(try await body(server, transport))
    } catch {
      result = .failure(error)
    }
    await transport.close()
    await server.stop()
    try result.get()
  }

  private func check(over transport: CurlTransport, _ route: NetworkRoute) async throws -> CheckReport {
    let parser = SiteParser(publicSuffixList: .builtIn())
    let options = CheckOptions(
      endpoint: try parser.url("https://ads.example"), route: route, rules: ["certificate-"],
      patience: .init(maximum: .minutes(5)))
    // The certificates are new.
    let now = Instant(milliseconds: Int64(Date().timeIntervalSince1970 * 1_000))
    return try await EndpointChecker(options: options, parser: parser, prober: transport).run(at: now)
  }
}
