import Crypto
import Foundation
import PCMCore
import PCMNetwork
import PCMURL
import Testing

@testable import PCMCrypto
@testable import PCMEndpoint

/// A fault of an endpoint, and the rule for it.
struct Flaw: Sendable, CustomTestStringConvertible {
  let rule: String
  let make: @Sendable (inout Checkup) throws -> Void

  init(_ rule: String, _ make: @escaping @Sendable (inout Checkup) throws -> Void) {
    self.rule = rule
    self.make = make
  }

  /// Answers of a kind are spoilt.
  init(
    _ rule: String, where isMeant: @escaping @Sendable (ProbeRequest) -> Bool,
    spoil: @escaping @Sendable (inout ProbeExchange) -> Void
  ) {
    self.init(rule) { checkup in
      checkup.change = { request, _, exchange in if isMeant(request) { spoil(&exchange) } }
    }
  }

  var testDescription: String { rule }
}

extension ProbeExchange {
  mutating func fail(_ code: TransportFailure.Code, verification: Int = 0) {
    self = ProbeExchange(Exchange(failure: TransportFailure(code, "as the test has it")))
    self.verification = verification
  }

  mutating func take(seconds: Int64) { exchange.timings?.total = seconds * 1_000_000 }

  mutating func say(_ text: String) { exchange.body = Array(text.utf8) }

  mutating func replace(_ old: String, by new: String) {
    say(String(decoding: exchange.body, as: UTF8.self).replacingOccurrences(of: old, with: new))
  }
}

extension Flaw {
  static let ofTheEndpoint: [Flaw] = [
    Flaw("endpoint-url-is-https") { $0.options.endpoint = try Checkup.parser.url("http://ads.example") },
    Flaw("endpoint-has-a-registrable-domain") {
      $0.options.endpoint = try Checkup.parser.url("https://127.0.0.1")
      $0.options.rules = ["endpoint-"]
    },
    Flaw("endpoint-is-on-registrable-domain") { $0.options.endpoint = try Checkup.parser.url("https://www.ads.example") },
    Flaw("endpoint-is-on-the-default-port") { $0.options.endpoint = try Checkup.parser.url("https://ads.example:8443") },
    handshake("host-name-resolves") { $0.fail(.nameNotResolved) },
    handshake("connections-are-accepted") { $0.fail(.connectionFailed) },
    handshake("connections-are-accepted") { $0.fail(.timedOut) },
    handshake("tls-1-2-or-later-is-spoken") { $0.fail(.tlsFailed) },
    Flaw("tls-1-2-or-later-is-spoken", where: \.isHandshake) { $0.fail(.connectionLost) },
    Flaw("tls-1-3-is-spoken", where: { $0.terms.tls == .from13 }, spoil: { $0.fail(.tlsFailed) }),
    Flaw("tls-before-1-2-is-refused", where: { $0.terms.tls == .before12 }, spoil: { $0.failure = nil }),
  ]

