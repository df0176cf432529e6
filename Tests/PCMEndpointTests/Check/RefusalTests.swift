import PCMCore
import PCMNetwork
import PCMURL
import Testing

@testable import PCMEndpoint

@Suite("Refusals that other requests explain")
struct ComparisonTests {
  private func finding(_ change: @escaping GoodEndpoint.Change) async throws -> CheckReport.Finding {
    var checkup = try Checkup()
    checkup.change = change
    let report = try await checkup.run()
    #expect(report.failed.count == 1, "\(report.failures)")
    return try #require(report.findings.first { if case .failed = $0.verdict { true } else { false } })
  }

  @Test(
    "A rule that refuses every path with a dot is named",
    arguments: [
      (403, 404, "<html><head><title>403 Forbidden</title></head></html>", "report-status-is-2xx"),
      (
        404, 404, "<html><head><title>404 Not Found</title></head><body><p>The URL PATH is absent.</body></html>",
        "report-path-is-served"
      ),
      (404, 200, "", "report-path-is-served"), (405, 404, "", "report-post-is-accepted"),
    ])
  func dots(_ status: Int, _ plain: Int, _ body: String, _ rule: String) async throws {
    let finding = try await finding { request, _, exchange in
      guard request.isReport || request.isUnrelated, request.method == .post else { return }
      if request.path.contains("/.") {
        exchange.take(.init(status: status, body: body.replacing("PATH", with: request.path), type: "text/html"))
      } else if request.isUnrelated {
        exchange.take(.init(status: plain, body: #"{"error":"no route"}"#))
      }
    }
    #expect(
      finding.rule.id == rule && finding.fix.contains("location ~ /") && finding.fix.contains("RedirectMatch"), "\(finding.fix)"
    )
    guard case .failed(let account) = finding.verdict else { return }
    #expect(
      account.contains("/.\(CheckOptions.unrelatedName) received \(status), too, and without the dot \(plain)"), "\(account)")
    #expect(finding.evidence.count == 3)
  }

  @Test(
    "The same refusal at every path neither shows nor excludes a rule for dots, and another one at another path with a dot does",
    arguments: [(403, 403, false), (403, 404, false), (404, 404, true), (404, 405, false)])
  func noRuleForDots(_ status: Int, _ other: Int, mayBeDots: Bool) async throws {
    let nginx = "<html><head><title>\(status)</title></head><body>nginx</body></html>"
    let finding = try await finding { request, _, exchange in
      guard request.isReport || request.isUnrelated else { return }
      exchange.take(.init(status: request.isReport ? status : other, body: nginx, type: "text/html"))
    }
    #expect(!finding.fix.contains("location ~") && finding.fix.hasSuffix(DotRule.hint) == mayBeDots, "\(finding.fix)")
  }

  @Test("A response that HTTP/2 does not allow names the header, and that HTTP/1.1 works", arguments: [nil, "keep-alive"])
  func invalidHeader(_ name: String?) async throws {
    let finding = try await finding { request, _, exchange in
      guard request.isReport else { return }
      if request.terms.offersHTTP2 {
        let part = name.map { "Invalid HTTP header field was received: frame type: 1, stream: 1, name: [\($0)], value: [x]" }
        exchange.fail(.connectionLost)
        exchange.failure = TransportFailure(
          .connectionLost, part ?? "HTTP/2 stream 1 was not closed cleanly: PROTOCOL_ERROR (err 1)")
      } else {
        exchange.headers = [.init("Upgrade", "h2,h2c"), .init("connection", "Keep-Alive, close"), .init("Server", "x")]
      }
    }
    #expect(finding.rule.id == "report-is-answered")
    #expect(
      finding.fix.contains(
        name.map { "The header is \($0)." } ?? "The HTTP/1.1 response names Connection, Keep-Alive, Upgrade."), "\(finding.fix)"
    )
    guard case .failed(let account) = finding.verdict else { return }
    #expect(account.hasSuffix("; over HTTP/1.1, the same report received 200"), "\(account)")
  }

  @Test("A gateway's status at the key names the answer without tokens", arguments: [502, 503, 520])
  func key(_ status: Int) async throws {
    var checkup = try Checkup()
    (checkup.options.nonces, checkup.options.pixel) = (.none, nil)
    checkup.change = { request, _, exchange in if request.isKey { exchange.take(.status(status)) } }
    var finding = try #require(try await checkup.run().findings.first { $0.rule.id == "key-is-served" })
    #expect(finding.fix.contains("or answer 404 if you offer no tokens"), "\(finding.fix)")
    checkup.options.tokens = .required
    finding = try #require(try await checkup.run().findings.first { $0.rule.id == "key-is-served" })
    #expect(!finding.fix.contains("404"), "\(finding.fix)")
  }

  @Test(
    "What is wrong in the redirect of a pixel is named, with the right path",
    arguments: [
      ("https://ads.example/" + TriggerURL.pathPrefix + "12", ["a doubled slash"]),
      ("/" + TriggerURL.pathPrefix + "12", ["a doubled slash"]),
      (TriggerURL.pathPrefix + "/12", ["a doubled slash"]),
      ("http://ads.example" + TriggerURL.pathPrefix + "12", ["over http"]),
      ("http://ads.example/" + TriggerURL.pathPrefix + "12", ["a doubled slash", "over http"]), ("//ads.example/elsewhere", []),
      ("//ads.example" + TriggerURL.pathPrefix + "3", []), ("https:/ads.example" + TriggerURL.pathPrefix + "12", ["one slash"]),
      ("/.well-known/private-click-measurment/trigger-attribution/12", ["spelling is \(TriggerURL.pathPrefix)12"]),
      ("/.WELL-KNOWN/private-click-measurement/trigger-attribution/12", ["spelling is \(TriggerURL.pathPrefix)12"]),
      ("/%2Ewell-known/private-click-measurement/trigger-attribution/12", ["spelling is \(TriggerURL.pathPrefix)12"]),
      ("/.well-known/private-click-measurement/report-attribution/3", ["spelling is \(TriggerURL.pathPrefix)03"]),
      ("/.well-known/attribution-reporting/trigger-attribution", ["Chrome's Attribution Reporting API"]),
    ])
  func pixel(_ location: String, _ slips: [String]) async throws {
    let finding = try await finding { request, _, exchange in if request.isPixel { exchange.location = location } }
    guard case .failed(let account) = finding.verdict else { return }
    for slip in ["a doubled slash", "over http", "one slash"] + slips {
      #expect(account.contains(slip) == slips.contains(slip), "\(account)")
    }
    #expect((finding.fix == finding.rule.fix) == slips.isEmpty, "\(finding.fix)")
  }

  @Test("A pixel whose own URL has http is named, also when its redirect fails for this reason")
  func plainPixel() async throws {
    var checkup = try Checkup()
    checkup.options.pixel = try Checkup.parser.url("http://ads.example/pixel")
    checkup.change = { request, _, exchange in
      if request.url.hasSuffix("/pixel") { exchange.take(.redirect(302, TriggerURL.pathPrefix + "12")) }
    }
    #expect(try await checkup.run().failed == ["pixel-url-is-https", "pixel-trigger-is-read"])
  }
}

