import Testing

@testable import PCMEndpoint

@Suite("Endpoints with and without tokens")
struct TokenPolicyTests {
  /// How an endpoint without tokens answers a request for the key.
  static let answers: [GoodEndpoint.Answer] =
    [400, 401, 403, 404, 405, 410, 501].map { .init(status: $0, body: #"{"error":"no"}"#) }
    + [301, 302, 303, 307, 308].map { .init(status: $0, body: "", location: "/login") }
    + [
      .init(status: 204, body: ""), .init(status: 200, body: ""),
      .init(status: 200, body: "<!doctype html>", type: "text/html; charset=utf-8"),
    ]

  private func checkup(_ answer: GoodEndpoint.Answer) throws -> Checkup {
    var checkup = try Checkup()
    checkup.change = { request, _, exchange in if request.isKey { exchange.take(answer) } }
    return checkup
  }

  @Test("An endpoint without a key offers no tokens, which is not an error", arguments: TokenPolicyTests.answers)
  func noTokens(_ answer: GoodEndpoint.Answer) async throws {
    let checkup = try checkup(answer)
    let report = try await checkup.run()
    #expect(report.grade == .pass, "\(report.failures)")
    for rule in ["key-is-served", "key-is-json", "unknown-nonces-are-refused", "signature-verifies", "token-is-counted"] {
      #expect(report.verdict(of: rule) == .notApplicable("the endpoint offers no tokens"), "\(rule)")
    }
    #expect(try await checkup.requests().allSatisfy { !$0.isSign })
  }

  @Test(
    "Statuses of a handler that fails without a body are an error only when nonces are given",
    arguments: [406, 409, 411, 415, 422, 500])
  func handler(_ status: Int) async throws {
    var checkup = try checkup(.init(status: status, body: #"{"error":"no"}"#))
    #expect(try await checkup.run().failed == ["key-is-served"])
    checkup.options.nonces = .none
    let report = try await checkup.run()
    #expect(report.grade == .pass, "\(report.failures)")
    #expect(report.verdict(of: "key-is-served") == .notApplicable("the endpoint offers no tokens"))
  }

  @Test("When tokens are required, an endpoint without a key fails", arguments: TokenPolicyTests.answers)
  func tokensRequired(_ answer: GoodEndpoint.Answer) async throws {
    var checkup = try checkup(answer)
    checkup.options.tokens = .required
    #expect(try await checkup.run().failed == ["key-is-served"])
  }

  @Test("With tokens off, the key is not requested, and rules about tokens do not apply")
  func tokensOff() async throws {
    var checkup = try Checkup()
    checkup.options.tokens = .off
    let report = try await checkup.run()
    #expect(report.grade == .pass, "\(report.failures)")
    for rule in ["key-is-answered", "key-is-served", "signature-verifies", "token-is-counted"] {
      #expect(report.verdict(of: rule) == .notApplicable("tokens are not checked (--tokens off)"), "\(rule)")
    }
    let requests = try await checkup.requests()
    #expect(requests.allSatisfy { !$0.isKey && !$0.isSign && !$0.path.hasPrefix("/admin") })
    #expect(report.plannedRequests <= requests.count + 37)
  }
}
