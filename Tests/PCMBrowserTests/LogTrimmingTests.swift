import BrowserSupport
import NIOConcurrencyHelpers
import PCMBrowser
import PCMCore
import PCMDevice
import PCMStore
import Testing

/// The trimming of a log, and the remaining events.
@Suite struct LogTrimmingTests {
  private static let retention = SettingsChange(logRetention: LogRetentionChange(maximumCount: 1_000))

  /// Clicks one after the other, each an event.
  private func click(_ count: Int, in scene: Scene) async throws {
    for number in 0..<count { try await scene.click(number % 256, to: "d\(number % 50).example") }
  }

  private func trimmed(_ scene: Scene) async throws -> [String] {
    try await scene.browser.events(after: 0, limit: .max).filter { $0.kind == .logTrimmed }.map(\.detail.text)
  }

  /// Appends events until the next has this number.
  private func fill(_ store: MemoryStore, _ scene: Scene, upTo end: Int64) async throws {
    try await store.write(scene.browser.record.id) { writer in
      let event = ClickExpired(click: 900_000_000, expiredAt: Scene.start)
      while try writer.nextSequence() < end { try writer.append(event, at: Scene.start) }
    }
  }

  @Test("Events beyond the count go in whole blocks, and the log says so")
  func count() async throws {
    let store = MemoryStore()
    let scene = try await Scene(settings: Self.retention, store: store)
    try await fill(store, scene, upTo: 2_040)
    #expect(try await trimmed(scene).isEmpty)
    try await click(20, in: scene)
    #expect(try await trimmed(scene) == [#"{"eventCount":1023,"firstSequence":1,"lastSequence":1023}"#])
    let events = try await scene.browser.events(after: 0, limit: .max)
    let numbers = events.map(\.sequence)
    let last = try #require(numbers.last)
    #expect(numbers == Array(1_024...last))
    #expect(last == 2_060)
  }

  @Test("Finished reports go with the events that scheduled them, and waiting ones stay")
  func reports() async throws {
    let store = MemoryStore()
    let scene = try await Scene(settings: Self.retention, store: store)
    try await scene.click(1, to: "early.example")
    try await scene.trigger("12", on: "early.example")
    try await scene.advance(.days(3))
    try await scene.click(2, to: "waiting.example")
    try await scene.trigger("12", on: "waiting.example")
    let reports = try await scene.reports()
    #expect(reports.map(\.state) == [.delivered, .delivered, .scheduled, .scheduled])
    try await fill(store, scene, upTo: 2_040)
    #expect(try await scene.reports() == reports)
    try await click(20, in: scene)
    #expect(try await trimmed(scene).count == 1)
    #expect(try await scene.reports() == Array(reports.suffix(2)))
    // They are removed later, with the next block.
    try await scene.advance(.days(3))
    #expect(try await scene.reports().map(\.state) == [.delivered, .delivered])
    try await fill(store, scene, upTo: 4_090)
    try await click(20, in: scene)
    #expect(try await scene.reports().isEmpty)
  }

  @Test("Finished requests of measurement SDKs go with the events that recorded them, and waiting ones stay")
  func sdkRequests() async throws {
    let store = MemoryStore()
    let scene = try await Scene(settings: Self.retention, store: store)
    func record(_ event: String) async throws {
      var input = SDKEventInput()
      (input.bundleIdentifier, input.event) = (Scene.app, event)
      _ = try await scene.browser.perform(input)
    }
    try await record("early")
    try await scene.advance(.seconds(1))
    try await record("waiting")
    try await fill(store, scene, upTo: 2_040)
    #expect(try await scene.browser.sdkRequests(after: 0, limit: 9).map(\.event) == ["early", "waiting"])
    try await click(20, in: scene)
    #expect(try await trimmed(scene).count == 1)
    #expect(try await scene.browser.sdkRequests(after: 0, limit: 9).map(\.event) == ["waiting"])
  }

  @Test("At least the newest events of the count are kept, and not two blocks more than that")
  func bounds() async throws {
    let store = MemoryStore()
    let scene = try await Scene(settings: Self.retention, store: store)
    for block: Int64 in 2...8 {
      try await fill(store, scene, upTo: block * LogBlock.size - 2)
      for _ in 1...5 {
        try await click(1, in: scene)
        let count = try await scene.browser.events(after: 0, limit: .max).count
        #expect((1_000...1_000 + 2 * Int(LogBlock.size)).contains(count))
      }
    }
    #expect(try await trimmed(scene).count == 2, "the earlier ones were removed themselves")
  }

