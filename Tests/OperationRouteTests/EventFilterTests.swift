import HTTPSupport
import HTTPTypes
import Testing

/// The log filtered by subject.
@Suite struct EventFilterTests {
  private func kinds(_ answer: API.Answer) throws -> [String] {
    let items: [[String: Any]] = try answer.member("items")
    return items.compactMap { $0["kind"] as? String }
  }

  @Test func aListContainsOnlyTheEventsOfItsSubject() async throws {
    try await API.test { api in
      for number in 1...30 { _ = try await api.tap(["destinationURL": "https://d\(number).example/"]) }
      _ = try await api.trigger(page: "https://d7.example/")
      let events = "/v1/browsers/test/events?about="
      #expect(try kinds(await api.call(.get, events + "click-8")) == ["click-stored", "attributed"])
      #expect(try kinds(await api.call(.get, events + "report-34")) == ["attributed", "report-scheduled"])
      #expect(try kinds(await api.call(.get, events + "d3.example")) == ["click-stored"])
      #expect(try kinds(await api.call(.get, events + "d33.example")).isEmpty)
    }
  }

  @Test(arguments: [1, 2, 3, 100])
  func pagesOfSeveralSubjectsHaveEachEventOnce(_ limit: Int) async throws {
    try await API.test { api in
      for number in 1...5 { _ = try await api.tap(["destinationURL": "https://d\(number).example/"]) }
      _ = try await api.trigger(page: "https://d4.example/")
      let filter = "/v1/browsers/test/events?about=d4.example&about=d2.example&about=click-5&about=d4.example"
      let found = try await api.items("\(filter)&limit=\(limit)").compactMap { $0["sequence"] as? Int }
      // The clicks are events 2 to 6. The last two are the attribution and its reports.
      #expect(found == [3, 5, 7, 8])
    }
  }

  @Test func aWaitForSeveralSubjectsEndsWithTheFirst() async throws {
    try await API.test { api in
      _ = try await api.tap()
      _ = try await api.trigger()
      try await api.advance("P3D")
      let path = "/v1/browsers/test/events?kind=report-delivered&about=report-99&about=report-5&wait=PT5S"
      let items: [[String: Any]] = try await api.call(.get, path).member("items")
      #expect((items.first?["detail"] as? [String: Any])?["reportId"] as? String == "report-5")
    }
  }

  @Test func eventsOfSeveralKindsAreListedInOrder() async throws {
    try await API.test { api in
      _ = try await api.tap()
      _ = try await api.trigger()
      let path = "/v1/browsers/test/events?kind=attributed&kind=click-stored&kind=report-scheduled"
      let items: [[String: Any]] = try await api.call(.get, path).member("items")
      #expect(
        items.compactMap { $0["kind"] as? String } == ["click-stored", "attributed", "report-scheduled", "report-scheduled"])
      let about = try await api.call(.get, "\(path)&about=report-6")
      #expect(try about.member("items", as: [[String: Any]].self).count == 2)
    }
  }

  /// The position covers the events that the filter skipped, and the events of the page only if there are more.
  @Test func everyPageHasThePositionToResumeAfter() async throws {
    try await API.test { api in
      for _ in 1...3 { _ = try await api.tap() }
      let path = "/v1/browsers/test/events?kind=app-registered"
      let page = try await api.call(.get, path)
      #expect(try page.member("items", as: [[String: Any]].self).count == 1)
      let position: String = try page.member("resumeAfter")
      let end = try await api.call(.get, "/v1/browsers/test/events").member("items", as: [[String: Any]].self).count
      #expect(CursorText.position(position) == String(end))
      let first = try await api.call(.get, "/v1/browsers/test/events?limit=2")
      #expect(try first.position("resumeAfter") == "2")
      #expect(try first.position() == "2")
      let rest = try await api.call(.get, "/v1/browsers/test/events?after=\(position)&wait=PT0S")
      #expect(try rest.member("timedOut") == true)
      #expect(try rest.member("resumeAfter") == position)
    }
  }

  @Test func aWaitForOneReportIgnoresTheOther() async throws {
    try await API.test { api in
      _ = try await api.tap()
      _ = try await api.trigger()
      try await api.advance("P3D")
      let wanted = try await api.call(.get, "/v1/browsers/test/events?kind=report-delivered&about=report-5&wait=PT5S")
      let items: [[String: Any]] = try wanted.member("items")
      #expect((items.first?["detail"] as? [String: Any])?["reportId"] as? String == "report-5")
      let other = "/v1/browsers/test/events?kind=report-delivered&about=report-99&wait=PT0S"
      #expect(try await api.call(.get, other).member("timedOut") == true)
    }
  }

  @Test(arguments: ["9223372036854775807", "9223372036854770000"])
  func afterTheEndOfTheLogThereAreNoEvents(_ position: String) async throws {
    try await API.test { api in
      let page = try await api.call(.get, "/v1/browsers/test/events?after=\(position)")
      #expect(page.status == 200)
      #expect(page.text.hasPrefix(#"{"items":[],"next":null,"#))
      #expect(try page.position("resumeAfter") == position)
    }
  }
}
