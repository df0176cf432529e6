import HTTPSupport
import HTTPTypes
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

  @Test func aFailedReportStandsFirst() async throws {
    try await API.test { api in
      try await api.call(.put, "/v1/browsers/test/network", #"{"mode":"simulated"}"#)
      try await api.call(.put, "/v1/browsers/test/sites/news.example", #"{"report":[{"status":500}]}"#)
      try await convert(api)
      try await api.call(.post, "/v1/browsers/test/clock/advance", #"{"by":"PT49H"}"#)
      let answer = try await check(#"{"report":{"recipient":"destination","triggerData":11}}"#, in: api)
      let text: String = try answer.member("text")
      let places = ["to source, failed", "to destination, delivered"].compactMap { text.firstRange(of: $0)?.lowerBound }
      #expect(places.count == 2 && places == places.sorted(), "\(text)")
      let unwanted: String = try await check(#"{"noReport":{"recipient":"destination"}}"#, in: api).member("text")
      #expect(unwanted.contains("report-delivered") && !unwanted.contains("decision"), "\(unwanted)")
      #expect(unwanted.contains(/\d+ rules passed\n/), "\(unwanted)")
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
