import BrowserSupport
import Foundation
import HTTPSupport
import HTTPTypes
import PCMNetwork
import Testing

/// Explanations over HTTP: the failed rule, its values, and the change that makes it pass.
@Suite struct ExplainTests {
  @Test(arguments: ReasonStory.discardedTaps + ReasonStory.discardedLinks)
  func aDiscardedClickIsExplainedByItsFailedRule(_ story: ReasonStory) async throws {
    try await API.test { api in try await Self.check(story, api, subject: "click", outcome: "discarded") }
  }

  @Test(arguments: ReasonStory.rejectedTriggers)
  func aRejectedTriggerIsExplainedByItsFailedRule(_ story: ReasonStory) async throws {
    try await API.test { api in try await Self.check(story, api, subject: "triggering-event", outcome: "rejected") }
  }

  @Test(arguments: ReasonStory.ignoredTriggers)
  func anIgnoredRedirectIsExplainedByItsPath(_ story: ReasonStory) async throws {
    try await API.test { api in try await Self.check(story, api, subject: "triggering-event", outcome: "not-triggering") }
  }

  @Test(arguments: ReasonStory.unmatchedTriggers)
  func anUnmatchedTriggerIsExplainedByItsFailedRule(_ story: ReasonStory) async throws {
    try await API.test { api in try await Self.check(story, api, subject: "triggering-event", outcome: "unmatched") }
  }

  @Test(arguments: ReasonStory.notes)
  func aStoredClickPassesEveryRule(_ story: ReasonStory) async throws {
    try await API.test { api in
      let answer = try await story.tell(api)
      let reasons: [[String: String]] = try answer.member("reasons")
      #expect(reasons.map { $0["code"] } == [story.code])
      let explanation = try await Self.explain(api, "click", answer)
      #expect(explanation["firstFailure"] is NSNull)
      let verdicts = try Self.rules(explanation).map { $0["verdict"] as? String }
      #expect(verdicts.count > 5)
      #expect(verdicts.allSatisfy { $0 == "passed" })
    }
  }

  private static func check(_ story: ReasonStory, _ api: API, subject: String, outcome: String) async throws {
    let answer = try await story.tell(api)
    #expect(try answer.member("outcome") == outcome)
    let reasons: [[String: String]] = try answer.member("reasons")
    #expect(reasons.first?["code"] == story.code)
    let explanation = try await explain(api, subject, answer)
    let failure = try #require(explanation["firstFailure"] as? [String: Any])
    #expect(failure["rule"] as? String == story.rule)
    #expect(failure["step"] as? String == subject)
    let reason = try #require(failure["reason"] as? [String: String])
    let detail = try #require(reasons.first?["detail"])
    #expect(reason["code"] == story.code)
    // An explanation may add the later state of the click.
    #expect(try #require(reason["detail"]).hasPrefix(detail))
    #expect((failure["change"] as? String ?? "").isEmpty == false)
    try checkOrder(of: try rules(explanation), failed: story.rule)
    #expect(try #require(explanation["summary"] as? String).contains(detail))
  }

  /// The rules before the failed rule passed and list their inputs; the rules after it were not evaluated.
  private static func checkOrder(of rules: [[String: Any]], failed: String?) throws {
    let position = try #require(rules.firstIndex { $0["rule"] as? String == failed })
    for (index, rule) in rules.enumerated() {
      let expected = index < position ? "passed" : index == position ? "failed" : "not-reached"
      #expect(rule["verdict"] as? String == expected, "\(rule)")
      #expect((rule["saw"] as? [String: Any] ?? [:]).isEmpty == (index > position), "\(rule)")
      #expect((rule["change"] is NSNull) == (index != position))
    }
  }

  private static func rules(_ explanation: [String: Any]) throws -> [[String: Any]] {
    let steps = try #require(explanation["steps"] as? [[String: Any]])
    return try #require(steps.last?["rules"] as? [[String: Any]])
  }

  private static func explain(_ api: API, _ subject: String, _ answer: API.Answer) async throws -> [String: Any] {
    let sequence: Int = try answer.member("sequence")
    let explanation = try await api.call(.get, "/v1/browsers/test/explain?about=\(subject)-\(sequence)")
    #expect(explanation.status == 200, "\(explanation.text)")
    return try explanation.object
  }

  private func summary(_ api: API, _ query: String) async throws -> String {
    try await api.call(.get, "/v1/browsers/test/explain?about=\(query)").member("summary")
  }

