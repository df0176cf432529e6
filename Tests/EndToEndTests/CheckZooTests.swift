import Foundation
import PCMApp
import PCMCore
import PCMCurl
import PCMNetwork
import PCMURL
import TLSSupport
import Testing

@testable import PCMEndpoint

/// Small endpoints over real TLS, each with one fault or none.
@Suite(.timeLimit(.minutes(10)), .serialized) struct CheckZooTests {
  struct Endpoint: Sendable, CustomTestStringConvertible {
    let testDescription: String
    var version = RecordingServer.Version.http1
    /// The rules that fail, without the rule about the version of HTTP that the server does not speak.
    let failing: [String]
    /// Answers a report, after so many with the same body.
    let answer: @Sendable (Report, _ seen: Int) -> Reply
  }

  /// The members that these endpoints look at.
  struct Report: Decodable, Sendable {
    let sourceSite: String
    let sourceID: Int
    let attributedOnSite: String
    let triggerData: Int
    let version: Int

    enum CodingKeys: String, CodingKey {
      case sourceSite = "source_site"
      case sourceID = "source_id"
      case attributedOnSite = "attributed_on_site"
      case triggerData = "trigger_data"
      case version
    }

    var isInRange: Bool {
      (0...255).contains(sourceID) && (0...15).contains(triggerData) && (1...3).contains(version)
    }
  }

  static let zoo: [Endpoint] = [
    Endpoint(testDescription: "strict, without tokens", failing: []) { report, _ in Reply(report.isInRange ? 204 : 400) },
    Endpoint(testDescription: "strict, over HTTP/2", version: .http2, failing: []) { report, _ in
      Reply(report.isInRange ? 200 : 400)
    },
    Endpoint(testDescription: "409 for what was seen", failing: ["repetition-is-accepted"]) { report, seen in
      Reply(seen > 0 ? 409 : report.isInRange ? 200 : 400)
    },
    Endpoint(testDescription: "campaigns below 100", failing: ["largest-values-are-accepted"]) { report, _ in
      Reply(report.isInRange && report.sourceID < 100 ? 200 : 400)
    },
    Endpoint(testDescription: "source id 0 taken for a missing one", failing: ["smallest-values-are-accepted"]) { report, _ in
      Reply(report.isInRange && report.sourceID != 0 ? 200 : 400)
    },
  ]

  @Test(arguments: zoo) func itFailsTheRulesThatAreMeant(_ endpoint: Endpoint) async throws {
    let authority = try TestAuthority()
    let book = Book()
    let server = try await RecordingServer.start(
      try authority.issue(names: ["ads.example"]), version: endpoint.version, security: .from12,
      answer: { request in
        // A login, as at many an address without a route.
        guard request.method == "POST" else { return Reply(request.target.hasSuffix("report-attribution/") ? 405 : 401) }
        guard request.target.hasSuffix("report-attribution/") else { return Reply(404) }
        let seen = await book.note(request.body)
        guard let report = try? JSONDecoder().decode(Report.self, from: Data(request.body)) else { return Reply(400) }
        return endpoint.answer(report, seen)
      })
    let report = try await Self.check(server, authority)
    let lacking = endpoint.version == .http1 ? "report-works-over-http-2" : "report-works-over-http-1-1"
    #expect(report.failedRules == [lacking] + endpoint.failing, "\(endpoint.testDescription): \(report.failures)")
    #expect(report.roots.isEmpty)
  }

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

  /// How often each body came.
  private actor Book {
    private var counts: [[UInt8]: Int] = [:]

    func note(_ body: [UInt8]) -> Int {
      defer { counts[body, default: 0] += 1 }
      return counts[body] ?? 0
    }
  }
}
