import PCMCore
import PCMCrypto
import PCMNetwork
import Testing

@testable import PCMEndpoint

@Suite("Evidence")
struct EvidenceTests {
  @Test(
    "Evidence contains no secrets for any failure",
    arguments: ["", "signature-verifies", "token-is-counted", "valid-nonces-are-signed"])
  func secrets(_ failing: String) async throws {
    var checkup = try Checkup()
    checkup.options.nonces = .receiver(.init(url: "https://ads.example/admin", token: "a-Password-That-Nobody-Knows-1"))
    try FlawTests.flaws.first { $0.rule == failing }?.make(&checkup)
    let report = try await checkup.run()
    let context = CheckContext(options: checkup.options, now: TestCertificate.now, parser: Checkup.parser)
    let tokens = [context.token, context.forgedToken].compactMap { $0.map { Base64URL.encode($0.bytes) } }
    let secrets = tokens + ["AQEBAQEBAQEBAQEBAQEBAQ", "Password"]
    for finding in report.findings {
      for evidence in finding.evidence {
        let shown = [evidence.request, evidence.requestBody, evidence.answer, evidence.answerBody]
        for secret in secrets { #expect(!shown.contains { $0.contains(secret) }, "\(finding.rule.id): \(shown)") }
        #expect(shown.allSatisfy { $0.utf8.count < 1_200 })
      }
    }
  }

  @Test("A Location is redacted and truncated, also in a finding")
  func locations() async throws {
    let nonce = "AQEBAQEBAQEBAQEBAQEBAQ"
    var checkup = try Checkup()
    checkup.change = { request, _, exchange in
      guard request.isReport || request.isPixel else { return }
      exchange.httpStatus = 302
      exchange.location = "/elsewhere?attributionDestinationNonce=\(nonce)&x=" + String(repeating: "x.", count: 30_000)
      exchange.contentType = "text/" + String(repeating: "x.", count: 30_000)
    }
    let report = try await checkup.run()
    #expect(report.failed == ["report-is-not-redirected", "pixel-redirects-to-a-trigger"])
    for finding in report.findings {
      guard case .failed(let seen) = finding.verdict else { continue }
      #expect(seen.contains("AQEBAQ…(22)") && !seen.contains(nonce))
      #expect(seen.utf8.count < 1_200)
      #expect(finding.evidence.allSatisfy { $0.answer.utf8.count < 2_400 && !$0.answer.contains(nonce) })
    }
  }

  @Test("A Location is shown without user information, also in a finding")
  func userInformation() async throws {
    var checkup = try Checkup()
    checkup.change = { request, _, exchange in
      guard request.isReport || request.isPixel else { return }
      exchange.httpStatus = 302
      exchange.location = "\(TriggerURL.pathPrefix)12?attributionSource=https://user:secret@a.example"
      if request.isReport { exchange.location = "https://user:secret@a.example/" }
    }
    let report = try await checkup.run()
    #expect(report.failed.contains("report-is-not-redirected") && report.failed.contains("pixel-source-is-a-site"))
    for finding in report.findings {
      if case .failed(let seen) = finding.verdict { #expect(!seen.contains("secret"), "\(seen)") }
      #expect(finding.evidence.allSatisfy { !$0.answer.contains("secret") && !$0.request.contains("secret") })
    }
    #expect(report.findings.contains { $0.evidence.contains { $0.answer.contains("https://removed@a.example") } })
  }

  @Test(
    "Random values are redacted, words are not",
    arguments: [
      ("AQEBAQEBAQEBAQEBAQEBAQ", "AQEBAQ…(22)"), (#"{"a":"x9_-x9_-x9_-x9_-"}"#, #"{"a":"x9_-x9…(16)"}"#),
      ("/.well-known/private-click-measurement/", "/.well-known/private-click-measurement/"),
      ("source_unlinkable_token", "source_unlinkable_token"), ("Short1", "Short1"), ("", ""),
      ("MissingAuthenticationTokenException", "MissingAuthenticationTokenException"),
      ("ERR_BLOCKED_BY_RULE_1020", "ERR_BLOCKED_BY_RULE_1020"), ("CSRF_TOKEN_MISSING", "CSRF_TOKEN_MISSING"),
      ("SignatureDoesNotMatch", "SignatureDoesNotMatch"),
      ("AADSTS50011-RedirectUriMismatch", "AADSTS50011-RedirectUriMismatch"),
      ("6aafb7a5-0170-41b5-bbe4", "6aafb7…(23)"), ("qL7wTz0vXr3nKd8sPb2m", "qL7wTz…(20)"),
      (#"{"source_nonce": "WordsThatAreSecret"}"#, #"{"source_nonce": "WordsT…(18)"}"#),
    ])
  func redaction(_ text: String, _ expected: String) {
    #expect(Redaction.redacted(text) == expected)
  }

  @Test("Evidence contains the version of a request, and the status, type, and duration of its response")
  func lines() throws {
    let request = BrowserRequest.report(
      url: "https://ads-2026-with-a-long-name.example/x?nonce=AQEBAQEBAQEBAQEBAQEBAQ", body: "{}")
    let exchange = Exchange(
      httpStatus: 302, httpVersion: "2", timings: .init(dns: 0, connect: 0, tls: 0, firstByte: 0, total: 31_000),
      contentType: "text/html", location: "/y", body: [UInt8](repeating: 97, count: 2_000))
    let evidence = CheckReport.Evidence(Sent(request: ProbeRequest(request), exchange: ProbeExchange(exchange)))
    #expect(evidence.request == "POST https://ads-2026-with-a-long-name.example/x?nonce=AQEBAQ…(22) HTTP/2")
    #expect(
      evidence.requestHeaders == [
        "accept: */*", "content-type: application/json", "cache-control: max-age=0",
        "user-agent: \(BrowserRequest.userAgent)", "content-length: 2",
      ])
    #expect(evidence.requestBody == "{}")
    #expect(evidence.answer == "302 text/html, Location: /y, 31 ms")
    #expect(evidence.answerBody == String(repeating: "a", count: 1_024) + "… (2000 bytes)")
    var page = ProbeExchange(
      Exchange(httpStatus: 403, contentType: "text/html", body: Array("<h1>No</h1><p>Error 1020</p>".utf8)))
    page.headers = [.init("Server", "cloudflare"), .init("Date", "today"), .init("CF-Mitigated", "challenge")]
    let refused = CheckReport.Evidence(Sent(request: ProbeRequest(request), exchange: page))
    #expect(refused.answerHeaders == ["server: cloudflare", "cf-mitigated: challenge"])
    #expect(refused.answerBody == "Error 1020")
    let broken = Exchange(failure: TransportFailure(.connectionLost, "reset"))
    #expect(
      CheckReport.Evidence(Sent(request: ProbeRequest(request), exchange: ProbeExchange(broken))).answer
        == "connection-lost: reset")
  }
}
