import PCMCore
import PCMDelivery
import PCMSites
import PCMTokens
import Testing

@testable import PCMCheck

@Suite("How an examination goes")
struct ExaminationTests {
  @Test("The number that is said before is the most that is sent, and with everything to ask for nearly reached")
  func budget() async throws {
    let checkup = try Checkup()
    let examination = try await checkup.run()
    #expect(examination.plannedRequests == CheckPlan(checkup.options).plannedRequests)
    #expect(examination.sentRequests == (try await checkup.requests()).count)
    // No inspection, no plain HTTP, no second try of the first report, no survey, and one page of the list instead of eleven.
    #expect(examination.sentRequests == examination.plannedRequests - 35)
  }

  @Test("What is planned depends on what can be asked for")
  func plans() throws {
    let url = try Checkup.parser.url("https://ads.example")
    var options = CheckOptions(endpoint: url)
    #expect(CheckPlan(options).plannedRequests == 126)
    options.pixel = url
    #expect(CheckPlan(options).plannedRequests == 127)
    options.nonces = .given(["AAAAAAAAAAAAAAAAAAAAAA"])
    #expect(CheckPlan(options).plannedRequests == 134)
    options.nonces = .receiver(.init(url: "https://ads.example/admin"))
    #expect(CheckPlan(options).plannedRequests == 146)
  }

  @Test("Nothing is sent beyond the budget")
  func exhausted() {
    var budget = RequestBudget(3)
    let isSpent = [2, 2, 1, 1].map { budget.spend($0) }
    #expect(isSpent == [true, false, true, false])
    #expect(budget.spent == 3)
  }

  @Test("A list without end is read up to its limit")
  func endlessList() async throws {
    var checkup = try Checkup()
    checkup.change = { request, _, exchange in
      if request.path.hasPrefix("/admin/reports") { exchange.say(#"{"items":[],"next":"5"}"#) }
    }
    let requests = try await checkup.requests()
    #expect(requests.filter { $0.path.hasPrefix("/admin/reports") }.count == Probe.listingPages)
  }

  @Test(
    "Only what the selected rules need is sent", arguments: [(["endpoint-"], 0), (["host-name"], 1), (["key-is-served"], 4)])
  func selection(_ rules: [String], _ most: Int) async throws {
    var checkup = try Checkup()
    checkup.options.rules = rules
    let requests = try await checkup.requests()
    #expect(requests.count <= most)
    #expect(CheckPlan(checkup.options).plannedRequests == most)
    #expect(try await checkup.run().findings.allSatisfy { finding in rules.contains { finding.rule.id.hasPrefix($0) } })
  }

  @Test(
    "A rule that was asked for and not reached brings the one that failed along, and does not pass",
    arguments: ["report-", "key-is-json"])
  func selectionBehindAFailure(_ rule: String) async throws {
    var checkup = try Checkup()
    checkup.options.rules = [rule]
    checkup.change = { _, _, exchange in exchange.fail(.connectionFailed) }
    let examination = try await checkup.run()
    #expect(examination.failed == ["connections-are-accepted"])
    #expect(examination.grade == .fail)
    #expect(examination.findings.dropFirst().allSatisfy { $0.rule.id.hasPrefix(rule) })
    #expect(examination.findings.dropFirst().allSatisfy { $0.verdict == .notReached("connections-are-accepted") })
  }

  @Test("No rule rests on a warning, so what is not reached is never all right")
  func groundsAreErrors() {
    let warnings = Set(CheckCatalog.rules.filter { $0.severity == .warning }.map(\.id))
    for criterion in CheckCatalog.criteria { #expect(warnings.isDisjoint(with: criterion.grounds), "\(criterion.id)") }
  }

  @Test("Where nothing answers nothing more is sent")
  func dead() async throws {
    var checkup = try Checkup()
    checkup.change = { request, _, exchange in if request.path != "/pixel" { exchange.fail(.nameNotResolved) } }
    #expect(try await checkup.requests().count == 2)
    let examination = try await checkup.run()
    #expect(examination.verdict(of: "report-status-is-2xx") == .notReached("host-name-resolves"))
    #expect(examination.verdict(of: "token-is-counted") == .notReached("host-name-resolves"))
    #expect(examination.verdict(of: "pixel-redirects") == .passed)
  }

  @Test("Without nonces what needs none is judged, with too few what they are enough for")
  func nonces() async throws {
    var checkup = try Checkup()
    checkup.options.nonces = .none
    var examination = try await checkup.run()
    #expect(examination.grade == .pass, "\(examination.failures)")
    #expect(examination.verdict(of: "unknown-nonces-are-refused") == .passed)
    #expect(
      examination.verdict(of: "report-with-token-is-accepted")
        == .notApplicable("no nonces were given"))
    checkup.options.nonces = .given(["AAAAAAAAAAAAAAAAAAAAAA"])
    // Minted behind the examination's back: the endpoint takes it for a good one.
    checkup.change = { request, before, exchange in
      if request.isSign, request.text.contains("AAAAAAAAAAAAAAAAAAAAAA"), before == 0 { exchange.httpStatus = 409 }
    }
    examination = try await checkup.run()
    #expect(examination.failed == ["valid-nonces-are-signed"])
    #expect(examination.verdict(of: "used-nonces-are-refused") == .notReached("valid-nonces-are-signed"))
  }

  @Test("A report that is refused once and taken the next time fails one rule, and no difference is made of it")
  func once() async throws {
    var checkup = try Checkup()
    checkup.change = { request, before, exchange in
      if before == 0, request.isReport, request.text.contains(#""source_id":7,"#), request["Cookie"] == nil,
        request["Referer"] == nil, request.terms.httpVersion != .only1, request["User-Agent"] == BrowserRequest.userAgent
      {
        exchange.httpStatus = 503
      }
    }
    let examination = try await checkup.run()
    #expect(examination.failed == ["report-status-is-2xx"], "\(examination.failures)")
    #expect(
      examination.verdict(of: "report-needs-no-cookie") == .notApplicable("the same report is first rejected, then accepted"))
  }

  @Test("Nonces that are not to be had where the caller said end the examination")
  func noMinting() async throws {
    var checkup = try Checkup()
    checkup.change = { request, _, exchange in if request.path == "/admin/nonces" { exchange.httpStatus = 401 } }
    await #expect(throws: EndpointChecker.Fault.noNonces(url: "https://ads.example/admin", account: "received 401")) {
      try await checkup.run()
    }
  }

  @Test("A report that is refused for want of a cookie fails two rules: what it depends on, and that it is refused")
  func dependence() async throws {
    var checkup = try Checkup()
    checkup.change = { request, _, exchange in
      if request.isReport, request["Cookie"] == nil, exchange.httpStatus == 200 { exchange.httpStatus = 403 }
    }
    let examination = try await checkup.run()
    #expect(examination.failed == ["report-status-is-2xx", "report-needs-no-cookie"])
    #expect(
      examination.verdict(of: "report-needs-no-referrer") == .notApplicable("reports are rejected with and without it"))
  }

