import BrowserSupport
import HTTPSupport
import HTTPTypes
import NIOConcurrencyHelpers
import PCMHTTP
import PCMStore
import Testing

/// Expectations on the wire.
@Suite struct ExpectationRouteTests {
  private static let path = "/v1/browsers/test/expectations"

  private func convert(_ api: API) async throws {
    try await api.call(.post, "/v1/browsers/test/event-attributions", API.eventAttribution)
    try await api.call(.post, "/v1/browsers/test/triggering-events", API.trigger)
  }

  private func check(_ body: String, in api: API) async throws -> API.Answer {
    let answer = try await api.call(.post, Self.path, body)
    #expect(answer.status == 200, "\(answer.text)")
    return answer
  }

  @Test func anExpectedReportIsFound() async throws {
    try await API.test { api in
      try await convert(api)
      #expect(try await check(#"{"report":{"recipient":"source"}}"#, in: api).member("met") == false, "not delivered yet")
      #expect(try await check(#"{"report":{"recipient":"source","state":"scheduled"}}"#, in: api).member("met") == true)
      try await api.call(.post, "/v1/browsers/test/clock/advance", #"{"by":"PT49H"}"#)
      let body = """
        {"report":{"recipient":"source","sourceSite":"news.example","destinationSite":"shop.example","sourceIdentifier":4,\
        "triggerData":12,"state":"delivered"}}
        """
      let answer = try await check(body, in: api)
      #expect(try answer.member("met") == true)
      #expect(try answer.member("report", as: [String: Any].self)["recipient"] as? String == "source")
      #expect(try answer.member("mismatches", as: [Any].self).isEmpty)
      let text: String = try answer.member("text")
      #expect(text.hasPrefix("Expected a delivered report to the source with sourceSite news.example,"), "\(text)")
    }
  }

  @Test(
    arguments: [
      (#""recipient":"destination","sourceSite":"a.example""#, "its sourceSite is news.example, not a.example"),
      (#""destinationSite":"a.example""#, "its destinationSite is shop.example, not a.example"),
      (#""sourceIdentifier":5"#, "its sourceIdentifier is 4, not 5"), (#""triggerData":11"#, "its triggerData is 12, not 11"),
      (#""state":"failed""#, "its state is delivered, not failed"),
    ])
  func aMissingReportIsExplained(_ members: String, _ difference: String) async throws {
    try await API.test { api in
      try await convert(api)
      try await api.call(.post, "/v1/browsers/test/clock/advance", #"{"by":"PT49H"}"#)
      let answer = try await check(#"{"report":{\#(members)}}"#, in: api)
      #expect(try answer.member("met") == false)
      let nearest = try #require(try answer.member("mismatches", as: [[String: Any]].self).first)
      let differences = try #require(nearest["differences"] as? [[String: Any]])
      #expect(differences.map { $0["text"] as? String } == [difference], "\(answer.text)")
      let text: String = try answer.member("text")
      #expect(text.contains(", but there is none.\n\nReports of browser \"test\":\n  report-"), "\(text)")
      #expect(text.contains("\n    \(difference)\n"), "\(text)")
      #expect(text.contains("\n\nWhy, for "), "\(text)")
      #expect(try answer.object["explanation"] is [String: Any])
    }
  }

  @Test func anUnwantedReportIsShown() async throws {
    try await API.test { api in
      #expect(try await check(#"{"noReport":{}}"#, in: api).member("met") == true)
      try await convert(api)
      #expect(try await check(#"{"noReport":{"triggerData":11}}"#, in: api).member("met") == true)
      #expect(try await check(#"{"noReport":{"state":"delivered"}}"#, in: api).member("met") == true)
      let answer = try await check(#"{"noReport":{"recipient":"source"}}"#, in: api)
      #expect(try answer.member("met") == false)
      #expect(try answer.member("report", as: [String: Any].self)["recipient"] as? String == "source")
      let text: String = try answer.member("text")
      #expect(text.hasPrefix("Expected no report like a report to the source, but there is one: report-"), "\(text)")
      #expect(text.contains("\n\nWhy, for report-"), "\(text)")
      try await api.call(.delete, "/v1/browsers/test/data")
      #expect(try await check(#"{"noReport":{}}"#, in: api).member("met") == true, "cleared reports do not count")
    }
  }

  @Test(
    arguments: [
      ("{}", ""), (#"{"report":{},"noReport":{}}"#, ""), (#"{"report":{"recipient":"app"}}"#, "/report/recipient"),
      (#"{"report":{"sourceID":4}}"#, "/report/sourceID"), (#"{"noReport":{"triggerData":16}}"#, "/noReport/triggerData"),
      (#"{"report":{},"wait":"PT6M"}"#, "/wait"), (#"{"report":{},"wait":"soon"}"#, "/wait"),
    ])
  func theBodyIsChecked(_ body: String, _ pointer: String) async throws {
    try await API.test { api in
      let answer = try await api.call(.post, Self.path, body)
      #expect(answer.status == 422)
      #expect(try answer.pointers == [pointer], "\(answer.text)")
    }
  }
}
