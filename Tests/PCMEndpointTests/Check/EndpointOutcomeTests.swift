import Foundation
import PCMCore
import PCMNetwork
import Testing

@testable import PCMEndpoint

@Suite("What Safari does")
struct EndpointOutcomeTests {
  struct Example: Sendable, CustomTestStringConvertible {
    let framework: AdFramework?
    let outcome: EndpointOutcome

    var testDescription: String { "\(framework?.rawValue ?? "report"), \(outcome.situation)" }
  }

  static let examples = EndpointOutcomes.topics.flatMap { topic in
    topic.outcomes.map { Example(framework: topic.framework, outcome: $0) }
  }

  @Test("A browser records what the table says, and the first rule of a check that fails is the table's", arguments: examples)
  func row(_ example: Example) async throws {
    switch example.outcome.play {
    case .scenarios(let names):
      for name in names { #expect(try !TestFile.text("scenarios/\(name).yaml").isEmpty) }
    case .answers(let answers):
      for answer in answers {
        var exchange = Exchange(httpStatus: answer.status, httpVersion: answer.httpVersion)
        exchange.location = answer.location
        try await Self.compare(exchange, example) { _, exchange in
          exchange.take(.init(status: answer.status, body: "", location: answer.location))
          exchange.take(seconds: answer.seconds)
          if let version = answer.httpVersion { exchange.exchange.httpVersion = version }
        }
      }
    case .failure(let code, let isAtHandshake):
      try await Self.compare(Exchange(failure: TransportFailure(code, "")), example) { request, exchange in
        if isAtHandshake || !request.isHandshake { exchange.fail(code) }
      }
    case .certificate(let certificate):
      let failure = Exchange(failure: TransportFailure(.certificateRefused, ""))
      try await Self.compare(failure, example, certificate: certificate) { _, _ in }
    }
  }

  private static func compare(
    _ exchange: Exchange, _ example: Example, certificate: EndpointOutcome.Certificate? = nil,
    change: @escaping @Sendable (ProbeRequest, inout ProbeExchange) -> Void
  ) async throws {
    let report: CheckReport
    let reason: Reason?
    if let framework = example.framework {
      var checkup = try PostbackCheckup(framework)
      checkup.change = { request, _, exchange in
        if request.isHandshake || request.method == .post && !request.isUnrelated { change(request, &exchange) }
      }
      report = try await checkup.run().report
      reason = exchange.undeliveredPostback(of: framework)
    } else {
      var checkup = try Checkup()
      (checkup.options.pixel, checkup.options.tokens, checkup.options.nonces) = (nil, .off, .none)
      if let certificate { checkup.certificate = try certificate.pem() }
      checkup.change = { request, before, exchange in
        // Only the first handshake verifies the certificate.
        let verifies = request.isHandshake && request.terms.tls == .browser && before == 0
        if let certificate, verifies { exchange.fail(.certificateRefused, verification: certificate.verification) }
        if request.isHandshake || request.isReport && request.method == .post { change(request, &exchange) }
      }
      report = try await checkup.run()
      reason = exchange.undelivered
    }
    let record = example.outcome.record.split(separator: ", ").map(String.init)
    #expect(reason?.code == record.dropFirst().first, "\(exchange)")
    #expect((reason == nil) == (record[0] == "delivered"))
    // Malformed messages receive the same response.
    let causes = report.failed.filter { !$0.hasSuffix("-are-refused") && !$0.hasSuffix("-is-refused") }
    #expect(causes.first == example.outcome.rule, "\(report.failures)")
  }
}

extension EndpointOutcome.Certificate {
  /// OpenSSL's number.
  fileprivate var verification: Int {
    switch self {
    case .unknownAuthority: 20
    case .expired: 10
    case .otherHost: 62
    }
  }

  fileprivate func pem() throws -> String {
    switch self {
    case .unknownAuthority: try TestCertificate.pem()
    case .expired: try TestCertificate.pem(validity: TestCertificate.now - .days(90)..<TestCertificate.now - .days(1))
    case .otherHost: try TestCertificate.pem(names: ["other.example"])
    }
  }
}
