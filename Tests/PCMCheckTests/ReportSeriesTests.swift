import PCMCore
import PCMDelivery
import Testing

@testable import PCMCheck

@Suite("Which reports an examination sends")
struct ReportSeriesTests {
  private func reports(_ change: (inout CheckOptions) -> Void = { _ in }) async throws -> [ProbeRequest] {
    var checkup = try Checkup()
    change(&checkup.options)
    return try await checkup.requests().filter { $0.isReport && $0.method == .post }
  }

  @Test("No report is sent twice but where repetition is what is examined")
  func differentBodies() async throws {
    let bodies = try await reports().map(\.text)
    let repeated = Set(bodies.filter { body in bodies.count { $0 == body } > 1 })
    #expect(repeated.count == 2)
    let first = try #require(bodies.first)
    #expect(repeated.allSatisfy { $0 == first || $0.contains("_secret_token_signature") })
    #expect(bodies.count - Set(bodies).count == 2)
    #expect(bodies.dropFirst().first == first, "repetition comes before anything that could be taken for one")
  }

  @Test("After a survey, its reports are not sent again either")
  func surveyedBodies() async throws {
    var checkup = try Checkup()
    checkup.options.tokens = .off
    checkup.change = { request, _, exchange in
      if request.isReport, request.text.contains(#""source_id":255,"#) { exchange.httpStatus = 404 }
    }
    let bodies = try await checkup.requests().filter { $0.isReport && $0.method == .post }.map(\.text)
    #expect(bodies.count - Set(bodies).count == 1)
  }

  @Test("A refused report is sent again as it is, since another one might be refused for its values")
  func refused() async throws {
    var checkup = try Checkup()
    checkup.change = { request, _, exchange in if request.isReport { exchange.httpStatus = 403 } }
    let bodies = try await checkup.requests().filter(\.isReport).map(\.text)
    #expect(Set(bodies).count == 1)
  }

  @Test("Given numbers and sites are in every report that should be accepted", arguments: CheckReport.Role.allCases)
  func givenSubjects(_ role: CheckReport.Role) async throws {
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

  @Test("Given numbers leave no smallest and largest values to examine")
  func extremes() async throws {
    var checkup = try Checkup()
    checkup.options.subjects = ReportSubjects(sourceIDs: [40], triggerData: [7])
    let examination = try await checkup.run()
    for rule in ["smallest-values-are-accepted", "largest-values-are-accepted"] {
      #expect(
        examination.verdict(of: rule)
          == .notApplicable("the endpoint accepts only the given values (--source-id, --trigger-data)"))
    }
  }

  @Test("Where too few reports are left that were not sent, a rule that needs one does not apply")
  func exhausted() async throws {
    var checkup = try Checkup()
    checkup.options.subjects = ReportSubjects(sourceIDs: [40], triggerData: [7])
    checkup.change = { request, before, exchange in if request.isReport, before > 0 { exchange.httpStatus = 409 } }
    let examination = try await checkup.run()
    #expect(examination.failed == ["repetition-is-accepted"], "\(examination.failures)")
    for rule in ["report-needs-no-cookie", "many-reports-at-once-are-accepted", "report-with-token-is-accepted"] {
      #expect(
        examination.verdict(of: rule)
          == .notApplicable("the endpoint rejects repeated reports and accepts too few different ones"), "\(rule)")
    }
  }
}
