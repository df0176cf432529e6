import HTTPSupport
import HTTPTypes
import Testing

/// Clicks, triggering events, and attributions as resources.
@Suite struct RecordRouteTests {
  private static let browser = "/v1/browsers/test"

  @Test func aClickIsCreatedWhateverItsOutcome() async throws {
    try await API.test { api in
      for special in [[:], ["tapVerified": false], ["presentation": "safariViewController"]] as [[String: Any]] {
        let answer = try await api.tap(special)
        let id: String = try answer.member("id")
        #expect(answer.status == 201)
        #expect(answer.headers[.location] == "\(Self.browser)/clicks/\(id)")
        #expect(try await api.call(.get, "\(Self.browser)/clicks/\(id)").text == answer.text)
      }
      let items = try await api.items("\(Self.browser)/clicks")
      #expect(items.compactMap { $0["state"] as? String } == ["stored", "discarded", "ephemeral"])
    }
  }

  @Test func aTriggeringEventIsCreatedWhateverItsOutcome() async throws {
    try await API.test { api in
      _ = try await api.tap()
      for answer in [
        try await api.trigger(path: "/elsewhere/"), try await api.trigger("99"),
        try await api.trigger(page: "https://a.example/"),
        try await api.trigger(),
      ] {
        let id: String = try answer.member("id")
        #expect(answer.status == 201)
        #expect(answer.headers[.location] == "\(Self.browser)/triggering-events/\(id)")
        #expect(try await api.call(.get, "\(Self.browser)/triggering-events/\(id)").text == answer.text)
      }
      let items = try await api.items("\(Self.browser)/triggering-events?limit=2")
      #expect(items.compactMap { $0["outcome"] as? String } == ["not-triggering", "rejected", "unmatched", "attributed"])
      let some = try await api.items("\(Self.browser)/triggering-events?outcome=rejected&outcome=attributed&site=shop.example")
      #expect(some.compactMap { $0["outcome"] as? String } == ["rejected", "attributed"])
      let attribution = try #require(try await api.items("\(Self.browser)/attributions").first?["id"] as? String)
      let reports = try await api.items("\(Self.browser)/reports")
      #expect(reports.map { $0["attributionId"] as? String } == [attribution, attribution])
    }
  }

  @Test func everyRecordIsASubjectOfEvents() async throws {
    try await API.test { api in
      let discarded: String = try await api.tap(["tapVerified": false]).member("id")
      _ = try await api.tap()
      let rejected: String = try await api.trigger("99").member("id")
      let attributed: String = try await api.trigger().member("id")
      func kinds(_ subject: String) async throws -> [String] {
        try await api.items("\(Self.browser)/events?about=\(subject)").compactMap { $0["kind"] as? String }
      }
      #expect(try await kinds(discarded) == ["click-discarded"])
      #expect(try await kinds(rejected) == ["trigger-rejected"])
      #expect(try await kinds(attributed) == ["trigger-accepted", "attributed"])
      let wait = try await api.call(.get, "\(Self.browser)/events?about=\(attributed)&kind=attributed&wait=PT5S")
      #expect(try wait.member("items", as: [[String: Any]].self).count == 1)
    }
  }

  @Test(arguments: [
    "clicks/click-9", "clicks/report-1", "clicks/click-1", "clicks/click-09", "triggering-events/triggering-event-9",
    "triggering-events/triggering-event-4", "triggering-events/9", "attributions/attribution-9", "attributions/click-1",
    "attributions/attribution-2", "clicks/click--9223372036854775808", "attributions/attribution--9223372036854775808",
    "triggering-events/triggering-event-9223372036854775807",
  ])
  func whatDoesNotExistIsNotFound(_ path: String) async throws {
    try await API.test { api in
      _ = try await api.tap()
      _ = try await api.trigger()
      let answer = try await api.call(.get, "\(Self.browser)/\(path)")
      #expect(answer.status == 404)
      #expect(answer.text.contains("the log of this browser contains no "))
    }
  }

  @Test func aCursorBelongsToItsListAndItsBrowser() async throws {
    try await API.test { api in
      for _ in 1...2 { _ = try await api.tap() }
      let cursor: String = try await api.call(.get, "\(Self.browser)/clicks?limit=1").member("next")
      #expect(CursorText.parts(cursor)?.first == "clicks")
      #expect(try await api.items("\(Self.browser)/clicks?cursor=\(cursor)&limit=5").count == 1)
      let other = try await api.call(.get, "\(Self.browser)/reports?cursor=\(cursor)")
      #expect(other.status == 422 && other.text.contains("is not a cursor of this list"))
      #expect(try await api.call(.delete, Self.browser).status == 204)
      #expect(try await api.call(.put, Self.browser).status == 201)
      let later = try await api.call(.get, "\(Self.browser)/clicks?cursor=\(cursor)")
      #expect(later.status == 422 && later.text.contains("belongs to another browser"))
    }
  }
}
