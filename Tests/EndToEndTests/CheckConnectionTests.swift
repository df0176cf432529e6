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

/// The faults before the first request, each with a server that has only this fault. A browser delivers no report to it exactly if the
/// fault is an error.
@Suite(.timeLimit(.minutes(10))) struct CheckConnectionTests {
  /// In the middle of the validity of the test authority's certificates.
  private static let now = Instant(milliseconds: Int64(Date().timeIntervalSince1970 * 1_000))

  /// Examines the server at a port by the rules about connections.
  private func failures(
    at port: Int, trusting file: String?, _ change: (inout NetworkRoute) -> Void = { _ in }
  ) async throws -> [String] {
    try await report(at: port, trusting: file, change).failedRules
  }

  private func report(
    at port: Int, trusting file: String?, _ change: (inout NetworkRoute) -> Void = { _ in }
  ) async throws -> CheckReport {
    let parser = SiteParser(publicSuffixList: .builtIn())
    var route = NetworkRoute(connectTo: ["::127.0.0.1:\(port)"], caFile: file, connectTimeout: .minutes(5))
    change(&route)
    let options = CheckOptions(
      endpoint: try parser.url("https://ads.example"), route: route, rules: ["host-", "connections-", "tls-", "certificate-"],
      patience: .init(maximum: .minutes(5)))
    let transport = try CurlTransport()
    let result: Result<CheckReport, any Error>
    do {
      result = .success(
        try await EndpointChecker(options: options, parser: parser, prober: transport).run(at: Self.now))
    } catch {
      result = .failure(error)
    }
    let exchange = await transport.send(BrowserRequest.report(url: "https://ads.example/", body: "{}"), route: route)
    await transport.close()
    let report = try result.get()
    #expect((exchange.undelivered == nil) == (report.grade != .fail), "\(exchange)")
    #expect(report.sentRequests <= report.plannedRequests)
    return report
  }

  /// A server with one fault, or all faults of a certificate.
  struct Server: Sendable, CustomTestStringConvertible {
    let testDescription: String
    var names = ["ads.example"]
    var validity: Range<Instant>?
    var security = RecordingServer.Security.from12
    var isTrusted = true
    var hasAlternativeNames = true
    let failing: [String]
  }

  private static let past = now - .days(9)..<now - .days(1)

  static let servers = [
    Server(testDescription: "no fault", failing: []),
    Server(testDescription: "an unknown authority", isTrusted: false, failing: ["certificate-chain-is-trusted"]),
    Server(testDescription: "another name", names: ["other.example"], failing: ["certificate-names-the-host"]),
    Server(testDescription: "a wildcard below", names: ["*.ads.example"], failing: ["certificate-names-the-host"]),
    // libcurl itself is content with the common name.
    Server(testDescription: "no alternative names", hasAlternativeNames: false, failing: ["certificate-names-the-host"]),
    Server(testDescription: "past its time", validity: past, failing: ["certificate-is-in-its-time"]),
    Server(
      testDescription: "before its time", validity: now + .days(1)..<now + .days(90), failing: ["certificate-is-in-its-time"]),
    Server(
      testDescription: "near its end", validity: now - .days(60)..<now + .days(20), failing: ["certificate-lasts-21-days"]),
    Server(
      testDescription: "all together", names: ["other.example"], validity: past, isTrusted: false,
      failing: ["certificate-names-the-host", "certificate-is-in-its-time", "certificate-chain-is-trusted"]),
    Server(testDescription: "TLS before 1.2", security: .before12, failing: ["tls-1-2-or-later-is-spoken"]),
    Server(testDescription: "only TLS 1.2", security: .only12, failing: ["tls-1-3-is-spoken"]),
    Server(testDescription: "any TLS", security: .any, failing: ["tls-before-1-2-is-refused"]),
  ]

  @Test(arguments: servers) func aServerFailsTheRulesOfItsFaultsAndTheCheckSendsNothing(_ row: Server) async throws {
    let (authority, stranger) = (try TestAuthority(), try TestAuthority(name: "Stranger"))
    let server = try await RecordingServer.start(
      try authority.issue(names: row.names, validity: row.validity, hasAlternativeNames: row.hasAlternativeNames),
      version: .http2, security: row.security)
    let file = row.isTrusted ? authority.certificateFile : stranger.certificateFile
    #expect(try await failures(at: server.port, trusting: file) == row.failing)
    // The browser's; the check sends none.
    #expect(await server.requests.allSatisfy { $0.method == "POST" && $0.target == "/" && $0.body == Array("{}".utf8) })
    await server.stop()
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

  @Test func nobodyListens() async throws {
    let port = try #require(QuietPort(.refusing))
    #expect(try await failures(at: port.number, trusting: nil) == ["connections-are-accepted"])
  }

  @Test func nobodyAnswersTheHandshake() async throws {
    let port = try #require(QuietPort(.silent))
    let failed = try await failures(at: port.number, trusting: nil) { $0.connectTimeout = Interval(milliseconds: 100) }
    #expect(failed == ["connections-are-accepted"])
  }
}
