import PCMCore
import PCMCrypto
import PCMNetwork
import PCMURL
import Testing

@testable import PCMEndpoint

@Suite("Check reports")
struct CheckReportTests {
  @Test("The announced number of requests is the maximum, and a complete check nearly reaches it")
  func budget() async throws {
    let checkup = try Checkup()
    let report = try await checkup.run()
    #expect(report.plannedRequests == checkup.options.plannedRequests)
    #expect(report.sentRequests == (try await checkup.requests()).count)
    // No inspection, no plain HTTP, no second try and no variants of the first report, nothing that explains a failure, no survey, and
    // one page of the list instead of eleven.
    #expect(report.sentRequests == report.plannedRequests - 47)
  }

  @Test("The plan depends on the options")
  func plans() throws {
    let url = try Checkup.parser.url("https://ads.example")
    var options = CheckOptions(endpoint: url)
    #expect(options.plannedRequests == 140)
    options.pixel = url
    #expect(options.plannedRequests == 141)
    options.nonces = .given(["AAAAAAAAAAAAAAAAAAAAAA"])
    #expect(options.plannedRequests == 148)
    options.nonces = .receiver(.init(url: "https://ads.example/admin"))
    #expect(options.plannedRequests == 160)
  }

  @Test("An endless list is read up to its limit")
  func endlessList() async throws {
    var checkup = try Checkup()
    checkup.change = { request, _, exchange in
      if request.path.hasPrefix("/admin/reports") { exchange.say(#"{"items":[],"next":"5"}"#) }
    }
    let requests = try await checkup.requests()
    #expect(requests.filter { $0.path.hasPrefix("/admin/reports") }.count == Probe.listingPages)
  }

  @Test(
    "Only the requests that the selected rules require are sent",
    arguments: [(["endpoint-"], 0), (["host-name"], 1), (["key-is-served"], 4)])
  func selection(_ rules: [String], _ most: Int) async throws {
    var checkup = try Checkup()
    checkup.options.rules = rules
    let requests = try await checkup.requests()
    #expect(requests.count <= most)
    #expect(checkup.options.plannedRequests == most)
    #expect(try await checkup.run().findings.allSatisfy { finding in rules.contains { finding.rule.id.hasPrefix($0) } })
  }

  @Test(
    "A selected rule that is not reached reports the failed rule and does not pass",
    arguments: ["report-", "key-is-json"])
  func selectionBehindAFailure(_ rule: String) async throws {
    var checkup = try Checkup()
    checkup.options.rules = [rule]
    checkup.change = { _, _, exchange in exchange.fail(.connectionFailed) }
    let report = try await checkup.run()
    #expect(report.failed == ["connections-are-accepted"])
    #expect(report.grade == .fail)
    #expect(report.findings.dropFirst().allSatisfy { $0.rule.id.hasPrefix(rule) })
    #expect(report.findings.dropFirst().allSatisfy { $0.verdict == .notReached("connections-are-accepted") })
  }

  @Test("No rule depends on a warning, so a rule that is not reached implies an error")
  func groundsAreErrors() {
    let warnings = Set(CheckCatalog.rules(of: .report).filter { $0.severity == .warning }.map(\.id))
    for criterion in CheckCatalog.criteria { #expect(warnings.isDisjoint(with: criterion.grounds), "\(criterion.id)") }
  }

  @Test("Without a response, no further requests are sent")
  func dead() async throws {
    var checkup = try Checkup()
    checkup.change = { request, _, exchange in if request.path != "/pixel" { exchange.fail(.nameNotResolved) } }
    #expect(try await checkup.requests().count == 2)
    let report = try await checkup.run()
    #expect(report.verdict(of: "report-status-is-2xx") == .notReached("host-name-resolves"))
    #expect(report.verdict(of: "token-is-counted") == .notReached("host-name-resolves"))
    #expect(report.verdict(of: "pixel-redirects") == .passed)
  }

  @Test("With too few nonces, only the rules with enough nonces are evaluated")
  func nonces() async throws {
    var checkup = try Checkup()
    checkup.options.nonces = .none
    var report = try await checkup.run()
    #expect(report.grade == .pass, "\(report.failures)")
    #expect(report.verdict(of: "unknown-nonces-are-refused") == .passed)
    #expect(
      report.verdict(of: "report-with-token-is-accepted")
        == .notApplicable("no nonces were given"))
    checkup.options.nonces = .given(["AAAAAAAAAAAAAAAAAAAAAA"])
    // Registered without the check's knowledge: the endpoint treats it as valid.
    checkup.change = { request, before, exchange in
      if request.isSign, request.text.contains("AAAAAAAAAAAAAAAAAAAAAA"), before == 0 { exchange.httpStatus = 409 }
    }
    report = try await checkup.run()
    #expect(report.failed == ["valid-nonces-are-signed"])
    #expect(report.verdict(of: "used-nonces-are-refused") == .notReached("valid-nonces-are-signed"))
  }

  @Test("A report that is rejected only the first time fails one rule")
  func once() async throws {
    var checkup = try Checkup()
    checkup.change = { request, before, exchange in
      if before == 0, request.isReport, request.text.contains(#""source_id":7,"#), request["Cookie"] == nil,
        request["Referer"] == nil, request.terms.offersHTTP2, request["User-Agent"] == BrowserRequest.userAgent
      {
        exchange.httpStatus = 503
      }
    }
    let report = try await checkup.run()
    #expect(report.failed == ["report-status-is-2xx"], "\(report.failures)")
    #expect(
      report.verdict(of: "report-needs-no-cookie") == .notApplicable("the same report is first rejected, then accepted"))
  }

  @Test("A check ends when the specified source returns no nonces")
  func noMinting() async throws {
    var checkup = try Checkup()
    checkup.change = { request, _, exchange in if request.path == "/admin/nonces" { exchange.httpStatus = 401 } }
    await #expect(throws: CheckError.noNonces(url: "https://ads.example/admin", account: "received 401")) {
      try await checkup.run()
    }
  }

  @Test("A report that is rejected without a cookie fails the rules about cookies and about status")
  func dependence() async throws {
    var checkup = try Checkup()
    checkup.change = { request, _, exchange in
      if request.isReport, request["Cookie"] == nil, exchange.httpStatus == 200 { exchange.httpStatus = 403 }
    }
    let report = try await checkup.run()
    #expect(report.failed == ["report-status-is-2xx", "report-needs-no-cookie"])
    #expect(
      report.verdict(of: "report-needs-no-referrer") == .notApplicable("reports are rejected with and without it"))
  }

  @Test("An untrusted chain does not hide a wrong name or an expired certificate")
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

  @Test("The role determines the token and the member of the site", arguments: Recipient.allCases)
  func roles(_ role: Recipient) async throws {
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

  @Test("The first report has the exact bytes of a browser's report")
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

  @Test("The same seed produces the same token, and another seed another token")
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
