import PCMCore
import PCMNetwork
import PCMScenario
import PCMSimulatedSites
import Testing

@testable import PCMApp

/// Complete scenarios, played in this process.
@Suite struct PlayerTests {
  private static let body: JSON = [
    "source_engagement_type": "click", "source_site": "news.example", "source_id": 4, "attributed_on_site": "shop.example",
    "trigger_data": 12, "version": 3,
  ]

  @Test func aCompleteScenarioPasses() async throws {
    var story = Story(sites: ["shop.example": SiteBehavior(report: [.status(500)])])
    story.step(
      Story.tap(),
      expect: [
        "outcome": "stored", "reasons": [], "status": 201, "events": ["click-stored"],
        "measurements": ["unattributed": [["sourceIdentifier": 4]], "attributed": [], "ephemeral": .null],
      ])
    story.step(
      Story.trigger("12/03"), at: "PT3H",
      expect: [
        "outcome": "attributed", "reasons": [],
        "events": ["trigger-accepted", "attributed", "report-scheduled", "report-scheduled"],
        "reports": [
          ["recipient": "source", "state": "scheduled", "due": ["PT27H", "PT51H"], "failure": .null],
          ["recipient": "destination", "state": "scheduled", "due": ["PT27H", "PT51H"]],
        ], "sent": [], "explanation": .null,
      ])
    story.step(
      at: "PT51H30M",
      expect: [
        "reports": [
          ["recipient": "source", "state": "delivered", "body": ["trigger_data": 12], "failure": .null],
          ["recipient": "destination", "state": "failed", "failure": "http-status"],
        ],
        "sent": [
          [
            ["to": "shop.example", "kind": "report", "within": ["PT27H", "PT51H30M"]],
            ["to": "news.example", "kind": "report", "body": Self.body, "within": ["PT27H", "PT51H30M"]],
          ]
        ],
        "explanation": ["of": ["destination": "shop.example"], "rule": "answer-is-2xx", "reason": "http-status"],
      ])
    let result = try await story.play()
    #expect(result.failure == nil, "\(result.json.text)")
    #expect(result.steps.map(\.passed) == [true, true, true])
  }

