import PCMCore
import PCMNetwork
import Testing

@testable import PCMEndpoint

@Suite("The reports of a check")
struct ReportSeriesTests {
  private func reports(_ change: (inout CheckOptions) -> Void = { _ in }) async throws -> [ProbeRequest] {
    var checkup = try Checkup()
    change(&checkup.options)
    return try await checkup.requests().filter { $0.isReport && $0.method == .post }
  }

  @Test("No report is sent twice, except by the repetition probe")
  func differentBodies() async throws {
    let bodies = try await reports().map(\.text)
    let repeated = Set(bodies.filter { body in bodies.count { $0 == body } > 1 })
    #expect(repeated.count == 2)
    let first = try #require(bodies.first)
    #expect(repeated.allSatisfy { $0 == first || $0.contains("_secret_token_signature") })
    #expect(bodies.count - Set(bodies).count == 2)
    #expect(bodies.dropFirst().first == first, "repetition comes before anything that could be taken for one")
  }

  @Test("The reports of a survey are not repeated")
  func surveyedBodies() async throws {
    var checkup = try Checkup()
    checkup.options.tokens = .off
    checkup.change = { request, _, exchange in
      if request.isReport, request.text.contains(#""source_id":255,"#) { exchange.httpStatus = 404 }
    }
    let bodies = try await checkup.requests().filter { $0.isReport && $0.method == .post }.map(\.text)
    #expect(bodies.count - Set(bodies).count == 1)
  }

  @Test("A rejected report is repeated unchanged, because another might be rejected for its values")
  func refused() async throws {
    var checkup = try Checkup()
    checkup.change = { request, _, exchange in if request.isReport { exchange.httpStatus = 403 } }
    let bodies = try await checkup.requests().filter { $0.isReport && $0.method == .post }.map(\.text)
    // The variants have another version, or token members.
    #expect(Set(bodies.filter { $0.hasSuffix(#""version":3}"#) && !$0.contains("token") }).count == 1)
    #expect(Set(bodies).count == 4)
  }

  @Test("Reports contain the given numbers and sites", arguments: Recipient.allCases)
  func givenSubjects(_ role: Recipient) async throws {
    let reports = try await reports {
      $0.role = role
      $0.subjects = ReportSubjects(sourceIDs: [40, 12], triggerData: [7], otherSite: "shop.example")
    }
    let member = role == .source ? "attributed_on_site" : "source_site"
    let whole = reports.map(\.text).filter { $0.contains(#""version":"#) && $0.contains(#""trigger_data":7,"#) }
    #expect(whole.count > 60)
    let sites = whole.filter { $0.contains(#""\#(member)":"shop.example""#) }
    // A body without this member and one with a number in its place are malformed.
    #expect(sites.count >= whole.count - 2)
    #expect(whole.filter { $0.contains(#""source_id":12,"#) }.count > 20)
    #expect(try #require(reports.first).text.contains(#""source_id":40,"#))
  }

  @Test("With given numbers, the smallest and largest values are not checked")
  func extremes() async throws {
    var checkup = try Checkup()
    checkup.options.subjects = ReportSubjects(sourceIDs: [40], triggerData: [7])
    let report = try await checkup.run()
    for rule in ["smallest-values-are-accepted", "largest-values-are-accepted"] {
      #expect(
        report.verdict(of: rule)
          == .notApplicable("the endpoint accepts only the given values (--source-id, --trigger-data)"))
    }
  }

  @Test("A rule does not apply when too few unsent reports are left")
  func exhausted() async throws {
    var checkup = try Checkup()
    checkup.options.subjects = ReportSubjects(sourceIDs: [40], triggerData: [7])
    checkup.change = { request, before, exchange in if request.isReport, before > 0 { exchange.httpStatus = 409 } }
    let report = try await checkup.run()
    #expect(report.failed == ["repetition-is-accepted"], "\(report.failures)")
    for rule in ["report-needs-no-cookie", "many-reports-at-once-are-accepted", "report-with-token-is-accepted"] {
      #expect(
        report.verdict(of: rule)
          == .notApplicable("the endpoint rejects repeated reports and accepts too few different ones"), "\(rule)")
    }
  }
}