  static let ofTheCertificate: [Flaw] = [
    handshake("certificate-key-is-long-enough") { $0.fail(.certificateRefused, verification: 66) },
    Flaw("certificate-key-is-long-enough") { $0.certificate = try TestCertificate.pem(isEdwards: true) },
    Flaw("certificate-key-is-long-enough") {
      $0.certificate = try TestFile.text("certificates/rsa-1024.pem")
      $0.options.route.caFile = "own.pem"
    },
    Flaw("certificate-is-well-formed") { $0.certificate = "no certificate" },
    handshake("certificate-signature-is-sha-2") { $0.fail(.certificateRefused, verification: 68) },
    Flaw("certificate-signature-is-sha-2") {
      $0.certificate = try TestFile.text("certificates/sha1.pem")
      $0.options.route.caFile = "own.pem"
    },
    Flaw("certificate-names-the-host") { checkup in
      checkup.certificate = try TestCertificate.pem(names: ["*.ads.example"])
      checkup.change = refusal(1)
    },
    Flaw("certificate-names-the-host") { $0.certificate = try TestCertificate.pem(names: nil) },
    Flaw("certificate-names-the-host") { checkup in
      checkup.certificate = try TestCertificate.pem(names: [])
      checkup.change = refusal(1)
    },
    Flaw("certificate-is-in-its-time") { checkup in
      checkup.certificate = try TestCertificate.pem(validity: TestCertificate.now - .days(9)..<TestCertificate.now - .days(1))
      checkup.change = refusal(10)
    },
    handshake("certificate-chain-is-trusted") { $0.fail(.certificateRefused, verification: 20) },
    // An intermediate certificate has expired.
    handshake("certificate-chain-is-trusted") { $0.fail(.certificateRefused, verification: 10) },
    Flaw("certificate-lasts-21-days") {
      let now = TestCertificate.now
      $0.certificate = try TestCertificate.pem(validity: now - .days(1)..<now + .days(21) - .seconds(1))
    },
    Flaw("certificate-lasts-at-most-398-days") {
      let now = TestCertificate.now
      $0.certificate = try TestCertificate.pem(validity: now - .days(1)..<now + .days(397) + .seconds(1))
    },
    Flaw("certificate-lasts-at-most-398-days") {
      let now = TestCertificate.now
      $0.certificate = try TestCertificate.pem(validity: now - .days(1)..<now + .days(824) + .seconds(1))
      $0.options.route.caFile = "own.pem"
    },
    Flaw("certificate-has-extended-key-usage") { $0.certificate = try TestCertificate.pem(hasExtendedKeyUsage: false) },
  ]