  @Test func aFailedStepContainsItsPlaceAndExplanation() async throws {
    var story = Story()
    story.step(Story.tap(.init("tapVerified", .bool(false))), expect: ["reasons": ["tap-not-verified"], "outcome": "stored"])
    story.step(Story.trigger(), expect: ["outcome": "attributed"])
    let failure = try #require(try await story.play().failure)
    #expect(failure.step == 1)
    let mismatch = try #require(failure.mismatches.first)
    #expect(failure.mismatches.count == 1)
    #expect(mismatch.pointer == "/steps/0/expect/outcome")
    #expect(mismatch.place == SourcePlace(line: 1, column: 4))
    #expect(mismatch.detail.hasPrefix("expected outcome stored, but the outcome is discarded (tap-not-verified: "))
    #expect(mismatch.actual == "discarded")
    #expect(failure.actual == ["outcome: discarded"])
    #expect(
      failure.explanation.contains { $0.hasPrefix("  FAILED: tap-is-verified (tap-not-verified): ") }, "\(failure.explanation)")
    #expect(failure.explanation.contains { $0.hasPrefix("  change: ") }, "\(failure.explanation)")
  }

  /// A network whose requests cancel the task that sends them.
  private struct CancelingNetwork: Transport {
    func send(_ request: OutgoingRequest, route: NetworkRoute) async -> Exchange {
      withUnsafeCurrentTask { $0?.cancel() }
      return Exchange(httpStatus: 200)
    }
  }

  @Test("a scenario whose task is canceled ends without a result")
  func canceled() async throws {
    var story = Story()
    story.step(Story.action("load", ["firstPartyURL": "https://shop.example/", "url": "https://shop.example/"]))
    let play = Task { [story] in try await story.play(network: .live(CancelingNetwork(), NetworkRoute())) }
    await #expect(throws: CancellationError.self) { try await play.value }
  }

  @Test func aRejectedCallFailsItsStepUnlessAStatusIsExpected() async throws {
    var story = Story()
    let wrong = Story.tap(.init("purchaser", 7))
    story.step(wrong, expect: ["status": 422, "errors": ["/purchaser"]])
    story.step(wrong)
    let failure = try #require(try await story.play().failure)
    #expect(failure.step == 2)
    #expect(failure.mismatches.map(\.detail).first?.contains("returned 422: purchaser: purchaser must be a string") == true)
    #expect(failure.mismatches.map(\.place) == [SourcePlace(line: 1, column: 5)])
    #expect(failure.mismatches.map(\.pointer) == ["/steps/1/event-attribution/purchaser"])
  }

  @Test func aRejectedAdvanceFailsItsStep() async throws {
    var story = Story()
    story.step(Story.action("advance", "P2D"))
    story.step(Story.tap(), at: "PT1H", expect: ["outcome": "stored"])
    let failure = try #require(try await story.play().failure)
    #expect(failure.step == 2)
    #expect(failure.mismatches.first?.detail.contains("a clock does not go back") == true)
  }

  @Test func aRestartRemovesBrowsersInMemory() async throws {
    var story = Story()
    story.step(Story.tap())
    story.step(Story.action("restart", [:]))
    #expect(try await story.play().failure?.step == 2)
  }

  @Test func leftoversAreListed() async throws {
    var story = Story()
    story.step(Story.tap(), expect: ["nothing": .bool(true)])
    #expect(
      try await story.play().failure?.mismatches.map(\.detail) == [
        "expected no clicks, attributions, pending reports, or pending postbacks, found 1 stored click"
      ])
  }

  @Test func theSameSeedHasTheSameResult() async throws {
    var story = Story(
      settings: ["deliveryPolicy": "reliable"], sites: ["shop.example": SiteBehavior(report: [.failing, .good])])
    story.step(Story.tap(.init("sourceNonce", .string(Story.nonce))))
    story.step(Story.trigger())
    story.step(
      at: "PT60H",
      expect: ["sent": [["body": .null, "within": ["PT0S", "PT1S"]]], "reports": [["due": ["PT0S", "PT1S"], "body": [:]]]])
    let (first, second, other) = (try await story.play(), try await story.play(), try await story.play(seed: "other"))
    #expect(first.failure != nil)
    #expect(first.json.text == second.json.text)
    #expect(first.json.text != other.json.text)
    #expect(other.seed == "other")
  }

  @Test func aScenarioEndsAtItsWriteLimit() async throws {
    var story = Story(settings: ["deliveryPolicy": "reliable"], sites: ["shop.example": SiteBehavior(report: [.failing])])
    story.step(Story.tap())
    story.step(Story.trigger())
    story.step(Story.action("advance", "P10000D"))
    let failure = try #require(try await story.play(writeLimit: 100).failure)
    #expect(failure.step == 3)
    #expect(failure.mismatches.first?.detail.contains("exceeds the limit of 100 transactions") == true)
  }

  /// A story with an attribution of each shop. No report is accepted.
  private static func failingStory(shops count: Int) -> Story {
    let shops = (1...count).map { "shop\($0).example" }
    let sites = (shops + ["news.example"]).map { ($0, SiteBehavior(report: [.failing])) }
    var story = Story(settings: ["deliveryPolicy": "reliable"], sites: Dictionary(uniqueKeysWithValues: sites))
    for shop in shops {
      story.step(Story.tap(to: shop), expect: ["outcome": "stored"])
      story.step(Story.trigger(on: shop), expect: ["outcome": "attributed"])
    }
    return story
  }

  @Test("a step in the far future passes when the retries have ended, after 30 days and some hundred transactions")
  func farFuture() async throws {
    var story = Self.failingStory(shops: 1)
    story.step(at: "P300000D", expect: ["reports": [["state": "failed"], ["state": "failed"]], "nothing": .bool(true)])
    let result = try await story.play(writeLimit: 1_000)
    #expect(result.failure == nil, "\(result.json.text)")
    #expect(result.steps.count == 3)
  }

  @Test("a step in the far future fails at the service's limit of transactions when the retries exceed it")
  func farFutureOfManyReports() async throws {
    var story = Self.failingStory(shops: 60)
    story.step(at: "P300000D")
    let limit = ScenarioStages.serviceWriteLimit
    let failure = try #require(try await story.play(writeLimit: limit).failure)
    #expect(failure.step == 121)
    let detail = try #require(failure.mismatches.first?.detail)
    #expect(detail.contains("exceeds the limit of \(limit) transactions"), "\(detail)")
  }

  @Test func aReportIsExpectedWithTheMatcherOfTheService() async throws {
    var story = Story()
    story.step(Story.tap())
    story.step(
      Story.trigger(), expect: ["report": ["recipient": "source", "state": "scheduled"], "noReport": ["triggerData": 11]])
    story.step(at: "PT49H", expect: ["report": ["triggerData": 11]])
    let failure = try #require(try await story.play().failure)
    #expect(failure.step == 3)
    let mismatch = try #require(failure.mismatches.first)
    #expect(mismatch.pointer == "/steps/2/expect/report")
    let text = "expected a delivered report with triggerData 11, but there is none; the nearest is report-"
    #expect(mismatch.detail.hasPrefix(text), "\(mismatch.detail)")
    #expect(mismatch.detail.hasSuffix(": its triggerData is 12, not 11"), "\(mismatch.detail)")
  }
}

extension SiteBehavior.Response {
  static func status(_ status: Int) -> SiteBehavior.Response {
    var answer = good
    answer.status = status
    return answer
  }

  static func redirect(_ location: String) -> SiteBehavior.Response {
    var answer = good
    answer.location = location
    return answer
  }

  static var failing: SiteBehavior.Response {
    var answer = good
    answer.failure = .connectionFailed
    return answer
  }
}
