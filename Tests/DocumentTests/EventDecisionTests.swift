import HTTPSupport
import HTTPTypes
import Testing

/// The decisions that events record, which `include=decision` adds.
@Suite struct EventDecisionTests {
  private static let events = "/v1/browsers/test/events"

  /// A log with a decision of each kind: stored and discarded clicks, a rejected and an attributed triggering event, and reports.
  private static func decide(_ api: API) async throws {
    _ = try await api.tap()
    _ = try await api.tap(["tapVerified": false])
    _ = try await api.trigger("99")
    _ = try await api.trigger()
    try await api.advance("P3D")
  }

  private static func items(_ answer: API.Answer, _ member: String = "items") throws -> [JSONValue] {
    try #require(try JSONValue(answer.bytes)[member]?.array)
  }

  @Test("Details have no decision, in any response")
  func absent() async throws {
    try await API.test { api in
      try await Self.decide(api)
      let moved = try await api.call(.post, "/v1/browsers/test/clock/advance", #"{"by":"PT1H"}"#)
      let explained = try await api.call(.get, "/v1/browsers/test/explain?about=shop.example")
      let listed = try Self.items(await api.call(.get, "\(Self.events)?limit=1000"))
      #expect(listed.count > 10)
      let events = try listed + Self.items(moved, "events") + Self.items(explained, "events")
      for event in events {
        #expect(event.object?.keys.sorted() == ["at", "detail", "kind", "sequence"])
        #expect(event["detail"]?["decision"] == nil)
      }
    }
  }

  @Test("An included decision has the verdicts of the explanation")
  func included() async throws {
    try await API.test { api in
      try await Self.decide(api)
      let events = try Self.items(await api.call(.get, "\(Self.events)?include=decision&include=decision&limit=1000"))
      let kinds = events.filter { $0["decision"] != nil }.compactMap { $0["kind"]?.string }
      #expect(
        Set(kinds) == [
          "click-stored", "click-discarded", "trigger-rejected", "attributed", "report-sent", "report-delivered",
        ])
      for (kind, subject) in [
        ("click-stored", "click-2"), ("click-discarded", "click-3"), ("trigger-rejected", "triggering-event-4"),
        ("attributed", "triggering-event-5"),
      ] {
        let event = try #require(events.first { $0["kind"]?.string == kind })
        let explained = try JSONValue(await api.call(.get, "/v1/browsers/test/explain?about=\(subject)").bytes)
        let rules = try #require(explained["steps"]?.array?.first?["rules"])
        #expect(event["decision"] == .object(["rules": rules]), "\(kind)")
        #expect(event["detail"]?["decision"] == nil)
      }
    }
  }

  @Test("The decision of a sent report has the rules of sending, and the decision of its result the rules of the delivery")
  func reports() async throws {
    try await API.test { api in
      try await Self.decide(api)
      let path = "\(Self.events)?include=decision&about=report-7&kind=report-sent&kind=report-delivered"
      let rules = try Self.items(await api.call(.get, path)).compactMap { $0["decision"]?["rules"]?.array }
      let explained = try JSONValue(await api.call(.get, "/v1/browsers/test/explain?about=report-7").bytes)
      let steps = try #require(explained["steps"]?.array)
      // The first rule of the step is about the report's present state.
      #expect(rules.flatMap(\.self) == steps.last?["rules"]?.array?.dropFirst().map(\.self))
      #expect(rules.count == 2)
    }
  }

  @Test("A wait includes decisions")
  func wait() async throws {
    try await API.test { api in
      try await Self.decide(api)
      let path = "\(Self.events)?include=decision&kind=click-stored&wait=PT5S"
      #expect(try Self.items(await api.call(.get, path)).first?["decision"]?["rules"]?.array?.isEmpty == false)
    }
  }
}
