import PCMClient
import Testing

/// Explanations of the real service.
@Suite struct ExplainTests {
  @Test("the explanation of a discarded click contains the failed rule and a change")
  func discardedClick() async throws {
    try await Stage.withService { service in
      let browser = try await PCM.browser("discarded", on: service)
      let app = try await browser.registerNews()
      let tap = try await browser.open(Stage.click, from: app, tapVerified: false)
      let explanation = try await browser.explain(tap.subject)
      #expect(explanation.subject == tap.subject)
      #expect(explanation.subject.kind == .click)
      #expect(explanation.firstFailure?.rule == "tap-is-verified")
      #expect(explanation.firstFailure?.reason == tap.reasons.first)
      #expect(explanation.firstFailure?.change?.isEmpty == false)
      let rules = try #require(explanation.steps.first).rules
      let failed = try #require(rules.firstIndex { $0.verdict == .failed })
      #expect(rules[failed].saw?["tapVerified"] == .bool(false))
      #expect(rules[..<failed].allSatisfy { $0.verdict == .passed })
      #expect(rules[(failed + 1)...].allSatisfy { $0.verdict == .notReached && $0.saw == nil })
    }
  }

  @Test("a stored click, a triggering event, a report, and a destination are explained")
  func everySubject() async throws {
    try await Stage.withService { service in
      let browser = try await PCM.browser("subjects", on: service)
      let app = try await browser.registerNews()
      let tap = try await browser.open(Stage.click, from: app)
      let purchase = try await browser.trigger(Stage.purchase)
      let report = try #require(purchase.attribution?.sourceReportID)
      let subjects: [Explanation.Subject] = [
        tap.subject, purchase.subject, .destination("shop.example"),
      ]
      for subject in subjects {
        let explanation = try await browser.explain(subject)
        #expect(explanation.subject == subject)
        #expect(explanation.firstFailure?.rule == (subject.kind == .destination ? "report-is-due" : nil))
        #expect(!explanation.steps.isEmpty)
        #expect(explanation.description.hasPrefix(explanation.summary))
      }
      let waiting = try await browser.explain(.report(report))
      #expect(waiting.subject == .report(report))
      #expect(waiting.steps.map(\.step) == [.click, .triggeringEvent, .report])
      #expect(waiting.steps.last?.outcome == "scheduled")
      let nothing = try await browser.explain(.destination("nowhere.example"))
      #expect(nothing.steps.isEmpty)
      let second = try await browser.trigger(Stage.purchase)
      #expect(try await browser.explain(second.subject).firstFailure?.reason?.code == .lowerOrEqualPriority)
    }
  }
}
