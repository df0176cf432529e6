import BrowserSupport
import Foundation
import HTTPSupport
import HTTPTypes
import PCMNetwork
import Testing

/// The summary and the first failure of an explanation.
@Suite struct ExplainSummaryTests {
  private static let destination = "/v1/browsers/test/explain?about=shop.example"

  private func explain(_ api: API, _ path: String = destination) async throws -> [String: Any] {
    let answer = try await api.call(.get, path)
    #expect(answer.status == 200, "\(answer.text)")
    return try answer.object
  }

  private func summary(_ api: API, _ path: String = destination) async throws -> String {
    try #require(try await explain(api, path)["summary"] as? String)
  }

  /// Whether a rule of any step failed.
  private func hasFailedRule(_ explanation: [String: Any]) throws -> Bool {
    let steps = try #require(explanation["steps"] as? [[String: Any]])
    return steps.flatMap { $0["rules"] as? [[String: Any]] ?? [] }.contains { $0["verdict"] as? String == "failed" }
  }

  @Test("the suggested advance sends the pending reports, and a shorter one does not")
  func waiting() async throws {
    try await API.test { api in
      _ = try await api.tap()
      _ = try await api.trigger()
      let text = try await summary(api)
      #expect(text.contains("report-5 to news.example is due at 20") && text.contains("report-6 to shop.example is due at 20"))
      for report in ["report-5", "report-6"] {
        let own = try await summary(api, "/v1/browsers/test/explain?about=\(report)")
        let dueAt: String = try await api.call(.get, "/v1/browsers/test/reports/\(report)").member("dueAt")
        #expect(own.contains("due at \(dueAt)"), "the report's own time, not the timer's")
      }
      let advance = try #require(text.firstMatch(of: #/^Not yet: advance by (PT[0-9HM]+)\. /#)?.1)
      try await api.advance(String(advance))
      #expect(try await summary(api) == "report-5 to news.example was delivered. report-6 to shop.example was delivered.")
    }
  }

  @Test("the first failure is not null when a rule failed")
  func firstFailure() async throws {
    try await API.test { api in
      let isConsistent = {
        let explanation = try await explain(api)
        return try hasFailedRule(explanation) != (explanation["firstFailure"] is NSNull)
      }
      #expect(try await isConsistent())
      _ = try await api.tap(["tapVerified": false])
      #expect(try await isConsistent())
      _ = try await api.tap()
      #expect(try await isConsistent())
      _ = try await api.trigger()
      #expect(try await isConsistent())
      try await api.advance("P3D")
      #expect(try await isConsistent())
    }
  }

  @Test("the summary names both lost reports")
  func bothFailed() async throws {
    let refusing = ScriptedTransport { _, _ in Exchange(httpStatus: 503) }
    try await API.test(transport: refusing) { api in
      _ = try await api.tap()
      _ = try await api.trigger()
      try await api.advance("P3D")
      let text = try await summary(api)
      #expect(text.contains("report-5 to news.example failed: the endpoint answered 503"))
      #expect(text.contains("report-6 to shop.example failed: the endpoint answered 503"))
    }
  }