@Suite("Variants of a refused report")
struct VariantTests {
  private func check(_ isAccepted: @escaping @Sendable (ProbeRequest) -> Bool) async throws -> CheckReport {
    var checkup = try Checkup()
    checkup.change = { request, _, exchange in
      if request.isReport, request.method == .post, !isAccepted(request) { exchange.take(.status(422)) }
    }
    return try await checkup.run()
  }

  @Test(
    "The variant that is accepted names the reason",
    arguments: [
      ("version 1", "Accept versions 1, 2, and 3"), ("version 2", "Accept versions 1, 2, and 3"),
      ("tokens", "without token members"),
      ("agent", "Ignore User-Agent"), ("charset", "without a charset"),
    ])
  func accepted(_ variant: String, _ fix: String) async throws {
    let report = try await check { request in
      switch variant {
      case "version 1": request.text.contains(#""version":1"#)
      case "version 2": request.text.contains(#""version":2"#)
      case "tokens": request.text.contains("_secret_token_signature")
      case "agent": request["User-Agent"] == BrowserRequest.pageUserAgent
      default: request["Content-Type"]?.contains("charset") == true
      }
    }
    #expect(report.failed == ["report-status-is-2xx"], "\(report.failures)")
    let finding = try #require(report.findings.first { $0.rule.id == "report-status-is-2xx" })
    #expect(finding.fix.contains(fix), "\(finding.fix)")
    #expect(report.failures.contains("variants received") && report.failures.contains("200 "), "\(report.failures)")
    #expect(finding.evidence.count == 2)
  }

  @Test("A fault of the server is not explained by the key of development")
  func fault() async throws {
    var checkup = try PostbackCheckup(.adattributionkit, testKeys: false)
    checkup.change = { request, _, exchange in if request.method == .post { exchange.httpStatus = 500 } }
    let report = try await checkup.run().report
    let finding = try #require(report.findings.first { $0.rule.id == "postback-status-is-2xx" })
    #expect(report.grade == .fail && !finding.fix.contains("--test-keys"), "\(finding.fix)")
  }

  @Test("A body that is not text is not shown in the finding")
  func binary() {
    let bytes: [UInt8] = [0x1F, 0x8B, 0x08, 0x00]
    #expect(ProbeExchange(Exchange(httpStatus: 403, body: bytes)).statement == "a body of 4 bytes that is not text")
    #expect(ProbeExchange(Exchange(httpStatus: 403, body: Array("é \n".utf8))).statement == "the body é")
  }

  @Test("Without an accepted variant, their common result is stated")
  func none() async throws {
    let report = try await check { _ in false }
    let result =
      "variants received 422 as version 1, as version 2, with token members, with Safari's User-Agent, with charset=utf-8, "
      + "with the headers of a page"
    #expect(report.failures.contains(result), "\(report.failures)")
  }

  @Test("A refusal that an unrelated path receives, too, comes from a layer before the endpoint")
  func layer() async throws {
    var checkup = try Checkup()
    checkup.change = { request, _, exchange in
      if request.isReport || request.isUnrelated { exchange.take(.status(403)) }
    }
    #expect(try await checkup.run().failures.contains("an unrelated path received 403, too"))
  }

  @Test("An accepted report has no variants")
  func unneeded() async throws {
    let requests = try await Checkup().requests()
    #expect(requests.allSatisfy { $0["User-Agent"] != BrowserRequest.pageUserAgent || $0.isPixel })
  }
}
