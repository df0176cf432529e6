import BrowserSupport
import PCMCore
import PCMStore
import Testing

@testable import PCMBrowser

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

  @Test("A search reads no report that was rejected before, and finds a later one")
  func search() async throws {
    let scene = try await Scene()
    for (id, site) in [(4, "a.example"), (5, "b.example")] {
      try await scene.click(id, to: site)
      try await scene.trigger("12/03", on: site)
    }
    let matcher = ReportMatcher(ExpectedReport(sourceIdentifier: 5, state: .scheduled), isWanted: true)
    let (browser, store) = (scene.browser.record.id, scene.browser.store)
    func search(after id: Int64, limit: Int, except rejected: Set<Int64>) async throws -> ReportSearch {
      try await store.read(browser) { reader in
        try reader.matches(of: matcher, in: .scheduled, after: id, limit: limit, except: rejected)
      }
    }
    let ids = try await scene.reports().map(\.id)
    let first = try await search(after: 0, limit: 2, except: [])
    #expect(first.report == nil && first.rejected == Set(ids.prefix(2)) && first.next == ids[1])
    let second = try await search(after: ids[1], limit: 2, except: first.rejected)
    #expect(second.report?.id == ids[2] && second.rejected.isEmpty)
    let third = try await search(after: 0, limit: 9, except: Set(ids))
    #expect(third.report == nil && third.rejected.isEmpty && third.next == nil)
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
