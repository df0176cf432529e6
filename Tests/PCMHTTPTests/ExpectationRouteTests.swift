import BrowserSupport
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

  @Test(
    "a wait takes one of the places for waits until its caller closes the connection, and is 503 without a place",
    .timeLimit(.minutes(10)), arguments: ["report", "noReport"], [false, true])
  func waits(_ member: String, _ endsInReset: Bool) async throws {
    var limits = ServerLimits.patient
    // Half of them, which is one, can wait.
    limits.connections = 3
    let (isWatching, reads) = (NIOLockedValueBox(false), AsyncStream.makeStream(of: Void.self))
    let observer = StoreObserver(beforeRead: { if isWatching.withLockedValue({ $0 }) { reads.continuation.yield() } })
    let body = #"{"\#(member)":{},"wait":"PT5M"}"#
    try await LiveServer.run(limits, store: ObservedStore(MemoryStore(), observer)) { server in
      #expect(try await server.exchange(Self.live("link-clicks", CancellationTests.click)).hasPrefix("HTTP/1.1 201 "))
      // The log has an event, so a call with a place responds immediately.
      let events = CancellationTests.request("GET", "/v1/browsers/default/events?wait=PT5M", "", keepAlive: false)
      isWatching.withLockedValue { $0 = true }
      try await server.connect(endsInReset: endsInReset) { line in
        try await line.send(Self.live("expectations", body, keepAlive: true))
        // The wait has its place when it reads.
        for await _ in reads.stream { break }
        for call in [Self.live("expectations", body), events] {
          let answer = try await server.exchange(call)
          #expect(answer.hasPrefix("HTTP/1.1 503 ") && answer.contains(#""code":"busy""#), "\(answer)")
        }
        let immediate = try await server.exchange(Self.live("expectations", #"{"\#(member)":{}}"#))
        #expect(immediate.hasPrefix("HTTP/1.1 200 "), "\(immediate)")
      }
      var answer = ""
      while !answer.hasPrefix("HTTP/1.1 200 ") { answer = try await server.exchange(events) }
    }
  }

  /// The text of a POST to the default browser.
  private static func live(_ resource: String, _ body: String, keepAlive: Bool = false) -> String {
    CancellationTests.request("POST", "/v1/browsers/default/\(resource)", body, keepAlive: keepAlive)
  }
}
