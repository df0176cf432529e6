import PCMCore
import PCMScenario
import Testing

/// Expectations that pass and fail, each on the same short scenario.
@Suite struct ComparisonTests {
  /// A click from an app that is attributed after an hour; both reports are on their way.
  private func result(_ expectation: JSON, after hours: Int = 1) async throws -> ScenarioResult {
    var story = Story()
    story.step(Story.tap())
    story.step(Story.trigger("12/03"), at: "PT1H")
    story.step(at: "PT\(hours)H", expect: expectation)
    return try await story.play()
  }

  @Test(
    arguments: [
      ["measurements": ["attributed": [["sourceIdentifier": 4, "triggerData": 12]]]],
      ["measurements": ["unattributed": [], "ephemeral": .null, "nonsense": .null]],
      ["reports": [[:], [:]]],
      ["reports": [["due": ["PT25H", "PT49H"]], ["due": ["PT25H", "PT49H"], "retryAt": .null]]],
      ["reports": [["body": ["version": 3, "source_site": "news.example", "source_secret_token": .null]], [:]]],
      ["events": [], "sent": [], "reasons": [], "outcome": .null, "errors": [], "status": 200],
      [:],
    ] as [JSON])
  func holds(_ expectation: JSON) async throws {
    let failure = try await result(expectation).failure
    #expect(failure == nil, "\(expectation.text): \(failure?.mismatches.map(\.detail) ?? [])")
  }

  @Test(
    arguments: [
      (["measurements": ["attributed": [["sourceIdentifier": 5]]]], ["/measurements/attributed/0/sourceIdentifier"]),
      (["measurements": ["attributed": []]], ["/measurements/attributed"]),
      (["measurements": ["ephemeral": [:]]], ["/measurements/ephemeral"]),
      (["reports": [["state": "delivered"], ["state": "delivered"]]], ["/reports/0/state", "/reports/1/state"]),
      (["reports": [["recipient": "destination"], [:]]], ["/reports/0/recipient"]),
      (["reports": [[:]]], ["/reports"]),
      (["reports": [["due": ["PT0H", "PT25H"]], [:]]], ["/reports/0/due"]),
      (["reports": [["failure": "http-status"], [:]]], ["/reports/0/failure"]),
      (["reports": [["body": ["source_id": "4"]], [:]]], ["/reports/0/body/source_id"]),
      (["events": ["attributed"]], ["/events"]),
      (["sent": [["to": "news.example"]]], ["/sent"]),
      (["nothing": .bool(true)], ["/nothing"]),
      (["outcome": "attributed", "status": 201], ["/outcome", "/status"]),
    ] as [(JSON, [String])])
  func doesNotHold(_ expectation: JSON, _ pointers: [String]) async throws {
    let failure = try await result(expectation).failure
    #expect(failure?.mismatches.map(\.pointer) == pointers.map { "/steps/2/expect" + $0 }, "\(expectation.text)")
  }

  @Test func aSentBodyIsComparedEntirelyAndInOrder() async throws {
    let members: [JSON.Member] = [
      .init("source_engagement_type", "click"), .init("source_site", "news.example"), .init("source_id", 4),
      .init("attributed_on_site", "shop.example"), .init("trigger_data", 12), .init("version", 3),
    ]
    func failure(_ body: [JSON.Member]) async throws -> ScenarioResult.Failure? {
      try await result(["sent": [["body": .object(body)], [:]]], after: 60).failure
    }
    #expect(try await failure(members) == nil)
    #expect(try await failure(members.reversed())?.mismatches.map(\.pointer) == ["/steps/2/expect/sent/0/body"])
    #expect(try await failure(members.dropLast())?.mismatches.count == 1)
  }

  @Test func aNestedListIsInAnyOrder() async throws {
    // Each item fits several of the values, so the first fit is not always the right one.
    let loose: JSON = ["kind": "report"]
    let hosts: [JSON] = [["to": "news.example"], ["to": "shop.example"]]
    for group in hosts.flatMap({ [[loose, $0], [$0, loose]] }) {
      #expect(try await result(["sent": [.array(group)]], after: 60).failure == nil, "\(JSON.array(group).text)")
    }
    let twice: JSON = [["to": "news.example"], ["to": "news.example"]]
    let failure = try #require(try await result(["sent": [twice]], after: 60).failure)
    #expect(failure.mismatches.map(\.pointer) == ["/steps/2/expect/sent/0"])
    #expect(try await result(["sent": [[loose], loose]], after: 60).failure == nil)
    #expect(try await result(["sent": [[loose, loose, loose]]], after: 60).failure?.mismatches.count == 1)
  }

  @Test(
    arguments: [
      (
        ["reports": [["state": "failed", "due": ["PT0H", "PT99H"]]]],
        ["reports: [{ state: scheduled, due: [PT0H, PT99H] }, { state: scheduled }]"]
      ),
      (
        ["reports": []],
        ["reports: [{ recipient: source, state: scheduled }, { recipient: destination, state: scheduled }]"]
      ),
      (["reports": [["state": "failed"], [:]]], ["reports: [{ state: scheduled }, {}]"]),
      (
        ["measurements": ["attributed": [["sourceIdentifier": 9], [:]]], "status": 201, "sent": []],
        ["measurements: { attributed: [{ sourceIdentifier: 4 }] }", "status: 200"]
      ),
      (
        ["report": ["recipient": "source", "triggerData": 13]],
        ["report: { recipient: source, triggerData: 12, state: scheduled }"]
      ),
      (["outcome": "stored"], []), (["nothing": .bool(true)], []), (["noReport": ["recipient": "source"]], []),
    ] as [(JSON, [String])])
  func aFailureContainsTheActualValues(_ expectation: JSON, _ actual: [String]) async throws {
    let failure = try await result(expectation).failure
    #expect(failure?.actual == actual, "\(expectation.text)")
  }

  @Test func aWindowIsHalfOpen() async throws {
    let failure = try #require(try await result(["reports": [["due": ["PT1H", "PT2H"]], [:]]]).failure)
    let mismatch = try #require(failure.mismatches.first)
    guard case .string(let due) = mismatch.actual, let interval = Interval(text: due) else {
      Issue.record("no duration: \(mismatch.actual.text)")
      return
    }
    let hour = interval.milliseconds / 3_600_000
    let window = [hour, hour + 1].map { Interval.hours($0).text }.joined(separator: ", ")
    #expect(failure.actual == ["reports: [{ due: [\(window)] }, {}]"])
    let later = Interval(milliseconds: interval.milliseconds + 1)
    for (window, isHeld) in [([due, later.text], true), (["PT0S", due], false)] {
      let list = JSON.array(window.map { .string($0) })
      #expect(try await result(["reports": [["due": list], [:]]]).passed == isHeld, "\(window)")
    }
  }
}