  @Test("in debug mode, the summary contains the sending time, not the due time")
  func debugMode() async throws {
    try await API.test { api in
      try await api.settings(["debugMode": true])
      _ = try await api.tap()
      _ = try await api.trigger()
      let reports: [[String: Any]] = try await api.call(.get, "/v1/browsers/test/reports").member("items")
      let byTime = reports.sorted { "\($0["dueAt"] ?? "")" < "\($1["dueAt"] ?? "")" }.compactMap { $0["id"] as? String }
      let first = try await summary(api, "/v1/browsers/test/explain?about=\(byTime[0])")
      #expect(
        first.hasPrefix("Not yet: advance by PT10S. ") && first.contains("leaves at 2026-11-20T10:00:10.000Z"), "\(first)")
      let second = try await summary(api, "/v1/browsers/test/explain?about=\(byTime[1])")
      #expect(second.hasPrefix("Not yet: advance by PT20S. "), "\(second)")
      try await api.advance("PT20S")
      #expect(try await summary(api).contains("was delivered"))
    }
  }

  @Test("with measurement off, no advance is suggested")
  func measurementOff() async throws {
    try await API.test { api in
      _ = try await api.tap()
      _ = try await api.trigger()
      try await api.settings(["measurementEnabled": false])
      let text = try await summary(api)
      #expect(!text.contains("Not yet") && text.contains("measurement is switched off"), "\(text)")
    }
  }

  @Test("the summary mentions rejected calls until there is a report")
  func rejectedCalls() async throws {
    try await API.test { api in
      #expect(try await api.tap(["bundleIdentifier": "com.example.unknown", "sourceIdentifier": 300]).status == 422)
      let text = try await summary(api)
      #expect(
        text.contains("A call to event-attributions at 2026-11-20T10:00:00.000Z was rejected: bundleIdentifier: no app"),
        "\(text)")
      #expect(text.contains("sourceIdentifier: 300 is out of range"))
      #expect(!text.contains(".."))
      #expect(try await !summary(api, "/v1/browsers/test/explain?about=other.example").contains("rejected"))
      for _ in 1...30 { _ = try await api.tap(["bundleIdentifier": "com.example.unknown"]) }
      #expect(try await summary(api).components(separatedBy: "A call to").count == 4, "the last three")
      _ = try await api.tap()
      _ = try await api.trigger()
      #expect(try await !summary(api).contains("rejected"))
    }
  }

  @Test(
    "The summary mentions a call whose body could not be read, by each site that it names",
    arguments: [
      ("link-clicks", #"{"pageURL": "https://news.example/", "attributeon": "https://shop.example"}"#, "attributeon"),
      ("event-attributions", #"{"destinationURL": "shop.example", "openedURL": "https://shop.example/x"}"#, "sourceIdentifier"),
      ("loads", #"{"firstPartyURL": "https://shop.example/", "url": "https://news.example/", "method": "PUT"}"#, "method"),
    ])
  func unreadableCalls(_ call: String, _ body: String, _ member: String) async throws {
    try await API.test { api in
      #expect(try await api.call(.post, "/v1/browsers/test/\(call)", body).status == 422)
      let text = try await summary(api)
      #expect(text.contains("A call to \(call) at 2026-11-20T10:00:00.000Z was rejected: "), "\(text)")
      #expect(text.contains("\(member): "), "\(text)")
      #expect(try await !summary(api, "/v1/browsers/test/explain?about=other.example").contains("rejected"))
    }
  }

  @Test("the explanation of an event without the click's app suggests naming the app")
  func embeddedClick() async throws {
    try await API.test { api in
      _ = try await api.tap(["presentation": "safariViewController"])
      _ = try await api.trigger()
      let failure = try #require(try await explain(api)["firstFailure"] as? [String: Any])
      #expect((failure["reason"] as? [String: String])?["code"] == "other-app")
      #expect(failure["change"] as? String == #"add "bundleIdentifier": "com.example.news" to the triggering event"#)
    }
  }

  @Test("the explanation of an event with another source names the click that waits")
  func otherSource() async throws {
    try await API.test { api in
      _ = try await api.tap()
      let event = try await api.trigger(at: "https://cdn.example", from: "https://cdn.example/pixel")
      let subject = "triggering-event-\(try event.member("sequence") as Int)"
      let sentence = "A click to shop.example waits, but its source is news.example."
      for path in [Self.destination, "/v1/browsers/test/explain?about=\(subject)"] {
        let explanation = try await explain(api, path)
        #expect((explanation["summary"] as? String)?.hasSuffix(sentence) == true, "\(explanation)")
        let failure = try #require(explanation["firstFailure"] as? [String: Any])
        #expect((failure["reason"] as? [String: String])?["code"] == "no-click")
        #expect((failure["change"] as? String)?.hasPrefix("trigger the event with a pixel of news.example, or store") == true)
      }
    }
  }

  @Test("a click that came after the event, or that is gone, does not wait for it")
  func noWaitingClick() async throws {
    try await API.test { api in
      let early = try await api.trigger(at: "https://cdn.example", from: "https://cdn.example/pixel")
      let about = "/v1/browsers/test/explain?about=triggering-event-\(try early.member("sequence") as Int)"
      _ = try await api.tap()
      #expect(try await !summary(api, about).contains("waits"))
      _ = try await api.trigger()
      _ = try await api.trigger(at: "https://cdn.example", from: "https://cdn.example/pixel")
      #expect(try await !summary(api, about).contains("waits"))
    }
  }

  @Test("a redirect to a misspelled path explains a missing report")
  func misspelledPath() async throws {
    try await API.test { api in
      _ = try await api.tap()
      _ = try await api.trigger("12", path: "/.well-known/private-click-measurement/trigger-atribution/")
      let text = try await summary(api)
      #expect(text.hasPrefix("No report: the path"))
      #expect(text.contains("the closest correct spelling is /.well-known/private-click-measurement/trigger-attribution/12."))
    }
  }
}
