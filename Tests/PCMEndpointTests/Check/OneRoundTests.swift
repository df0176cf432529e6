import PCMCore
import PCMNetwork
import Testing

@testable import PCMEndpoint

@Suite("One check shows as many failures as the answers allow")
struct OneRoundTests {
  /// An endpoint whose framework removes the slash and protects from request forgery, which answers slowly, refuses repeated
  /// reports, and fails at the path of the key.
  static let fiveBugs = ZooEndpoint(
    "five bugs", "report-is-not-redirected", "report-status-is-2xx", "report-is-answered-within-10-seconds",
    "repetition-is-accepted", "key-is-served"
  ) {
    $0.key = .status(500)
    $0.options = { $0.tokens = .required }
    $0.report = { visit in
      if visit.request.path.hasSuffix("/") { return .redirect(301, String(visit.request.path.dropLast())) }
      if visit.request["Origin"] != "https://ads.example" { return .status(403) }
      let counted = visit.earlier.filter { $0["Origin"] != nil && $0.body == visit.request.body }
      return visit.refusing(409) { _ in !counted.isEmpty }
    }
    $0.change = { visit, exchange in if visit.request["Origin"] != nil { exchange.take(seconds: 12) } }
  }

  @Test("The endpoint of five bugs shows all of them, and each finding after a redirect or a refusal names it")
  func everyBug() async throws {
    let report = try await Self.fiveBugs.check()
    #expect(report.failed == Self.fiveBugs.failing, "\(report.failures)")
    #expect(report.grade == .fail && !report.isIncomplete && report.sentRequests <= report.plannedRequests)
    for finding in report.findings {
      if case .notReached(let root) = finding.verdict { #expect(root == "key-is-served", "\(finding.rule.id)") }
    }
    let redirect = "report-is-not-redirected"
    for (rule, grounds) in [
      (redirect, []), ("report-status-is-2xx", [redirect]), ("report-needs-no-cookie", [redirect]),
      ("repetition-is-accepted", [redirect, "report-status-is-2xx"]), ("key-is-served", []),
    ] {
      #expect(report.findings.first { $0.rule.id == rule }?.dependsOn == grounds, "\(rule)")
    }
  }

  @Test(
    "A redirect leads on only to a route of the same site that is no login",
    arguments: [
      ("/reports", 200, true), ("https://www.ads.example/reports", 200, true), ("https://other.example/", 200, false),
      ("http://ads.example/reports", 200, false), ("/login?next=/reports", 200, false), ("/reports", 404, false),
      ("/reports", 500, true), ("", 200, false),
    ])
  func redirects(_ location: String, _ status: Int, _ isFollowed: Bool) async throws {
    var checkup = try Checkup()
    checkup.options.rules = ["report-status-is-2xx"]
    checkup.change = { request, _, exchange in
      exchange.take(request.isReport ? .redirect(308, location) : .status(status))
    }
    let finding = try #require(try await checkup.run().findings.last)
    #expect(finding.dependsOn == (isFollowed ? ["report-is-not-redirected"] : []))
    let isReached = finding.verdict != .notReached("report-is-not-redirected")
    #expect(finding.rule.id == "report-status-is-2xx" && isReached == isFollowed, "\(finding.verdict)")
  }

  @Test("Postbacks go to the target of a redirect, too", arguments: AdFramework.allCases)
  func postbacks(_ framework: AdFramework) async throws {
    var checkup = try PostbackCheckup(framework)
    checkup.change = { request, _, exchange in
      if request.url.contains("/postbacks?") { exchange.take(.redirect(307, "/v2")) }
    }
    let report = try await checkup.run().report
    #expect(report.failed == ["postback-is-not-redirected"], "\(report.failures)")
    let repetition = try #require(report.findings.first { $0.rule.id == "repeated-postback-is-accepted" })
    #expect(repetition.verdict == .passed && repetition.dependsOn == ["postback-is-not-redirected"])
  }

  @Test("A redirect to another host is not followed where the user directs hosts")
  func otherHost() async throws {
    var checkup = try Checkup()
    checkup.options.route.connectTo = ["ads.example:443:127.0.0.1:8443"]
    checkup.change = { request, _, exchange in
      if request.isReport { exchange.take(.redirect(308, "https://www.ads.example/")) }
    }
    #expect(try await checkup.requests().allSatisfy { $0.url.hasPrefix("https://ads.example/") || $0.isHandshake })
  }

  @Test("At the limit of time, the rules without a verdict do not pass, and there is no result without an error")
  func limit() async throws {
    var checkup = try Checkup()
    checkup.options.patience.total = .seconds(100)
    checkup.change = { request, _, exchange in if request.isReport { exchange.take(seconds: 40) } }
    let report = try await checkup.run()
    #expect(report.failed == ["report-is-answered-within-10-seconds"] && report.grade == .noResult, "\(report.failures)")
    #expect(report.verdict(of: "token-is-counted") == .notApplicable("the check ended after \(Interval.seconds(100).words)"))
  }

  @Test("The timeout is 60 seconds, and 15 seconds after the first request that timed out")
  func timeouts() async throws {
    var checkup = try Checkup()
    checkup.change = { request, _, exchange in if request.isKey { exchange.fail(.timedOut) } }
    let endpoint = try GoodEndpoint(certificate: checkup.certificate, change: checkup.change)
    let log = TimeoutLog(endpoint)
    _ = try await EndpointChecker(options: checkup.options, parser: Checkup.parser, prober: log).run(at: TestCertificate.now)
    #expect(await log.timeouts == [.seconds(60), .seconds(15)])
  }

  /// A prober that records the timeout of a request when it differs from the previous timeout.
  private actor TimeoutLog: Prober {
    private let endpoint: GoodEndpoint
    private(set) var timeouts: [Interval] = []

    init(_ endpoint: GoodEndpoint) { self.endpoint = endpoint }

    func send(_ request: ProbeRequest, route: NetworkRoute) async -> ProbeExchange {
      if timeouts.last != route.totalTimeout { timeouts.append(route.totalTimeout) }
      return await endpoint.send(request, route: route)
    }
  }

  /// An answer to each report, or the failure of each connection.
  struct Row: Sendable, CustomTestStringConvertible {
    var status = 200
    var seconds: Int64 = 0
    var failure: TransportFailure.Code?

    var testDescription: String { "\(status) after \(seconds) s, \(failure?.rawValue ?? "complete")" }
  }

  static let rows: [Row] =
    [200, 201, 202, 204, 206, 299, 300, 301, 302, 303, 304, 307, 308, 400, 401, 403, 404, 405, 409, 410, 429, 500, 502, 503]
    .map { Row(status: $0) } + [1, 3, 12, 59].map { Row(seconds: $0) }
    + [
      .timedOut, .connectionLost, .protocolError, .certificateRefused, .tlsFailed, .nameNotResolved, .connectionFailed,
    ].map { Row(failure: $0) }

  @Test("A check finds an error exactly where a browser records no delivery", arguments: rows)
  func agreement(_ row: Row) async throws {
    var checkup = try Checkup()
    checkup.options.rules = ["report-is-", "report-status", "report-path", "report-post"]
    checkup.change = { request, _, exchange in
      if let failure = row.failure, request.isReport || request.isHandshake && failure != .timedOut {
        exchange.fail(failure, verification: failure == .certificateRefused ? 20 : 0)
      } else if request.isReport, request.method == .post {
        exchange.take(.init(status: row.status, location: "https://ads.example/"))
        exchange.take(seconds: row.seconds)
      }
    }
    let exchange = Exchange(
      httpStatus: row.failure == nil ? row.status : nil, failure: row.failure.map { TransportFailure($0, "") })
    #expect((try await checkup.run().grade != .fail) == (exchange.undelivered == nil), "\(row)")
  }
}
