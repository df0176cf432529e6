import BrowserSupport
import NIOConcurrencyHelpers
import PCMCore
import PCMNetwork
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

  // MARK: A wait reads new reports

  /// The calls and rows that a store was asked for.
  private struct Reads: Sendable {
    private let counts = NIOLockedValueBox((calls: 0, rows: 0))

    var calls: Int { counts.withLockedValue { $0.calls } }
    var rows: Int { counts.withLockedValue { $0.rows } }

    func observing(_ store: any Store) -> ObservedStore {
      ObservedStore(
        store,
        StoreObserver(
          willCall: { [counts] name in if name == "read(_:_:)" { counts.withLockedValue { $0.calls += 1 } } },
          didRead: { [counts] count in counts.withLockedValue { $0.rows += count } }))
    }

    func wait(beyond calls: Int) async { while self.calls <= calls { await Task.yield() } }
  }

  @Test("A wait reads new reports, not all of them at each commit", .timeLimit(.minutes(5)))
  func newReports() async throws {
    let reads = Reads()
    let scene = try await Scene(store: reads.observing(MemoryStore()), sleep: Scene.endlessSleep)
    for number in 0..<100 {
      try await scene.click(4, to: "s\(number).example")
      try await scene.trigger("12", on: "s\(number).example")
    }
    let (calls, rows) = (reads.calls, reads.rows)
    let expected = ExpectedReport(sourceIdentifier: 5, state: .scheduled)
    let waiting = Task { try await scene.browser.check(ExpectationInput(report: expected, wait: .minutes(5))) }
    await reads.wait(beyond: calls)
    for number in 0..<30 {
      let calls = reads.calls
      try await scene.click(number, to: "new.example")
      await reads.wait(beyond: calls)
    }
    try await scene.click(5)
    try await scene.trigger("12")
    #expect(try await waiting.value.isMet)
    #expect(reads.rows - rows < 2_000, "the first search reads 400 rows, and each commit reads some")
  }

  /// Ways to the states that a report keeps.
  private static let ways: [(state: Report.State, act: @Sendable (Scene) async throws -> Void)] = [
    (
      .scheduled,
      { scene in
        try await scene.click(5, to: "other.example")
        try await scene.trigger("12", on: "other.example")
      }
    ),
    (.delivered, { scene in try await scene.advance(.hours(49)) }),
    (.superseded, { scene in try await scene.trigger("13/09") }),
    (.failed, { scene in try await scene.advance(.hours(49)) }),
    (.cleared, { scene in try await scene.browser.clear(nil) }),
    (.cleared, { scene in try await scene.browser.change(SettingsChange(privateBrowsing: false)) }),
    (
      .superseded,
      { scene in
        try await scene.embeddedTap(5, to: "other.example")
        try await scene.trigger("12", on: "other.example", app: Scene.app)
      }
    ),
  ]

  @Test("A wait finds a report in each state", .timeLimit(.minutes(5)), arguments: ways.indices)
  func states(_ index: Int) async throws {
    let (reads, way) = (Reads(), Self.ways[index])
    let scene = try await Scene(
      settings: SettingsChange(privateBrowsing: index > 4), store: reads.observing(MemoryStore()),
      transport: ScriptedTransport { _, _ in Exchange(httpStatus: way.state == .failed ? 503 : 200) },
      sleep: Scene.endlessSleep)
    try await scene.click(4)
    try await scene.trigger("12")
    let calls = reads.calls
    let expected = ExpectedReport(destinationSite: index == 0 ? "other.example" : Scene.destination, state: way.state)
    let waiting = Task { try await scene.browser.check(ExpectationInput(report: expected, wait: .minutes(5))) }
    // The wait begins after three calls: for the length of the log, the reports in the state, and new events.
    await reads.wait(beyond: calls + 2)
    try await way.act(scene)
    #expect(try await waiting.value.report?.state == way.state, "\(index)")
  }

  @Test("A report is found though its events were removed before the wait read them", .timeLimit(.minutes(5)))
  func removedEvents() async throws {
    let (reads, store) = (Reads(), MemoryStore())
    let settings = SettingsChange(logRetention: LogRetentionChange(maximumCount: 1_000))
    let scene = try await Scene(settings: settings, store: reads.observing(store), sleep: Scene.endlessSleep)
    let (calls, expected) = (reads.calls, ExpectedReport(destinationSite: "late.example", state: .scheduled))
    let waiting = Task { try await scene.browser.check(ExpectationInput(report: expected, wait: .minutes(5))) }
    await reads.wait(beyond: calls + 2)
    try await store.write(scene.browser.record.id) { writer in
      let key = ClickKey(source: Site("news.example"), destination: Site("late.example"), bundleIdentifier: "b")
      try writer.save(
        Report(
          id: 9, attribution: 8, session: .normal, key: key, recipient: .source, url: "https://news.example/", body: "{}",
          dueAt: Scene.start + .days(1)))
      let event = ClickExpired(click: 900, expiredAt: Scene.start)
      while try writer.nextSequence() < 4 * LogBlock.size - 1 { try writer.append(event, at: Scene.start) }
    }
    try await scene.click(6)
    #expect(try await waiting.value.report?.id == 9)
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