  @Test("Events over the age on the browser's clock go, however few; the rest stays")
  func age() async throws {
    let store = MemoryStore()
    let scene = try await Scene(settings: SettingsChange(logRetention: LogRetentionChange(maximumAge: .days(2))), store: store)
    try await fill(store, scene, upTo: 2_040)
    try await scene.advance(.days(3))
    #expect(try await trimmed(scene).isEmpty, "nothing is removed until a block is full")
    try await click(20, in: scene)
    #expect(try await trimmed(scene) == [#"{"eventCount":1023,"firstSequence":1,"lastSequence":1023}"#])
  }

  @Test("A limit that is lowered is reached in steps, and numbers are not used again")
  func lowered() async throws {
    let store = MemoryStore()
    let scene = try await Scene(store: store)
    try await fill(store, scene, upTo: 10_000)
    try await scene.browser.change(Self.retention)
    var found: [String] = []
    for end: Int64 in [10_239, 11_263, 12_287] {
      try await fill(store, scene, upTo: end)
      try await click(3, in: scene)
      found.append(try #require(try await trimmed(scene).last))
    }
    #expect(
      found == [
        #"{"eventCount":4095,"firstSequence":1,"lastSequence":4095}"#,
        #"{"eventCount":4096,"firstSequence":4096,"lastSequence":8191}"#,
        #"{"eventCount":3072,"firstSequence":8192,"lastSequence":11263}"#,
      ])
    let numbers = try await scene.browser.events(after: 0, limit: .max).map(\.sequence)
    #expect(try await numbers == Array(11_264...scene.browser.logEnd()))
  }

  @Test("A position before the removed events leads to the oldest that is left")
  func positions() async throws {
    let store = MemoryStore()
    let scene = try await Scene(settings: Self.retention, store: store)
    try await fill(store, scene, upTo: 2_040)
    try await click(20, in: scene)
    for position: Int64 in [0, 1, 500, 1_023] {
      #expect(try await scene.browser.events(after: position, limit: 1).map(\.sequence) == [1_024])
      #expect(try await scene.browser.eventPage(after: position, limit: 1).items.map(\.sequence) == [1_024])
      let stored = try await scene.browser.eventPage(
        after: position, limit: 1, EventSelection(kinds: [.clickStored]), waiting: .seconds(1)
      ).items.first
      #expect(stored?.kind == .clickStored)
    }
  }

