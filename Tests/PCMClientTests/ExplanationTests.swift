import Foundation
import Testing

@testable import PCMClient

/// Decoded explanations and their descriptions.
@Suite struct ExplanationTests {
  private static let json = """
    {
      "subject": { "kind": "click", "id": "click-12" },
      "summary": "The click was discarded: the tap did not land on a control that a UIEventAttributionView covers.",
      "firstFailure": { "step": "click", "id": "click-12", "rule": "tap-is-verified",
                        "reason": { "code": "tap-not-verified", "detail": "the tap missed" }, "change": "send tapVerified true: the user must tap" },
      "steps": [
        { "step": "click", "id": "click-12", "at": "2026-11-20T10:00:00.000Z", "outcome": "discarded",
          "rules": [
            { "rule": "measurement-is-enabled", "verdict": "passed", "saw": { "measurementEnabled": true }, "reason": null, "change": null },
            { "rule": "app-runs-on-iphone-or-ipad", "verdict": "passed", "saw": { "macCatalyst": false }, "reason": null, "change": null },
            { "rule": "tap-is-verified", "verdict": "failed", "saw": { "tapVerified": false },
              "reason": { "code": "tap-not-verified", "detail": "the tap missed" }, "change": "send tapVerified true" },
            { "rule": "landing-is-on-destination", "verdict": "not-reached", "saw": null, "reason": null, "change": null } ] } ],
      "events": [ { "sequence": 13, "at": "2026-11-20T11:00:00.000Z", "kind": "click-expired", "detail": { "clickId": "click-12" } } ],
      "omittedBefore": null, "omittedStepCount": 0
    }
    """

  private func explanation() throws -> Explanation {
    try Wire.decoder.decode(Explanation.self, from: Data(Self.json.utf8))
  }

  @Test("every member is decoded")
  func decoding() throws {
    let explanation = try explanation()
    #expect(explanation.subject == .click("click-12"))
    #expect(explanation.firstFailure?.reason?.code == .tapNotVerified)
    #expect(explanation.firstFailure?.change == "send tapVerified true: the user must tap")
    let rules = try #require(explanation.steps.first).rules
    #expect(rules.map(\.verdict) == [.passed, .passed, .failed, .notReached])
    #expect(rules[2].saw?["tapVerified"] == .bool(false))
    #expect(rules[3].saw == nil)
    #expect(explanation.steps.map(\.outcome) == ["discarded"])
    #expect(explanation.events.map(\.kind) == [.clickExpired])
  }

  @Test("an unknown destination has no steps and no failure")
  func nothingKnown() throws {
    let json = """
      {"subject":{"kind":"destination","id":"shop.example"},"summary":"Nothing is known.","firstFailure":null,"steps":[],"events":[],"omittedBefore":null,"omittedStepCount":0}
      """
    let explanation = try Wire.decoder.decode(Explanation.self, from: Data(json.utf8))
    #expect(explanation.subject == .destination("shop.example"))
    #expect(explanation.firstFailure == nil)
    #expect(explanation.description == "Nothing is known.")
  }

  @Test("an explanation says which events it omits, and the clock of a browser how far the log is ahead")
  func limits() throws {
    let json = """
      {"subject":{"kind":"destination","id":"shop.example"},"summary":"Many.","firstFailure":null,"steps":[],"events":[],
      "omittedBefore":9401,"omittedStepCount":152}
      """
    let explanation = try Wire.decoder.decode(Explanation.self, from: Data(json.utf8))
    #expect(explanation.omittedBefore == 9_401)
    #expect(explanation.omittedStepCount == 152)
    #expect(explanation.description == "Many.\nEvents about shop.example before number 9401 are omitted.")
    let times = #""mode":"real","start":"2026-11-20T10:00:00.000Z","now":"2026-11-20T10:00:00.000Z""#
    let ahead = try Wire.decoder.decode(BrowserState.Clock.self, from: Data("{\(times),\"ahead\":\"PT24000H\"}".utf8)).ahead
    #expect(ahead == .seconds(86_400_000))
    #expect(try Wire.decoder.decode(BrowserState.Clock.self, from: Data("{\(times)}".utf8)).ahead == nil)
  }

  private static let text = """
    The click was discarded: the tap did not land on a control that a UIEventAttributionView covers.
    click-12 at 2026-11-20T10:00:00.000Z: discarded
      2 rules passed
      FAILED: tap-is-verified: tap-not-verified, the tap missed
        saw: tapVerified false
        change: send tapVerified true
      not reached: landing-is-on-destination
    afterwards:
      13  2026-11-20T11:00:00.000Z  click-expired  clickId click-12
    """

  @Test("the description contains each rule's verdict, its values, and the change")
  func rendering() throws {
    #expect(try explanation().description == Self.text)
  }

  @Test("a load is decoded with its hops, triggering events, and ignored redirects")
  func load() throws {
    let json = """
      {"hops":[{"url":"https://a.example/","status":302,"location":"/b","error":null},
      {"url":"https://a.example/b","status":null,"location":null,"error":{"code":"connection-refused","detail":"d"}}],
      "triggeringEvents":[{"id":"triggering-event-3","at":"2026-11-20T10:00:00.000Z","outcome":"unmatched",
      "reasons":[{"code":"no-click","detail":"d"}],"trigger":null,"attribution":null}],
      "ignored":[{"id":"triggering-event-2","at":"2026-11-20T10:00:00.000Z","outcome":"not-triggering",
      "reasons":[{"code":"not-a-redirect","detail":"d"}],"trigger":null,"attribution":null}],
      "error":{"code":"connection-refused","detail":"d"}}
      """
    let load = try Wire.decoder.decode(Load.self, from: Data(json.utf8))
    #expect(load.hops.map(\.status) == [302, nil])
    #expect(load.hops.map(\.location) == ["/b", nil])
    #expect(load.hops[1].error?.code.rawValue == "connection-refused")
    #expect(load.triggeringEvents.map(\.outcome) == [.unmatched])
    #expect(load.ignored.map(\.reasons.first?.code.rawValue) == ["not-a-redirect"])
    #expect(load.error?.detail == "d")
  }
}
