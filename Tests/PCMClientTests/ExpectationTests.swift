import Foundation
import PCMClient
import TLSSupport
import Testing

/// Failed expectations and their messages.
@Suite struct ExpectationTests {
  @Test("a missing report: expectation, actual reports, differences, and explanation")
  func missing() async throws {
    try await Stage.withService { service in
      let browser = try await PCM.browser("missing", on: service)
      try await browser.convert()
      let failure = await #expect(throws: ExpectationFailure.self) {
        try await browser.expectReport(
          to: .source, from: "news.example", on: "shop.example", sourceIdentifier: 5, triggerData: 12)
      }
      let text = try #require(failure?.description)
      #expect(
        text.hasPrefix(
          """
          Expected a delivered report to the source with source_site news.example, attributed_on_site shop.example, \
          source_id 5, trigger_data 12, but there is none.

          Reports of browser "missing":
            report-
          """), "\(text)")
      #expect(text.contains("its source_id is 4, not 5"), "\(text)")
      #expect(text.contains("its recipient is destination, not source"), "\(text)")
      #expect(text.contains("its state is scheduled, not delivered"), "\(text)")
      #expect(failure?.reports.count == 2)
      #expect(failure?.localizedDescription == text)
      #expect(text.contains("\n\nWhy, for shop.example:\n  "), "\(text)")
    }
  }

  @Test("without any report, the message contains the calls and the reasons")
  func nothing() async throws {
    try await Stage.withService { service in
      let browser = try await PCM.browser("nothing", on: service)
      let app = try await browser.registerNews()
      try await browser.open(Stage.click, from: app, tapVerified: false)
      try await browser.trigger(Stage.purchase)
      try await browser.advance(by: .hours(48))
      let failure = await #expect(throws: ExpectationFailure.self) {
        try await browser.expectReport(to: .destination, on: "shop.example")
      }
      let text = try #require(failure?.description)
      #expect(text.contains("\n\nReports of browser \"nothing\": none\n\n"), "\(text)")
      #expect(text.contains("\n\nWhy, for shop.example:\n  No report: "), "\(text)")
      #expect(text.contains("\n    FAILED: tap-is-verified: tap-not-verified, the tap did not land on"), "\(text)")
      #expect(text.contains("\n      change: "), "\(text)")
    }
  }

  @Test("a report that was not delivered contains the endpoint's response")
  func refused() async throws {
    try await Stage.withEndpoint(answer: Stage.always(Reply(404))) { service, _ in
      let browser = try await PCM.browser("refused", on: service)
      try await browser.convert()
      try await browser.advance(by: .days(2))
      let failure = await #expect(throws: ExpectationFailure.self) { try await browser.expectReport(to: .source) }
      let text = try #require(failure?.description)
      #expect(text.contains("last attempt: http-status, the endpoint answered 404"), "\(text)")
      #expect(text.contains("its state is failed, not delivered"), "\(text)")
      try await browser.expectReport(to: .source, state: .failed)
    }
  }

  @Test("an unexpected report is shown")
  func unwanted() async throws {
    try await Stage.withService { service in
      let browser = try await PCM.browser("unwanted", on: service)
      try await browser.expectNoReport()
      try await browser.convert()
      try await browser.expectNoReport(to: .source, triggerData: 11)
      try await browser.expectNoReport(on: "other.example")
      let failure = await #expect(throws: ExpectationFailure.self) {
        try await browser.expectNoReport(to: .source, on: "shop.example", triggerData: 12)
      }
      let text = try #require(failure?.description)
      #expect(
        text.hasPrefix(
          "Expected no report like a report to the source with attributed_on_site shop.example, trigger_data 12, but there is "
            + "one: report-"), "\(text)")
      #expect(text.contains("\n\nWhy, for report-"), "\(text)")
    }
  }

  @Test("without an explanation, the message contains the log")
  func unexplained() async throws {
    try await Stage.withService { service in
      let browser = try await PCM.browser("unexplained", on: service)
      let app = try await browser.registerNews()
      try await browser.open(Stage.click, from: app, tapVerified: false)
      let failure = await #expect(throws: ExpectationFailure.self) {
        try await browser.expectReport(to: .destination, on: "no host")
      }
      let text = try #require(failure?.description)
      #expect(failure?.explanations == [])
      #expect(
        text.contains("\n\nThe service has no explanation. Events:\n  1  2026-11-20T10:00:00.000Z  app-reg"), "\(text)")
      #expect(text.contains("click-discarded"), "\(text)")
      #expect(text.contains("tap-not-verified"), "\(text)")
    }
  }

  @Test("without a destination, all destinations of the log are explained")
  func anyDestination() async throws {
    try await Stage.withService { service in
      let browser = try await PCM.browser("any", on: service)
      try await browser.convert()
      try await browser.trigger(.pixel(of: "news.example", data: 1, on: "https://other.example/"))
      let failure = await #expect(throws: ExpectationFailure.self) { try await browser.expectReport(to: .source) }
      #expect(failure?.explanations.map(\.subject) == [.destination("other.example"), .destination("shop.example")])
    }
  }

  @Test("without explanations, an older service returns its log")
  func oldService() async throws {
    let log = """
      {"items":[{"sequence":1,"at":"2026-11-20T10:00:00.000Z","kind":"click-discarded","detail":\
      {"destinationSite":"shop.example","reasons":[{"code":"tap-not-verified","detail":"missed"}]}}],"next":null}
      """
    let old = try await RecordingServer.start(
      nil,
      answer: { request in
        switch request.target {
        case "/v1/browsers/old": Reply(body: Array(Self.state.utf8))
        case let target where target.hasPrefix("/v1/browsers/old/reports"):
          Reply(body: Array(#"{"items":[],"next":null}"#.utf8))
        case let target where target.hasPrefix("/v1/browsers/old/events"): Reply(body: Array(log.utf8))
        default: Reply(404)
        }
      })
    let browser = try await PCMService(url: "http://127.0.0.1:\(old.port)").browser("old")
    let failure = await #expect(throws: ExpectationFailure.self) {
      try await browser.expectReport(to: .source, on: "shop.example")
    }
    #expect(
      failure?.description == """
        Expected a delivered report to the source with attributed_on_site shop.example, but there is none.

        Reports of browser "old": none

        The service has no explanation. Events:
          1  2026-11-20T10:00:00.000Z  click-discarded  destinationSite shop.example, reasons [{code tap-not-verified, \
        detail missed}]
        """)
    #expect(await old.requests.map(\.target).contains("/v1/browsers/old/explain?about=shop.example"))
    await old.stop()
  }

  private static let state = """
    {"name":"old","storage":"ephemeral","seed":"s","clock":\
    {"mode":"manual","start":"2026-11-20T10:00:00.000Z","now":"2026-11-20T10:00:00.000Z"},"settings":\
    {"measurementEnabled":true,"privateBrowsing":false,"debugMode":false,"deliveryPolicy":"webkit","reportURL":"well-known",\
    "logRetention":{"maximumCount":1000000,"maximumAge":"PT9600H"}},\
    "labels":{},"createdAt":"2026-11-20T10:00:00.000Z","incarnation":"i"}
    """
}
