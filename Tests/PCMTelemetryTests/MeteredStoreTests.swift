import BrowserSupport
import NIOConcurrencyHelpers
import PCMCore
import PCMStore
import StoreContract
import Testing

@testable import PCMTelemetry

/// A metered store fulfills the store contract and counts only committed transactions.
@Suite struct MeteredStoreTests {
  private static let noon = Instant(milliseconds: 1_795_262_400_000)

  private static func metered(_ store: any Store, _ metricSet: MetricSet = MetricSet()) -> MeteredStore {
    MeteredStore(store, named: .ephemeral, metricSet: metricSet, uptime: { .zero })
  }

  @Test("A metered store fulfills the store contract", arguments: StoreContract.checks)
  func contract(_ check: StoreContract.Check) async throws {
    try await check.hold(Self.metered(MemoryStore()))
  }

  /// Runs each body twice and rolls the first run back, as a group commit does when another transaction fails.
  private struct RepeatingStore: Store {
    struct RolledBack: Error {}
    let store = MemoryStore()

    func submit<Answer: Sendable>(
      _ browser: BrowserID, _ body: @escaping @Sendable (any BrowserWriter) throws -> Answer
    ) -> PendingWrite<Answer> {
      let rolledBack = store.submit(browser) { rows in
        _ = try body(rows)
        throw RolledBack()
      }
      let write = store.submit(browser, body)
      return PendingWrite {
        await #expect(throws: RolledBack.self) { try await rolledBack.answer() }
        return try await write.answer()
      }
    }

    func read<Answer: Sendable>(
      _ browser: BrowserID, _ body: @escaping @Sendable (any BrowserReader) throws -> Answer
    ) async throws -> Answer { try await store.read(browser, body) }
    func browsers() async throws -> [BrowserRecord] { try await store.browsers() }
    func create(_ browser: NewBrowser, keeping creation: KeptCreation?) async throws -> BrowserRecord {
      try await store.create(browser, keeping: creation)
    }
    func keptCreation(_ key: String) async throws -> KeptRequest? { try await store.keptCreation(key) }
    func fork(_ browser: BrowserID, as copy: BrowserCopy) async throws -> BrowserRecord {
      try await store.fork(browser, as: copy)
    }
    func delete(_ browser: BrowserID) async throws { try await store.delete(browser) }
    func checkWritable() async throws { try await store.checkWritable() }
    func close() async throws { try await store.close() }
  }

  private static func discarded(_ reasons: [Reason]) -> BrowserEvent {
    .clickDiscarded(ClickDiscarded(origin: .linkClick, destination: nil, reasons: reasons, decision: nil))
  }

  @Test func aRepeatedBodyIsCountedOnce() async throws {
    let metricSet = MetricSet()
    let store = Self.metered(RepeatingStore(), metricSet)
    let browser = try await Self.browser(in: store)
    try await store.write(browser) { rows in
      try rows.append(Self.discarded([Reason("same-site", "…")]), at: Self.noon)
      try rows.save(Self.report(1))
    }
    #expect(try Self.value("pcm_events_total{kind=\"click-discarded\"}", metricSet) == "1")
    #expect(try Self.value("pcm_event_reasons_total{kind=\"click-discarded\",code=\"same-site\"}", metricSet) == "1")
    #expect(await store.totals(at: Self.noon) == WaitingReports.Totals(browsers: 1, scheduled: 1, overdue: 0))
  }