  @Test("An explanation that needs removed events is partial, and says so")
  func explanations() async throws {
    let store = MemoryStore()
    let scene = try await Scene(settings: Self.retention, store: store)
    let (early, late) = (try await scene.click(1), try await scene.click(2, to: "late.example"))
    let trigger = try await scene.trigger("12").sequence
    try await fill(store, scene, upTo: 2_040)
    try await scene.trigger("12", on: "late.example")
    try await click(20, in: scene)
    let notice = "The log begins with event 1024: older events were removed"
    let browser = scene.browser
    let (first, second) = (try #require(early.click?.id), try #require(late.click?.id))
    #expect(try await browser.explain(RecordName.click(first)).summary.hasPrefix(notice))
    let attributed = try await browser.explain(RecordName.click(second))
    #expect(attributed.summary.hasPrefix(notice))
    #expect(attributed.events.map(\.kind) == [.attributed])
    #expect(try await browser.explain(RecordName.triggeringEvent(trigger)).summary.hasPrefix(notice))
    for report in try await scene.reports() {
      let explained = try await browser.explain(RecordName.report(report.id))
      #expect(explained.summary.contains(notice))
      #expect(explained.steps.map(\.kind) == (report.id < 1_024 ? [.report] : [.triggeringEvent, .report]))
    }
    #expect(try await browser.explain("nowhere.example").summary.contains(notice))
    await #expect(throws: BrowserError.self) { try await browser.explain(RecordName.click(99_999_999)) }
  }

  @Test("Reports whose events were removed are part of the explanation of their destination until they end")
  func waitingReports() async throws {
    let store = MemoryStore()
    let scene = try await Scene(settings: Self.retention, store: store)
    try await scene.click(4, to: "early.example")
    try await scene.trigger("12", on: "early.example")
    try await fill(store, scene, upTo: 2_040)
    try await click(20, in: scene)
    #expect(try await scene.trigger("13", from: "x.example", on: "early.example").reasons.map(\.code) == ["no-click"])
    let (names, notice) = (try await scene.reports().map { RecordName.report($0.id) }, Self.notice)
    #expect(names.count == 2)
    let waiting = try await scene.browser.explain("early.example").summary
    #expect(waiting.hasPrefix("Not yet: advance by PT") && waiting.hasSuffix(notice), "\(waiting)")
    for name in names { #expect(waiting.contains("\(name) to "), "\(waiting)") }
    try await scene.browser.clear(Site("early.example"))
    let cleared = try await scene.browser.explain("early.example").summary
    #expect(cleared.hasPrefix("No report: ") && cleared.hasSuffix(notice), "\(cleared)")
  }

  @Test("Whatever denies a report after events were removed says that they were", arguments: [0, 1, 2])
  func deniedReports(_ last: Int) async throws {
    let store = MemoryStore()
    let scene = try await Scene(settings: Self.retention, store: store)
    try await fill(store, scene, upTo: 2_040)
    try await click(20, in: scene)
    let site = "late.example"
    switch last {
    case 0: try await scene.click(4, to: site)
    case 1: try await scene.click(999, to: site)
    default: try await scene.trigger("99", on: site)
    }
    let summary = try await scene.browser.explain(site).summary
    #expect(summary.hasPrefix("No report: ") && summary.hasSuffix(Self.notice), "\(summary)")
  }

  private static let notice =
    "The log begins with event 1024: older events were removed (logRetention), so this explanation is incomplete."

  @Test("The same calls leave the same log")
  func determinism() async throws {
    var logs: [[LogEvent]] = []
    for _ in 1...2 {
      let store = MemoryStore()
      let scene = try await Scene(settings: Self.retention, store: store)
      try await fill(store, scene, upTo: 2_040)
      try await click(20, in: scene)
      logs.append(try await scene.browser.events(after: 0, limit: .max))
    }
    #expect(logs[0] == logs[1])
    #expect(logs[0].contains { $0.kind == .logTrimmed })
  }

  @Test("Finished reports are read in parts, up to the first that stays")
  func manyReports() async throws {
    let (store, last) = (MemoryStore(), NIOLockedValueBox(""))
    let parts = NIOLockedValueBox<[Int]>([])
    let observer = StoreObserver(
      willCall: { name in last.withLockedValue { $0 = name } },
      didRead: { count in
        guard count > 0, last.withLockedValue({ $0.hasPrefix("reportHeadings") }) else { return }
        parts.withLockedValue { $0.append(count) }
      })
    let scene = try await Scene(settings: Self.retention, store: ObservedStore(store, observer))
    let numbers = Array(1...150) + Array(1_500...1_700) as [Int64]
    let key = ClickKey(source: Site("a.example"), destination: Site("b.example"), bundleIdentifier: "b")
    try await store.write(scene.browser.record.id) { writer in
      for number in numbers {
        try writer.save(
          Report(
            id: number, attribution: 1, session: .normal, key: key, recipient: .source, url: "", body: "{}", dueAt: Scene.start,
            state: .delivered))
      }
    }
    try await fill(store, scene, upTo: 2_040)
    try await click(20, in: scene)
    #expect(parts.withLockedValue { $0 } == [64, 64, 64])
    #expect(try await trimmed(scene).count == 1)
    #expect(try await scene.reports().map(\.id) == Array(1_500...1_700))
  }

  @Test("A log that was shortened goes on after a restart")
  func restart() async throws {
    let store = MemoryStore()
    let scene = try await Scene(settings: Self.retention, store: store)
    try await fill(store, scene, upTo: 2_040)
    try await click(20, in: scene)
    let end = try await scene.browser.logEnd()
    let again = try await Scene(restarting: store)
    #expect(try await again.click(3).sequence == end + 1)
    #expect(try await again.browser.configuration().settings.logRetention.maximumCount == 1_000)
  }
}
