import PCMCore
import PCMCrypto
import PCMNetwork
import PCMURL
import PCMVerify
import Testing

@testable import PCMEndpoint

@Suite("The check of postback endpoints")
struct PostbackCheckTests {
  @Test("A good endpoint passes", arguments: AdFramework.allCases, [true, false])
  func good(_ framework: AdFramework, testKeys: Bool) async throws {
    let report = try await PostbackCheckup(framework, testKeys: testKeys).run().report
    #expect(report.grade == .pass, "\(report.failures)")
    #expect(report.findings.map(\.rule) == CheckCatalog.rules(of: CheckKind(framework)))
    #expect(report.sentRequests <= report.plannedRequests)
    let unused = report.findings.filter { $0.verdict != .passed }.map(\.rule.id)
    let older = framework == .skadnetwork ? [] : ["older-postbacks-are-accepted", "runner-up-postback-is-accepted"]
    #expect(unused == older + (testKeys ? [] : ["test-signed-postbacks-are-accepted"]))
  }

  @Test("A flaw fails one rule, and rules that depend on it are not reached", arguments: PostbackFlaw.all)
  func flaw(_ flaw: PostbackFlaw) async throws {
    var checkup = try PostbackCheckup(flaw.framework)
    checkup.change = flaw.change(try #require(checkup.options.postbacks))
    let report = try await checkup.run().report
    #expect(report.failed == [flaw.rule], "\(report.failures)")
    for finding in report.findings {
      if case .notReached(let root) = finding.verdict { #expect(root == flaw.rule, "\(finding.rule.id)") }
    }
  }

  @Test("Each rule about postbacks has a flaw that fails it")
  func everyRule() {
    let rules = CheckCatalog.rules(of: .skadnetwork).map(\.id).filter {
      $0.contains("postback") || $0.hasSuffix("do-no-harm") || $0.hasPrefix("unrelated")
    }
    #expect(Set(PostbackFlaw.all.map(\.rule)) == Set(rules).union(["invalid-values-do-no-harm"]))
  }

  @Test(
    "An endpoint that rejects every postback fails, and the fix names the key of development",
    arguments: [400, 401, 403, 422], [true, false])
  func nothingAccepted(_ status: Int, testKeys: Bool) async throws {
    for framework in AdFramework.allCases {
      var checkup = try PostbackCheckup(framework, testKeys: testKeys)
      checkup.change = { request, _, exchange in if request.method == .post { exchange.httpStatus = status } }
      let report = try await checkup.run().report
      #expect(report.grade == .fail && report.failed == ["postback-status-is-2xx"], "\(report.failures)")
      let fix = report.findings.first { $0.rule.id == "postback-status-is-2xx" }?.fix ?? ""
      #expect(fix.contains("--test-keys") == (framework == .adattributionkit && !testKeys), "\(fix)")
    }
  }

  @Test("The verdict on a status equals the device's", arguments: AdFramework.allCases)
  func agreement(_ framework: AdFramework) async throws {
    for status in [200, 201, 202, 204, 206, 299, 300, 304, 400, 404, 405, 429, 500, 503] {
      var checkup = try PostbackCheckup(framework)
      checkup.options.rules = ["postback-status", "postback-is", "postback-path", "postback-post"]
      checkup.change = { request, _, exchange in if request.method == .post { exchange.httpStatus = status } }
      let report = try await checkup.run().report
      let isDelivered = Exchange(httpStatus: status).undeliveredPostback(of: framework) == nil
      #expect((report.grade != .fail) == isDelivered, "\(status): \(report.failures)")
    }
  }

  @Test("Postbacks go to the registered URL, or to the well-known path of the registrable domain")
  func urls() async throws {
    #expect(try PostbackCheckup(.skadnetwork).options.requestURL == "https://in.ads.example/postbacks?a=1")
    #expect(
      try PostbackCheckup(.skadnetwork, "https://in.ads.example:8443").options.requestURL
        == "https://ads.example/.well-known/skadnetwork/report-attribution/")
    #expect(
      try PostbackCheckup(.adattributionkit, "https://ads.example/").options.requestURL
        == "https://ads.example/.well-known/appattribution/report-attribution/")
    let requests = try await PostbackCheckup(.skadnetwork, "https://in.ads.example:8443/p").run().requests
    #expect(
      Set(requests.filter { !$0.isUnrelated }.map(\.url)) == ["https://in.ads.example:8443/", "https://in.ads.example:8443/p"])
  }

  @Test("Apple's examples equal the fixtures, and verify with Apple's keys")
  func examples() throws {
    let verifier = try SignatureVerifier(.apple)
    let vectors = [
      ("v1.0-a", AppleExamples.skadnetwork1), ("v2.0-a", AppleExamples.skadnetwork2), ("v2.1-a", AppleExamples.skadnetwork21),
      ("v2.2-a", AppleExamples.skadnetwork22), ("v3.0-a", AppleExamples.skadnetwork3), ("v3.0-b", AppleExamples.runnerUp),
      ("v4.0-a", AppleExamples.skadnetwork4),
    ]
    for (name, text) in vectors {
      let fixture = JSON(parsing: Array(try TestFile.text("device/vectors/postback-\(name).json").utf8))
      #expect(JSON(parsing: Array(text.utf8)) == fixture, "\(name)")
      #expect(verifier.verdict(on: Array(text.utf8)).outcome == .valid, "\(name)")
    }
    let fixture = JSON(parsing: Array(try TestFile.text("device/vectors/aak-postback.json").utf8))
    #expect(JSON(parsing: Array(AppleExamples.development.utf8)) == fixture)
    #expect(verifier.verdict(on: Array(AppleExamples.development.utf8)).outcome == .valid)
  }

  @Test("Only Apple's and test-signed postbacks are valid", arguments: AdFramework.allCases)
  func bodies(_ framework: AdFramework) throws {
    let url = try Checkup.parser.url("https://ads.example/p")
    let subjects = try PostbackSubjects(framework, endpoint: url, trustsTestKeys: true, seed: 7)
    let pairs: [TestKeyPair] = [.skadnetworkP192, .skadnetworkP256, .production]
    let keys = try pairs.map { NamedKey(name: $0.rawValue, use: $0.use, key: try PublicKey(base64: $0.publicKey)) }
    func isValid(_ body: ProbeBody) throws -> Bool {
      try keys.contains { try SignatureVerifier(.given([$0])).verdict(on: body.bytes).outcome == .valid }
    }
    #expect(subjects.bodies(of: .testPostbacks).count > 5)
    for body in subjects.bodies(of: .testPostbacks) { #expect(try isValid(body), "\(body.name)") }
    for probe in [Probe.forgedPostbacks, .invalidPostbacks, .malformedPostbacks] {
      #expect(!subjects.bodies(of: probe).isEmpty)
      for body in subjects.bodies(of: probe) { #expect(try !isValid(body), "\(body.name)") }
    }
    let apple = try SignatureVerifier(.apple)
    for body in subjects.bodies(of: .invalidPostbacks) + subjects.bodies(of: .malformedPostbacks) {
      #expect(apple.verdict(on: body.bytes).outcome != .valid, "\(body.name)")
    }
  }
}

/// A fault of a postback endpoint, and the rule for it.
struct PostbackFlaw: Sendable, CustomTestStringConvertible {
  let rule: String
  let framework: AdFramework
  private let probe: Probe
  private let spoil: @Sendable (inout ProbeExchange) -> Void

  var testDescription: String { "\(rule) \(framework.rawValue)" }

  /// Spoils the responses to the first body of a probe.
  func change(_ subjects: PostbackSubjects) -> GoodEndpoint.Change {
    let (probe, spoil) = (probe, spoil)
    let body = subjects.bodies(of: probe).first?.bytes
    return { request, before, exchange in
      guard !request.isHandshake, request.isUnrelated == (probe == .unrelatedPaths) else { return }
      let isMeant =
        switch probe {
        case .unrelatedPaths: true
        case .getPostback: request.method == .get
        case .postbackOverHTTP1: !request.terms.offersHTTP2
        case .postbackFromOtherAgent: request.method == .post && request["User-Agent"] == nil
        case .postbackAsText: request["Content-Type"] == "text/plain"
        case .repeatedPostback: request.body == body && before == 1
        // The last steps are sent after everything else.
        case .postbackLoad: request.body == body && before > 10
        default: request.body == body
        }
      if isMeant { spoil(&exchange) }
    }
  }

  private static func both(
    _ rule: String, _ probe: Probe, _ spoil: @escaping @Sendable (inout ProbeExchange) -> Void
  ) -> [PostbackFlaw] {
    AdFramework.allCases.map { PostbackFlaw(rule: rule, framework: $0, probe: probe, spoil: spoil) }
  }

  static let all: [PostbackFlaw] =
    both("postback-is-answered", .postback) { $0.fail(.timedOut) }
    + both("postback-path-is-served", .postback) { $0.httpStatus = 404 }
    + both("postback-post-is-accepted", .postback) { $0.httpStatus = 405 }
    + both("postback-is-not-redirected", .postback) { $0.httpStatus = 308 }
    + both("postback-status-is-2xx", .postback) { $0.httpStatus = 403 }
    + both("postback-status-is-200", .postback) { $0.httpStatus = 204 }
    + both("postback-is-received", .postback) { $0.take(.init(body: #"{"error":"no route"}"#)) }
    + both("postback-is-received", .postback) { $0.headers = [.init("CF-Mitigated", "challenge")] }
    + both("postback-answer-is-no-page", .postback) { $0.take(.page) }
    + both("unrelated-paths-are-refused", .unrelatedPaths) { $0.take(.status(200)) }
    + both("postback-is-answered-within-2-seconds", .postback) { $0.take(seconds: 3) }
    + both("postback-works-over-http-1-1", .postbackOverHTTP1) { $0.httpStatus = 505 }
    + both("postback-needs-no-user-agent", .postbackFromOtherAgent) { $0.httpStatus = 403 }
    + both("other-content-types-do-no-harm", .postbackAsText) { $0.httpStatus = 500 }
    + both("repeated-postback-is-accepted", .repeatedPostback) { $0.httpStatus = 409 }
    + both("test-signed-postbacks-are-accepted", .testPostbacks) { $0.httpStatus = 400 }
    + both("forged-postbacks-do-no-harm", .forgedPostbacks) { $0.httpStatus = 500 }
    + both("invalid-values-do-no-harm", .invalidPostbacks) { $0.httpStatus = 500 }
    + both("malformed-postbacks-do-no-harm", .malformedPostbacks) { $0.httpStatus = 500 }
    + both("malformed-postbacks-are-refused", .malformedPostbacks) { $0.httpStatus = 200 }
    + both("oversized-postback-does-no-harm", .oversizedPostback) { $0.httpStatus = 500 }
    + both("oversized-postback-is-refused", .oversizedPostback) { $0.httpStatus = 200 }
    + both("get-of-postbacks-is-refused", .getPostback) { $0.httpStatus = 200 }
    + both("many-postbacks-at-once-are-accepted", .postbackLoad) { $0.httpStatus = 429 }
    + [
      PostbackFlaw(
        rule: "older-postbacks-are-accepted", framework: .skadnetwork, probe: .olderPostbacks, spoil: { $0.httpStatus = 400 }),
      PostbackFlaw(
        rule: "runner-up-postback-is-accepted", framework: .skadnetwork, probe: .runnerUpPostback,
        spoil: { $0.httpStatus = 400 }),
    ]
}
