import BrowserSupport
import HTTPSupport
import HTTPTypes
import Testing

/// The due times of reports in debug mode.
@Suite struct DebugDueTests {
  private static let browser = "/v1/browsers/test"

  private func reports(_ api: API) async throws -> [[String: Any]] {
    try await api.call(.get, "\(Self.browser)/reports").member("items")
  }

  private func dues(_ api: API) async throws -> [String] {
    try await reports(api).compactMap { $0["dueAt"] as? String }
  }

  private static func seconds(_ seconds: [Int]) -> [String] { seconds.map { "2026-11-20T10:00:\($0).000Z" } }

  @Test("A report is due when it leaves, in lists, by its name, in the log, and after it was sent")
  func leaving() async throws {
    try await API.test { api in
      try await api.settings(["debugMode": true])
      _ = try await api.tap()
      _ = try await api.trigger()
      #expect(try await dues(api).sorted() == Self.seconds([10, 20]))
      let events: [[String: Any]] = try await api.call(.get, "\(Self.browser)/events?kind=report-scheduled").member("items")
      let logged = events.compactMap { ($0["detail"] as? [String: Any])?["dueAt"] as? String }
      #expect(logged == (try await dues(api)))
      try await api.advance("PT20S")
      for report in try await reports(api) {
        let attempts = try #require(report["attempts"] as? [[String: Any]])
        #expect(report["state"] as? String == "delivered")
        #expect(report["dueAt"] as? String == attempts.first?["at"] as? String)
        let name = try #require(report["id"] as? String)
        let alone: String = try await api.call(.get, "\(Self.browser)/reports/\(name)").member("dueAt")
        #expect(alone == report["dueAt"] as? String)
      }
      try await api.settings(["debugMode": false])
      #expect(try await dues(api).sorted() == Self.seconds([10, 20]), "they left then")
    }
  }

  @Test("Reports of several clicks leave ten seconds apart")
  func several() async throws {
    try await API.test { api in
      try await api.settings(["debugMode": true])
      for destination in ["shop", "store"] {
        _ = try await api.tap(["destinationURL": "https://\(destination).example/"])
        _ = try await api.trigger(page: "https://\(destination).example/")
      }
      #expect(try await dues(api).sorted() == Self.seconds([10, 20, 30, 40]))
      let before = try await dues(api)
      try await api.advance("PT1M")
      #expect(try await dues(api) == before)
    }
  }

  @Test("Without debug mode, a report is due 24 to 48 hours later")
  func switched() async throws {
    try await API.test { api in
      _ = try await api.tap()
      _ = try await api.trigger()
      let later = try await dues(api)
      #expect(later.allSatisfy { $0 >= "2026-11-21T10:00:00.000Z" })
      try await api.settings(["debugMode": true])
      #expect(try await dues(api).min() == later.min(), "the timer keeps its time")
      #expect(try await dues(api).max() ?? "" < later.max() ?? "", "the second one follows after ten seconds")
      try await api.settings(["debugMode": false])
      #expect(try await dues(api) == later)
    }
  }
}
