import Foundation
import PCMClient
import TLSSupport
import Testing

/// The main scenario of the client, against the real service and a real endpoint.
@Suite struct StoryTests {
  @Test("a tapped ad is reported to both recipients after an advance of two days")
  func wholeStory() async throws {
    try await Stage.withEndpoint(answer: Stage.always(Reply(body: Array("thanks".utf8)))) { service, server in
      let browser = try await PCM.browser("checkout", clock: .manual, on: service)
      let app = try await browser.register(infoPlist: Data(Stage.manifest().utf8))
      #expect(app.sourceSite == "news.example")
      let tap = try await browser.open(Stage.click, from: app, tapVerified: true)
      #expect(tap.outcome == .stored, "\(tap)")
      #expect(tap.click?.destinationSite == "shop.example")
      #expect(tap.click?.sourceIdentifier == 4)
      try await browser.advance(by: .hours(3))
      let purchase = try await browser.trigger(Stage.purchase)
      #expect(purchase.outcome == .attributed, "\(purchase)")
      #expect(purchase.trigger?.data == 12)
      #expect(purchase.trigger?.priority == 3)
      let advance = try await browser.advance(by: .hours(48))
      #expect(advance.events.filter { $0.kind == .reportDelivered }.count == 2)
      let report = try await browser.expectReport(
        to: .source, from: "news.example", on: "shop.example", sourceIdentifier: 4, triggerData: 12)
      #expect(report.url == "https://news.example/.well-known/private-click-measurement/report-attribution/")
      try await browser.expectReport(to: .destination, from: "news.example", sourceIdentifier: 4)
      #expect(await server.requests.count == 2)
      let attempt = try #require(report.attempts.first)
      #expect(attempt.httpStatus == 200)
      #expect(attempt.remoteAddress == "127.0.0.1")
      #expect(attempt.response?.body == "thanks")
      let timings = try #require(attempt.timings)
      #expect(timings.total >= timings.firstByte && timings.firstByte >= timings.tls && timings.tls > .zero)
    }
  }

  @Test("the same name and calls produce the same times, without data of the previous run")
  func sameAgain() async throws {
    try await Stage.withService { service in
      var runs: [[Date]] = []
      for _ in 0..<2 {
        let browser = try await PCM.browser("again", on: service)
        #expect(try await browser.reports().isEmpty)
        #expect(try await browser.convert().outcome == .attributed)
        runs.append(try await browser.reports().map(\.dueAt))
      }
      #expect(runs[0] == runs[1])
      #expect(runs[0].count == 2)
      let other = try await PCM.browser("again", seed: "other", on: service)
      try await other.convert()
      #expect(try await other.reports().map(\.dueAt) != runs[0])
    }
  }

  @Test("on the real clock, the expectation waits for the report until the timeout")
  func realClock() async throws {
    try await Stage.withService { service in
      let browser = try await PCM.browser("real", clock: .real, on: service)
      #expect(try await browser.state().clock.mode == .real)
      async let waiting = browser.expectReport(to: .source, sourceIdentifier: 4, state: .scheduled, within: .seconds(60))
      // Reports that are passed over, so that the wait goes on behind them.
      let link = AttributionLink(sourceIdentifier: "9", destination: "https://other.example")
      try await browser.follow(link, on: "https://news.example/")
      try await browser.trigger(.pixel(of: "news.example", data: 1, on: "https://other.example/"))
      try await browser.convert()
      #expect(try await waiting.body.attributedOnSite == "shop.example")
      let failure = await #expect(throws: ExpectationFailure.self) {
        try await browser.expectReport(to: .source, sourceIdentifier: 4, state: .cleared, within: .milliseconds(20))
      }
      let text = try #require(failure?.description)
      #expect(text.contains("its state is scheduled, not cleared"), "\(text)")
    }
  }
}
