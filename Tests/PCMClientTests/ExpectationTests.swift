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
          Expected a delivered report to the source with sourceSite news.example, destinationSite shop.example, \
          sourceIdentifier 5, triggerData 12, but there is none.

          Reports of browser "missing":
            report-
          """), "\(text)")
      #expect(text.contains("its sourceIdentifier is 4, not 5"), "\(text)")
      #expect(text.contains("its recipient is destination, not source"), "\(text)")
      #expect(text.contains("its state is scheduled, not delivered"), "\(text)")
      #expect(failure?.report == nil)
      #expect(text.split(separator: "\n").count { $0.hasPrefix("  report-") && !$0.contains(" at 2026-") } == 2, "\(text)")
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
          "Expected no report like a report to the source with destinationSite shop.example, triggerData 12, but there is "
            + "one: report-"), "\(text)")
      #expect(text.contains("\n\nWhy, for report-"), "\(text)")
      #expect(failure?.report?.recipient == .source)
    }
  }

  @Test("a text that is not a domain has no explanation")
  func unexplained() async throws {
    try await Stage.withService { service in
      let browser = try await PCM.browser("unexplained", on: service)
      let failure = await #expect(throws: ExpectationFailure.self) {
        try await browser.expectReport(to: .destination, on: "no host")
      }
      #expect(failure?.explanation == nil)
      #expect(
        failure?.description.hasSuffix("Reports of browser \"unexplained\": none") == true, "\(failure?.description ?? "")")
    }
  }

  @Test("a report on the real clock is expected within a time")
  func waiting() async throws {
    try await Stage.withService { service in
      var settings = BrowserSettings()
      settings.debugMode = true
      let browser = try await PCM.browser("waiting", settings: settings, network: .simulated, on: service)
      try await browser.convert()
      let waiting = Task { try await browser.expectReport(to: .source, within: .seconds(120)) }
      try await browser.advance(by: .minutes(1))
      #expect(try await waiting.value.state == .delivered)
    }
  }

  @Test("without a destination, all destinations of the log are explained")
  func anyDestination() async throws {
    try await Stage.withService { service in
      let browser = try await PCM.browser("any", on: service)
      try await browser.convert()
      try await browser.trigger(.pixel(of: "news.example", data: 1, on: "https://other.example/"))
      let failure = await #expect(throws: ExpectationFailure.self) { try await browser.expectReport(to: .source) }
      let text = try #require(failure?.description)
      #expect(failure?.explanation?.subject == .destination("other.example"))
      #expect(text.contains("Why, for other.example:") && text.contains("Why, for shop.example:"))
    }
  }
}