  @Test func aRolledBackTransactionIsNotCounted() async throws {
    struct RolledBack: Error {}
    let metricSet = MetricSet()
    let store = Self.metered(MemoryStore(), metricSet)
    let browser = try await Self.browser(in: store)
    await #expect(throws: RolledBack.self) {
      try await store.write(browser) { rows in
        try rows.append(Self.discarded([]), at: Self.noon)
        try rows.save(Self.report(1))
        throw RolledBack()
      }
    }
    #expect(try Self.value("pcm_events_total{kind=\"click-discarded\"}", metricSet) == "0")
    #expect(await store.totals(at: Self.noon).scheduled == 0)
  }

  @Test func unknownReasonCodesAreCountedTogether() async throws {
    let metricSet = MetricSet()
    let store = Self.metered(MemoryStore(), metricSet)
    let browser = try await Self.browser(in: store)
    try await store.write(browser) { rows in
      let reasons = (0..<50).map { Reason("made-up-\($0)", "…") }
      try rows.append(Self.discarded(reasons), at: Self.noon)
    }
    #expect(try Self.value("pcm_event_reasons_total{kind=\"click-discarded\",code=\"other\"}", metricSet) == "50")
  }

  @Test func afterAStartAllPagesOfReportsAreCounted() async throws {
    let store = MemoryStore()
    let browser = try await Self.browser(in: Self.metered(store))
    try await store.write(browser) { rows in
      for id in 1...2_345 { try rows.save(Self.report(Int64(id))) }
    }
    let metered = Self.metered(store)
    _ = try await metered.browsers()
    #expect(await metered.totals(at: .earliest) == WaitingReports.Totals(browsers: 1, scheduled: 2_345, overdue: 0))
    try await metered.write(browser) { rows in
      var state = try rows.state()
      state.now = Self.noon
      try rows.save(state)
    }
    #expect(await metered.totals(at: .earliest).overdue == 2_345, "a manual clock does not follow the wall clock")
  }

  /// The counts of one browser, which was not read yet.
  private static func waiting(for id: BrowserID) -> WaitingReports {
    var waiting = WaitingReports()
    let state = BrowserState(now: Instant(milliseconds: 0))
    waiting.find(BrowserRecord(NewBrowser(name: "one", seed: "s", clockMode: .manual, state: state), id: id))
    return waiting
  }

  @Test func aTransactionDuringTheFirstReadIsCountedOnce() {
    let id = BrowserID(1)
    var waiting = Self.waiting(for: id)
    func counts(_ version: Int64, _ amount: Int) -> TransactionCounts {
      TransactionCounts(
        events: [CountedEvent(Self.discarded([]))], changes: [DueChange(due: Self.noon, amount: amount)], version: version)
    }
    waiting.apply(counts(2, 1), of: id)
    #expect(waiting.takeUnread(at: Self.noon) == [id])
    #expect(waiting.takeUnread(at: Self.noon) == [])
    // The read includes the first three commits. The fourth is later, and the third is announced after the read.
    waiting.apply(counts(3, 1), of: id)
    waiting.apply(counts(5, 1), of: id)
    waiting.finishReading(id, WaitingReports.Reading(dues: [Self.noon, Self.noon, Self.noon], version: 4, now: Self.noon))
    waiting.apply(counts(4, 1), of: id)
    waiting.apply(counts(6, -1), of: id)
    #expect(waiting.totals(at: .earliest) == WaitingReports.Totals(browsers: 1, scheduled: 3, overdue: 3))
  }

  @Test func aReadIsRepeatedAfterAChangeWithoutAnEvent() {
    let id = BrowserID(1)
    var waiting = Self.waiting(for: id)
    let later = Self.noon + .hours(1)
    #expect(waiting.takeUnread(at: Self.noon) == [id])
    waiting.apply(
      TransactionCounts(
        changes: [DueChange(due: Self.noon, amount: -1), DueChange(due: later, amount: 1)], version: 4), of: id)
    #expect(waiting.takeUnread(at: Self.noon) == [], "one read at a time")
    // The number of the log does not show whether the read includes the change.
    waiting.finishReading(id, WaitingReports.Reading(dues: [Self.noon], version: 4, now: Self.noon))
    #expect(waiting.totals(at: .earliest) == WaitingReports.Totals(browsers: 1))
    #expect(waiting.takeUnread(at: Self.noon) == [id])
    waiting.finishReading(id, WaitingReports.Reading(dues: [later], version: 4, now: Self.noon))
    #expect(waiting.totals(at: .earliest) == WaitingReports.Totals(browsers: 1, scheduled: 1, overdue: 0))
  }

  @Test func aBrowserWithDamagedRowsIsReadOnce() async throws {
    let unreadable = StoreError.unreadable(UnreadableRow(table: "reports", row: "1", column: "state"))
    for (error, expected) in [(unreadable, 1), (.unavailable("the disk is busy"), 3)] {
      let (base, reads) = (MemoryStore(), NIOLockedValueBox(0))
      let browser = try await Self.browser(in: Self.metered(base))
      let observer = StoreObserver(willCall: { name in
        guard name == "reports(in:after:limit:)" else { return }
        reads.withLockedValue { $0 += 1 }
        throw error
      })
      let store = Self.metered(ObservedStore(base, observer))
      _ = try await store.browsers()
      for _ in 1...3 { #expect(await store.totals(at: Self.noon) == WaitingReports.Totals(browsers: 1)) }
      #expect(reads.withLockedValue { $0 } == expected, "\(error)")
      try await store.write(browser) { try $0.save(Self.report(1)) }
      try await store.delete(browser)
      #expect(await store.totals(at: Self.noon) == WaitingReports.Totals())
    }
  }

  @Test func reportsAreReadAHundredAtATime() async throws {
    let (base, counts) = (MemoryStore(), NIOLockedValueBox<[Int]>([]))
    let browser = try await Self.browser(in: Self.metered(base))
    try await base.write(browser) { rows in for id in 1...250 as ClosedRange<Int64> { try rows.save(Self.report(id)) } }
    let store = Self.metered(
      ObservedStore(base, StoreObserver(didRead: { count in counts.withLockedValue { $0.append(count) } })))
    _ = try await store.browsers()
    #expect(await store.totals(at: Self.noon).scheduled == 250)
    #expect(counts.withLockedValue { $0.filter { $0 > 1 } } == [100, 100, 50])
  }

  @Test func theRemovalOfFinishedReportsDoesNotReadThem() async throws {
    let (base, calls) = (MemoryStore(), NIOLockedValueBox<[String]>([]))
    let store = Self.metered(
      ObservedStore(base, StoreObserver(willCall: { name in calls.withLockedValue { $0.append(name) } })))
    let browser = try await Self.browser(in: store)
    try await store.write(browser) { rows in
      try rows.append(Self.discarded([]), at: Self.noon)
      for id in 1...9 as ClosedRange<Int64> {
        try rows.save(Self.report(id, id < 9 ? .delivered : .scheduled))
      }
    }
    calls.withLockedValue { $0.removeAll() }
    try await store.write(browser) { rows in
      for heading in try rows.reportHeadings(in: .delivered, after: 0, limit: 99) { try rows.removeReport(heading.id) }
    }
    #expect(calls.withLockedValue { calls in calls.count { $0 == "removeReport(_:)" } } == 8)
    #expect(!calls.withLockedValue { $0.contains("report(_:)") })
    #expect(await store.totals(at: Self.noon).scheduled == 1)
    try await store.write(browser) { rows in
      try rows.append(Self.discarded([]), at: Self.noon)
      try rows.removeReport(9)
    }
    #expect(await store.totals(at: Self.noon).scheduled == 0)
  }

  @Test func afterAClockWasSetBackReportsAreNotOverdue() async throws {
    let store = Self.metered(MemoryStore())
    let browser = try await Self.browser(in: store, clockMode: .real)
    try await store.write(browser) { rows in
      try rows.save(Self.report(1))
      // The time of the last sending, which the machine's clock has not reached since it was set back.
      var state = try rows.state()
      state.now = Self.noon + .days(1)
      try rows.save(state)
    }
    #expect(await store.totals(at: Self.noon - .hours(1)).overdue == 0)
    #expect(await store.totals(at: Self.noon + .days(1)).overdue == 1)
    #expect(await store.totals(at: Self.noon - .hours(1)) == WaitingReports.Totals(browsers: 1, scheduled: 1, overdue: 0))
    #expect(await store.totals(at: Self.noon).overdue == 1)
  }

  @Test func aDueTimeThatMovesWithoutAnEventIsCounted() async throws {
    let store = Self.metered(MemoryStore())
    let browser = try await Self.browser(in: store, clockMode: .real)
    func save(dueAt due: Instant, _ state: Report.State = .scheduled, withEvent: Bool) async throws {
      try await store.write(browser) { rows in
        if withEvent { try rows.append(Self.discarded([]), at: Self.noon) }
        try rows.save(Self.report(1, state, dueAt: due))
      }
    }
    try await save(dueAt: Self.noon + .hours(30), withEvent: true)
    #expect(await store.totals(at: Self.noon + .hours(20)).overdue == 0)
    // The clock is set back, the report is counted again, and then moved.
    #expect(await store.totals(at: Self.noon) == WaitingReports.Totals(browsers: 1, scheduled: 1, overdue: 0))
    try await save(dueAt: Self.noon + .hours(10), withEvent: false)
    #expect(await store.totals(at: Self.noon + .hours(10)) == WaitingReports.Totals(browsers: 1, scheduled: 1, overdue: 1))
    try await save(dueAt: Self.noon + .hours(10), .delivered, withEvent: true)
    #expect(await store.totals(at: Self.noon + .hours(10)) == WaitingReports.Totals(browsers: 1))
  }

  private static func browser(in store: MeteredStore, clockMode: ClockMode = .manual) async throws -> BrowserID {
    let state = BrowserState(now: noon - .hours(1))
    return try await store.create(NewBrowser(name: "one", seed: "s", clockMode: clockMode, state: state)).id
  }

  private static func report(_ id: Int64, _ state: Report.State = .scheduled, dueAt: Instant = noon) -> Report {
    let key = ClickKey(
      source: Site("a.example"), destination: Site("b.example"), bundleIdentifier: BundleIdentifier.safari)
    return Report(
      id: id, attribution: 1, session: .normal, key: key, recipient: .source, url: "https://a.example/", body: "{}",
      dueAt: dueAt, state: state)
  }

  private static func value(_ series: String, _ metricSet: MetricSet) throws -> String {
    let lines = PrometheusText.text(of: metricSet.families).split(separator: "\n")
    return String(try #require(lines.first { $0.hasPrefix(series + " ") }, "\(series)").dropFirst(series.count + 1))
  }
}
