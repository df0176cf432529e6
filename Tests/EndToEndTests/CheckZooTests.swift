import Foundation
import PCMApp
import PCMCore
import PCMCurl
import PCMNetwork
import PCMURL
import TLSSupport
import Testing

@testable import PCMEndpoint

/// Endpoints over real TLS that answer every request alike.
@Suite(.timeLimit(.minutes(10)), .serialized) struct CheckZooTests {
  /// The page of a single-page app, and the challenge of a content delivery network, at every path for every method.
  @Test(arguments: RecordingServer.Version.allCases)
  func anEndpointThatReceivesNothingFails(_ version: RecordingServer.Version) async throws {
    let page = Reply(
      200, headers: [.init("Content-Type", "text/html; charset=utf-8")],
      body: Array("<!doctype html><title>Shop</title><div id=app>".utf8))
    let challenge = Reply(403, headers: [.init("CF-Mitigated", "challenge")])
    for (reply, rule, sign) in [
      (page, "report-is-received", "Shop"), (challenge, "report-status-is-2xx", "cf-mitigated: challenge"),
    ] {
      let authority = try TestAuthority()
      let server = try await RecordingServer.start(
        try authority.issue(names: ["ads.example"]), version: version, security: .from12, answer: { _ in reply })
      let report = try await Self.check(server, authority)
      let lacking = ["report-works-over-http-2", "report-works-over-http-1-1"]
      #expect(report.failedRules.filter { !lacking.contains($0) } == [rule], "\(report.failures)")
      #expect(report.grade == .fail && report.failures.contains(sign), "\(report.failures)")
    }
  }

  /// Checks a server and stops it.
  private static func check(_ server: RecordingServer, _ authority: TestAuthority) async throws -> CheckReport {
    let parser = SiteParser(publicSuffixList: .builtIn())
    let options = CheckOptions(
      endpoint: try parser.url("https://ads.example"),
      route: NetworkRoute(
        connectTo: ["::127.0.0.1:\(server.port)"], caFile: authority.certificateFile, connectTimeout: .minutes(5)),
      patience: .endless)
    let transport = try CurlTransport()
    let now = Instant(milliseconds: Int64(Date().timeIntervalSince1970 * 1_000))
    let report = try await EndpointChecker(options: options, parser: parser, prober: transport).run(at: now)
    await transport.close()
    await server.stop()
    return report
  }
}