  @Test func aClickIsExplainedFromStorageToDelivery() async throws {
    try await API.test { api in
      _ = try await api.tap()
      #expect(try await summary(api, "click-2").contains("is stored and can be attributed"))
      _ = try await api.tap()
      #expect(try await summary(api, "click-2") == "The click was replaced by click-3 at 2026-11-20T10:00:00.000Z.")
      _ = try await api.trigger()
      #expect(try await summary(api, "click-3").contains("its reports are report-7 and report-8"))
      _ = try await api.tap(["destinationURL": "https://cleared.example/"])
      #expect(try await api.call(.delete, "/v1/browsers/test/data?site=cleared.example").status == 204)
      #expect(try await summary(api, "click-9").contains("is gone"))
    }
  }

  @Test func anExplanationIsTextForReaders() async throws {
    try await API.test { api in
      _ = try await api.tap(["tapVerified": false])
      let path = "/v1/browsers/test/explain?about=click-2"
      let answer = try await api.call(.get, path, headers: [.accept: "text/plain"])
      #expect(answer.headers[.contentType] == "text/plain; charset=utf-8")
      let summary: String = try await api.call(.get, path).member("summary")
      #expect(answer.text.hasPrefix(summary + "\nclick-2 at 2026-11-20T10:00:00.000Z: discarded\n"), "\(answer.text)")
      #expect(answer.text.contains("FAILED: tap-is-verified"), "\(answer.text)")
      #expect(answer.text.hasSuffix("\n"))
    }
  }

  @Test func aReportIsExplainedWithItsClickAndTrigger() async throws {
    try await API.test { api in
      _ = try await api.tap()
      _ = try await api.trigger()
      let waiting = try await api.call(.get, "/v1/browsers/test/explain?about=report-5").object
      let steps = try #require(waiting["steps"] as? [[String: Any]])
      #expect(steps.map { $0["step"] as? String } == ["click", "triggering-event", "report"])
      #expect(steps.map { $0["id"] as? String } == ["click-2", "triggering-event-3", "report-5"])
      #expect((waiting["firstFailure"] as? [String: Any])?["rule"] as? String == "report-is-due")
      try await api.advance("P3D")
      let sent = try await api.call(.get, "/v1/browsers/test/explain?about=report-5").object
      #expect(sent["firstFailure"] is NSNull)
      #expect(sent["summary"] as? String == "report-5 to news.example was delivered.")
      #expect(try Self.rules(sent).last?["rule"] as? String == "answer-is-2xx")
    }
  }

  @Test func aFailedReportContainsTheEndpointsError() async throws {
    let refusing = ScriptedTransport { _, _ in Exchange(httpStatus: 500) }
    try await API.test(transport: refusing) { api in
      _ = try await api.tap()
      _ = try await api.trigger()
      try await api.advance("P3D")
      let explanation = try await api.call(.get, "/v1/browsers/test/explain?about=www.shop.example").object
      let failure = try #require(explanation["firstFailure"] as? [String: Any])
      #expect(failure["rule"] as? String == "answer-is-2xx")
      #expect((failure["reason"] as? [String: String])?["code"] == "http-status")
    }
  }

  @Test func aDestinationWithoutAReportIsExplained() async throws {
    try await API.test { api in
      let query = "shop.example"
      #expect(try await summary(api, query).contains("no click and no triggering event"))
      _ = try await api.tap(["tapVerified": false])
      #expect(try await summary(api, query).contains("the click was discarded"))
      _ = try await api.trigger()
      #expect(try await summary(api, query).contains("the click was discarded"), "that is why there was no click")
      _ = try await api.tap()
      #expect(try await summary(api, query).contains("no triggering event on shop.example has followed"))
      _ = try await api.trigger(at: "https://shop.example", from: "https://shop.example/pixel")
      let explanation = try await api.call(.get, "/v1/browsers/test/explain?about=\(query)").object
      let failure = try #require(explanation["firstFailure"] as? [String: Any])
      #expect(failure["change"] as? String == "add ?attributionSource=https://news.example to the trigger URL")
      _ = try await api.trigger()
      #expect(try await summary(api, query).contains("is due at"))
      #expect(try await api.call(.delete, "/v1/browsers/test/data").status == 204)
      #expect(try await summary(api, query).contains("was cleared"))
    }
  }

  @Test func anExpiredClickContainsTheDelay() async throws {
    try await API.test { api in
      let story = try #require(ReasonStory.unmatchedTriggers.first { $0.code == "click-expired" })
      let answer = try await story.tell(api)
      let explanation = try await Self.explain(api, "triggering-event", answer)
      #expect(try #require(explanation["summary"] as? String).contains("had expired 3 h 12 min before"))
    }
  }

  @Test(arguments: [
    "click-0", "click-01", "click-1", "click-99", "report-1", "attribution-0", "triggering-event-0", "triggering-event-1",
    "triggering-event-9223372036854775807", "postback-99999999999999999999",
  ])
  func unknownSubjectsAreNotFound(_ query: String) async throws {
    try await API.test { api async throws in
      #expect(try await api.call(.get, "/v1/browsers/test/explain?about=\(query)").status == 404)
    }
  }
}
