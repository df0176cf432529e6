import Foundation
import PCMApp
import PCMCore
import PCMCurl
import PCMNetwork
import PCMURL
import ServiceSupport
import TLSSupport
import Testing

@testable import PCMEndpoint

/// The faults before the first request, each with a server that has only this fault.
@Suite(.timeLimit(.minutes(10))) struct CheckConnectionTests {
  /// In the middle of the validity of the test authority's certificates.
  private static let now = Instant(milliseconds: Int64(Date().timeIntervalSince1970 * 1_000))

  /// Examines a host at a port by the rules about connections.
  private func failures(
    of host: String = "ads.example", at port: Int, trusting file: String?, _ change: (inout NetworkRoute) -> Void = { _ in }
  ) async throws -> [String] {
    try await report(of: host, at: port, trusting: file, change).failedRules
  }

  private func report(
    of host: String = "ads.example", at port: Int, trusting file: String?, _ change: (inout NetworkRoute) -> Void = { _ in }
  ) async throws -> CheckReport {
    let parser = SiteParser(publicSuffixList: .builtIn())
    var route = NetworkRoute(connectTo: ["::127.0.0.1:\(port)"], caFile: file, connectTimeout: .minutes(5))
    change(&route)
    let options = CheckOptions(
      endpoint: try parser.url("https://\(host)"), route: route, rules: ["host-", "connections-", "tls-", "certificate-"],
      patience: .init(maximum: .minutes(5)))
    let transport = try CurlTransport()
    let result: Result<CheckReport, any Error>
    do {
      result = .success(
        try await EndpointChecker(options: options, parser: parser, prober: transport).run(at: Self.now))
    } catch {
      result = .failure(error)
    }
    await transport.close()
    let report = try result.get()
    #expect(report.sentRequests <= report.plannedRequests)
    return report
  }

  private func failures(
    names: [String] = ["ads.example"], validity: Range<Instant>? = nil, security: RecordingServer.Security = .from12,
    trusting: Bool = true, hasAlternativeNames: Bool = true
  ) async throws -> [String] {
    let (authority, stranger) = (try TestAuthority(), try TestAuthority(name: "Stranger"))
    let server = try await RecordingServer.start(
      try authority.issue(names: names, validity: validity, hasAlternativeNames: hasAlternativeNames), version: .http2,
      security: security)
    let file = trusting ? authority.certificateFile : stranger.certificateFile
    let failed = try await failures(at: server.port, trusting: file)
    #expect(await server.requests.isEmpty)
    await server.stop()
    return failed
  }

  @Test func aGoodServerFailsNothingAndIsSentNothing() async throws {
    #expect(try await failures() == [])
  }

  @Test func anAuthorityThatNobodyTrusts() async throws {
    #expect(try await failures(trusting: false) == ["certificate-chain-is-trusted"])
  }

  @Test(arguments: [["other.example"], ["*.ads.example"], ["www.ads.example", "other.example"]])
  func aCertificateForAnotherName(_ names: [String]) async throws {
    #expect(try await failures(names: names) == ["certificate-names-the-host"])
  }

  @Test func aCertificatePastItsTime() async throws {
    let validity = Self.now - .days(9)..<Self.now - .days(1)
    #expect(try await failures(validity: validity) == ["certificate-is-in-its-time"])
  }

  @Test func aCertificateBeforeItsTime() async throws {
    let validity = Self.now + .days(1)..<Self.now + .days(90)
    #expect(try await failures(validity: validity) == ["certificate-is-in-its-time"])
  }

  @Test func allOfThemTogether() async throws {
    let validity = Self.now - .days(9)..<Self.now - .days(1)
    #expect(
      try await failures(names: ["other.example"], validity: validity, trusting: false) == [
        "certificate-names-the-host", "certificate-is-in-its-time", "certificate-chain-is-trusted",
      ])
  }

  @Test func aCertificateNearItsEnd() async throws {
    let validity = Self.now - .days(60)..<Self.now + .days(20)
    #expect(try await failures(validity: validity) == ["certificate-lasts-21-days"])
  }

  @Test(arguments: [
    (RecordingServer.Security.before12, "tls-1-2-or-later-is-spoken"), (.only12, "tls-1-3-is-spoken"),
    (.any, "tls-before-1-2-is-refused"),
  ])
  func versionsOfTLS(_ security: RecordingServer.Security, _ rule: String) async throws {
    #expect(try await failures(security: security) == [rule])
  }

  /// The service speaks no TLS.
  @Test func plainHTTPOnThePort() async throws {
    let folder = try TemporaryFolder()
    let service = try await ServiceProcess(data: folder.path)
    let report = try await report(at: service.port, trusting: nil)
    service.terminate()
    await service.status()
    #expect(report.failedRules == ["tls-1-2-or-later-is-spoken"])
    #expect(
      report.findings.first { $0.rule.id == "tls-1-2-or-later-is-spoken" }?.verdict
        == .failed("the port serves plain HTTP instead of TLS: a request without TLS received 421"))
  }

  /// libcurl itself is content with the common name.
  @Test func aCertificateWithoutAlternativeNames() async throws {
    #expect(try await failures(hasAlternativeNames: false) == ["certificate-names-the-host"])
  }

  @Test func nobodyListens() async throws {
    let port = try #require(QuietPort(.refusing))
    #expect(try await failures(at: port.number, trusting: nil) == ["connections-are-accepted"])
  }

  @Test func nobodyAnswersTheHandshake() async throws {
    let port = try #require(QuietPort(.silent))
    let failed = try await failures(at: port.number, trusting: nil) { $0.connectTimeout = Interval(milliseconds: 100) }
    #expect(failed == ["connections-are-accepted"])
  }

  /// This is no finding about the endpoint, since no connection is tried.
  @Test func anAddressThatIsNotPublic() async throws {
    await #expect(
      throws: CheckError.addressRefused(host: "127.0.0.1", account: "127.0.0.1 is a loopback address")
    ) {
      try await failures(of: "127.0.0.1", at: 1, trusting: nil) { $0.connectTo = [] }
    }
  }
}