  static let ofReports: [Flaw] = [
    report("report-is-answered") { $0.fail(.connectionLost) },
    report("report-is-answered") { $0.failure = TransportFailure(.protocolError, "in the middle of the body") },
    report("report-is-answered-within-60-seconds") { $0.fail(.timedOut) },
    report("report-is-answered-within-10-seconds") { $0.take(seconds: 11) },
    report("report-path-is-served") { $0.httpStatus = 404 },
    report("report-post-is-accepted") { $0.httpStatus = 405 },
    report("report-is-not-redirected") { $0.httpStatus = 308 },
    report("report-status-is-2xx") { $0.httpStatus = 401 },
    report("report-status-is-2xx") { $0.httpStatus = 500 },
    accepted("report-is-received") { $0.headers = [.init("x-amzn-waf-action", "challenge")] },
    Flaw("report-is-received", where: { $0.isReport || $0.isUnrelated }, spoil: { $0.take(.page) }),
    accepted("report-answer-is-no-page") { $0.take(.page) },
    Flaw("unrelated-paths-are-refused", where: \.isUnrelated, spoil: { $0.take(.status(204)) }),
    report("report-is-answered-within-2-seconds") { $0.take(seconds: 3) },
    report("report-answer-sets-no-cookie") { $0.setsCookies = true },
    report("report-works-over-http-2") { $0.httpVersion = "1.1" },
    Flaw(
      "report-works-over-http-1-1", where: { $0.isReport && !$0.terms.offersHTTP2 },
      spoil: { $0.fail(.protocolError) }),
    Flaw("report-needs-no-cookie", where: { $0["Cookie"] != nil }, spoil: { $0.httpStatus = 400 }),
    Flaw("report-needs-no-referrer", where: { $0["Referer"] != nil }, spoil: { $0.httpStatus = 403 }),
    Flaw("report-needs-no-user-agent", where: { $0.isReport && $0["User-Agent"] == nil }, spoil: { $0.httpStatus = 403 }),
    Flaw(
      "report-needs-no-user-agent", where: { $0.isReport && $0["User-Agent"]?.contains("Macintosh") == true },
      spoil: { $0.httpStatus = 403 }),
    body("older-versions-are-accepted", #""version":1}"#) { $0.httpStatus = 400 },
    body("older-versions-are-accepted", #""version":2}"#) { $0.httpStatus = 400 },
    body("unknown-members-are-tolerated", "pcm_check_object") { $0.httpStatus = 400 },
    body("smallest-values-are-accepted", #""trigger_data":0,"#) { $0.httpStatus = 400 },
    body("largest-values-are-accepted", #""source_id":255,"#) { $0.httpStatus = 500 },
    Flaw("given-values-are-accepted") { checkup in
      checkup.options.subjects.sourceIDs = [12, 41]
      checkup.change = { request, _, exchange in
        if request.isReport, request.text.contains(#""source_id":41,"#) { exchange.httpStatus = 404 }
      }
    },
    Flaw("given-values-are-accepted") { checkup in
      checkup.options.subjects = ReportSubjects(sourceIDs: [12], triggerData: [0, 9])
      checkup.change = { request, _, exchange in
        if request.isReport, request.text.contains(#""trigger_data":9,"#) { exchange.httpStatus = 404 }
      }
    },
    Flaw(
      "reverse-order-is-accepted",
      where: { $0.text.contains(#""source_id":7,"#) && $0.text.contains(#""trigger_data":12,"#) },
      spoil: { $0.httpStatus = 409 }),
    Flaw("repetition-is-accepted") { checkup in
      checkup.change = { request, before, exchange in if request.isReport, before > 0 { exchange.httpStatus = 409 } }
    },
    body("many-reports-at-once-are-accepted", #""source_id":10,"#) { $0.httpStatus = 429 },
    Flaw("many-reports-at-once-are-accepted", where: { $0.text.contains("pcm_check_text") }, spoil: { $0.httpStatus = 429 }),
  ]

  static let ofBodies: [Flaw] = [
    Flaw("malformed-bodies-do-no-harm", where: { $0.isReport && $0.text == "null" }, spoil: { $0.httpStatus = 500 }),
    Flaw("malformed-bodies-do-no-harm", where: { $0.text.hasPrefix("[[[[") }, spoil: { $0.fail(.connectionLost) }),
    Flaw("malformed-bodies-are-refused", where: { $0.isReport && $0.body == [] }, spoil: { $0.httpStatus = 200 }),
    Flaw("oversized-body-does-no-harm", where: { $0.text.utf8.count > 1_000_000 }, spoil: { $0.fail(.timedOut) }),
    Flaw("oversized-body-does-no-harm", where: { $0.text.utf8.count > 1_000_000 }, spoil: { $0.httpStatus = 502 }),
    Flaw("oversized-body-is-refused", where: { $0.text.utf8.count > 1_000_000 }, spoil: { $0.httpStatus = 200 }),
    Flaw("get-is-refused", where: { $0.isReport && $0.method == .get }, spoil: { $0.httpStatus = 200 }),
  ]

  private static func handshake(_ rule: String, _ spoil: @escaping @Sendable (inout ProbeExchange) -> Void) -> Flaw {
    Flaw(rule) { checkup in
      checkup.change = { request, before, exchange in
        if request.isHandshake, request.terms.tls == .browser, before == 0 { spoil(&exchange) }
      }
    }
  }

  /// Clients that verify the certificate reject it. All others accept it.
  private static func refusal(_ verification: Int) -> GoodEndpoint.Change {
    { request, before, exchange in
      if request.isHandshake, request.terms.tls == .browser, before == 0 {
        exchange.fail(.certificateRefused, verification: verification)
      }
    }
  }

  private static func report(_ rule: String, _ spoil: @escaping @Sendable (inout ProbeExchange) -> Void) -> Flaw {
    Flaw(rule, where: \.isReport, spoil: spoil)
  }

  /// Spoils the responses to reports that the endpoint accepts.
  private static func accepted(_ rule: String, _ spoil: @escaping @Sendable (inout ProbeExchange) -> Void) -> Flaw {
    Flaw(rule, where: \.isReport) { exchange in if exchange.httpStatus == 200 { spoil(&exchange) } }
  }

  private static func body(_ rule: String, _ text: String, _ spoil: @escaping @Sendable (inout ProbeExchange) -> Void) -> Flaw {
    Flaw(rule, where: { $0.text.contains(text) }, spoil: spoil)
  }
}