  @Test("A chain that nobody trusts does not hide that the certificate is for another name and too old")
  func certificates() async throws {
    var checkup = try Checkup()
    let now = TestCertificate.now
    checkup.certificate = try TestCertificate.pem(names: ["other.example"], validity: now - .days(9)..<now - .days(1))
    checkup.change = { request, before, exchange in
      if request.isHandshake, request.terms.tls == .browser, before == 0 {
        exchange.fail(.certificateRefused, verification: 20)
      }
    }
    #expect(
      try await checkup.run().failed == [
        "certificate-names-the-host", "certificate-is-in-its-time", "certificate-chain-is-trusted",
      ])
  }

  @Test("The role decides whose token and which member the site is", arguments: CheckReport.Role.allCases)
  func roles(_ role: CheckReport.Role) async throws {
    var checkup = try Checkup()
    checkup.options.role = role
    let requests = try await checkup.requests()
    let report = try #require(requests.first { $0.isReport && $0.method == .post })
    let site = role == .source ? #""source_site":"ads.example""# : #""attributed_on_site":"ads.example""#
    #expect(report.text.contains(site))
    let sign = try #require(requests.first { $0.isSign })
    #expect(sign.text.contains(#""\#(role.rawValue)_nonce":"#))
    #expect(requests.contains { $0.text.contains(#""\#(role.rawValue)_secret_token":"#) })
  }

  @Test("The first report is a browser's, byte for byte")
  func browserReport() async throws {
    let requests = try await Checkup().requests()
    let report = try #require(requests.first { $0.isReport })
    let browser = BrowserRequest.report(url: ReportBody.url(at: Site("ads.example")), body: report.text)
    #expect(report.headers == browser.headers)
    #expect(report.url == browser.url)
    #expect(
      report.text
        == #"{"source_engagement_type":"click","source_site":"ads.example","source_id":7,"attributed_on_site":"destination.example","trigger_data":3,"version":3}"#
    )
  }

  @Test("The same seed makes up the same token, another one another")
  func seeds() async throws {
    func token(_ seed: UInt64) throws -> UnlinkableToken? {
      var options = try Checkup().options
      options.seed = seed
      return CheckContext(options: options, now: TestCertificate.now, parser: Checkup.parser).token
    }
    #expect(try token(1) == token(1))
    #expect(try token(1) != token(2))
  }
}
