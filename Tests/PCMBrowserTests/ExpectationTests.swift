import BrowserSupport
import PCMBrowser
import PCMCore
import Testing

/// Waiting for reports.
@Suite struct ExpectationTests {
  private static let delivered = ExpectationInput(report: ExpectedReport(recipient: .source), wait: .minutes(5))

  @Test("An expectation waits for the report, and returns when it is delivered")
  func waiting() async throws {
    let scene = try await Scene(sleep: Scene.endlessSleep)
    try await scene.click(4)
    try await scene.trigger("12/03")
    let waiting = Task { try await scene.browser.check(Self.delivered) }
    try await scene.advance(.hours(49))
    let result = try await waiting.value
    #expect(result.isMet && result.report?.recipient == .source)
  }

  @Test("An expectation without a report ends with its time")
  func timeout() async throws {
    let scene = try await Scene(sleep: { _ in })
    let result = try await scene.browser.check(Self.delivered)
    #expect(!result.isMet && result.report == nil)
    #expect(try await scene.browser.check(ExpectationInput(noReport: ExpectedReport(), wait: .minutes(5))).isMet)
  }

  @Test("An unwanted report ends the wait")
  func unwanted() async throws {
    let scene = try await Scene(sleep: Scene.endlessSleep)
    let waiting = Task {
      try await scene.browser.check(ExpectationInput(noReport: ExpectedReport(triggerData: 12), wait: .minutes(5)))
    }
    try await scene.click(4)
    try await scene.trigger("12/03")
    let result = try await waiting.value
    #expect(!result.isMet && result.report != nil)
  }

  @Test("The nearest reports come first")
  func nearest() async throws {
    let scene = try await Scene()
    for (id, site) in [(4, "a.example"), (5, "b.example")] {
      try await scene.click(id, to: site)
      try await scene.trigger("12/03", on: site)
    }
    let expected = ExpectedReport(
      recipient: .source, destinationSite: "b.example", sourceIdentifier: 6, state: .scheduled)
    let result = try await scene.browser.check(ExpectationInput(report: expected))
    #expect(result.mismatches.count == 4)
    #expect(result.mismatches.map(\.differences.count) == [1, 2, 2, 3])
    #expect(result.mismatches.first?.report.key.destination.domain == "b.example")
    #expect(result.explanation?.subject.id == "b.example")
  }
}
