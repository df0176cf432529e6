import Foundation
import HTTPTypes
import Testing

/// The list of reports: its filters, and the parts that it leaves out.
@Suite struct ReportListTests {
  private static let path = "/v1/browsers/test/reports"

  /// The reports from news.example to shop.example are delivered, those to two other destinations are scheduled.
  private static func withReports(_ body: @escaping @Sendable (API) async throws -> Void) async throws {
    try await API.test { api in
      _ = try await api.tap()
      _ = try await api.trigger()
      try await api.advance("P3D")
      for number in 1...2 {
        _ = try await api.tap(["destinationURL": "https://d\(number).example/"])
        _ = try await api.trigger(page: "https://d\(number).example/")
      }
      try await body(api)
    }
  }

  /// All items of a list, from pages of one item.
  private static func items(_ api: API, _ query: String) async throws -> [[String: Any]] {
    var (cursor, found) = ("", [[String: Any]]())
    while true {
      let page = try await api.call(.get, "\(path)?limit=1&\(query)\(cursor)")
      let items: [[String: Any]] = try page.member("items")
      #expect(items.count <= 1)
      found += items
      guard let next = try page.object["next"] as? String else { return found }
      cursor = "&cursor=\(next)"
    }
  }

  @Test(
    "filters combine with and, the values of a filter with or",
    arguments: [
      ("", 6), ("recipient=source", 3), ("recipient=source&recipient=destination", 6), ("site=news.example", 6),
      ("site=d1.example", 2), ("site=d1.example&site=shop.example", 4), ("site=elsewhere.example", 0),
      ("site=d1.example&recipient=destination", 1), ("site=shop.example&state=scheduled", 0),
      ("site=shop.example&state=scheduled&state=delivered", 2), ("state=scheduled&recipient=source&site=d2.example", 1),
    ])
  func filters(_ query: String, _ count: Int) async throws {
    try await Self.withReports { api in
      let all = try await Self.items(api, "").compactMap { $0["id"] as? String }
      let ids = try await Self.items(api, query).compactMap { $0["id"] as? String }
      #expect(ids.count == count)
      #expect(ids == all.filter(ids.contains), "ordered by number")
    }
  }

  @Test("a host stands for its site", arguments: ["www.d1.example", "D1.Example", "a.b.d1.example."])
  func hosts(_ host: String) async throws {
    try await Self.withReports { api in
      let items = try await Self.items(api, "site=\(host)")
      #expect(items.count == 2)
      #expect(items.contains { $0["recipient"] as? String == "destination" && "\($0["url"] ?? "")".contains("//d1.example/") })
    }
  }

  @Test(
    "a value that no filter has is an error",
    arguments: [
      ("site=", "site"), ("site=a/b", "site"), ("site=shop.example&site=https://shop.example", "site"),
      ("recipient=app", "recipient"),
      ("recipient=source&recipient=", "recipient"),
    ])
  func invalid(_ query: String, _ name: String) async throws {
    try await API.test { api in
      let answer = try await api.call(.get, "\(Self.path)?\(query)")
      #expect(answer.status == 422)
      let errors: [[String: Any]] = try answer.member("errors")
      #expect(errors.map { $0["parameter"] as? String } == [name])
    }
  }

  @Test("a filter has at most 16 sites")
  func mostSites() async throws {
    try await API.test { api in
      func path(_ count: Int) -> String {
        "\(Self.path)?site=a1.example&" + (1...count).map { "site=a\($0).example" }.joined(separator: "&")
      }
      #expect(try await api.call(.get, path(16)).status == 200)
      let answer = try await api.call(.get, path(17))
      #expect(answer.status == 422)
      #expect(answer.text.contains("out-of-range"), "\(answer.text)")
    }
  }
}
