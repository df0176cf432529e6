import BrowserSupport
import Foundation
import HTTPSupport
import HTTPTypes
import PCMNetwork
import Testing

/// The list of reports: its filters, and the parts that it leaves out.
@Suite struct ReportListTests {
  private static let path = "/v1/browsers/test/reports"

  /// The reports from news.example to shop.example are delivered. The reports to two other destinations are scheduled.
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

  @Test(
    "filters combine with and, the values of a filter with or",
    arguments: [
      ("", 6), ("recipient=source", 3), ("recipient=source&recipient=destination", 6), ("site=news.example", 6),
      ("site=d1.example", 2), ("site=d1.example&site=shop.example", 4), ("site=elsewhere.example", 0),
      ("site=d1.example&recipient=destination", 1), ("site=shop.example&state=scheduled", 0),
      ("site=shop.example&state=scheduled&state=delivered", 2), ("state=scheduled&recipient=source&site=d2.example", 1),
      ("state=scheduled&state=delivered", 6), ("state=delivered&state=failed&state=delivered", 2),
      ("state=failed&state=cleared", 0),
    ])
  func filters(_ query: String, _ count: Int) async throws {
    try await Self.withReports { api in
      let all = try await api.items(Self.path).compactMap { $0["id"] as? String }
      for limit in [1, 2, 3, 100] {
        let ids = try await api.items("\(Self.path)?limit=\(limit)&\(query)").compactMap { $0["id"] as? String }
        #expect(ids.count == count)
        #expect(ids == all.filter(ids.contains), "ordered by number")
      }
    }
  }

  @Test("a host stands for its site", arguments: ["www.d1.example", "D1.Example", "a.b.d1.example."])
  func hosts(_ host: String) async throws {
    try await Self.withReports { api in
      let items = try await api.items("\(Self.path)?site=\(host)")
      #expect(items.count == 2)
      #expect(items.contains { $0["recipient"] as? String == "destination" && "\($0["url"] ?? "")".contains("//d1.example/") })
    }
  }

  /// A text with everything that could be taken for the end of a member.
  private static let response = """
    {"response":{"body":"\\"response\\":null}"},"\\\\":["\u{1}\\u0000"]},"response":\u{7}\n}
    """

  /// The first attempt has no response, the others have one.
  private static let answer: @Sendable (OutgoingRequest, Int) -> Exchange = { _, number in
    if number == 1 { return Exchange(failure: TransportFailure(.timedOut, "too slow")) }
    return Exchange(
      httpStatus: number < 5 ? 503 : 200, contentType: "text/plain", body: Array(response.utf8), insecure: true,
      forwardedTo: "127.0.0.1:8000")
  }

  @Test(
    "a list leaves out bodies and responses, unless they are included",
    arguments: [
      ("", []), ("include=body", ["body"]), ("include=response", ["response"]),
      ("include=response&include=body&include=body", ["body", "response"]),
    ] as [(String, Set<String>)])
  func parts(_ query: String, _ parts: Set<String>) async throws {
    try await API.test(transport: ScriptedTransport(answer: Self.answer)) { api in
      try await api.settings(["deliveryPolicy": "reliable"])
      _ = try await api.tap()
      _ = try await api.trigger()
      try await api.advance("P9D")
      let items = try await api.items("\(Self.path)?\(query)")
      var expected: [[String: Any]] = []
      for id in items.compactMap({ $0["id"] as? String }) {
        var report = try await api.call(.get, "\(Self.path)/\(id)").object
        var attempts = try #require(report["attempts"] as? [[String: Any]])
        #expect(report["body"] is [String: Any] && attempts.allSatisfy { $0["response"] != nil })
        if !parts.contains("body") { report["body"] = nil }
        if !parts.contains("response") { for index in attempts.indices { attempts[index]["response"] = nil } }
        report["attempts"] = attempts
        expected.append(report)
      }
      #expect(expected.compactMap { $0["attempts"] as? [Any] }.map(\.count).reduce(0, +) == 6)
      #expect(try Self.text(items) == Self.text(expected))
      let log = try await api.call(.get, "/v1/browsers/test/events?kind=report-delivered").text
      #expect(log.contains(#""httpStatus":200,"forwardedTo":"127.0.0.1:8000""#), "\(log)")
    }
  }

  private static func text(_ items: [[String: Any]]) throws -> String {
    String(decoding: try JSONSerialization.data(withJSONObject: items, options: .sortedKeys), as: UTF8.self)
  }
}
