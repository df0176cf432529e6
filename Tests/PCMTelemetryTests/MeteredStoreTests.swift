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
    _ = try await store.write(browser) { rows in
      try rows.append(Self.discarded([Reason("same-site", "…")]), at: Self.noon)
    }
    #expect(try Self.value("pcm_events_total{kind=\"click-discarded\"}", metricSet) == "1")
    #expect(try Self.value("pcm_event_reasons_total{kind=\"click-discarded\",code=\"same-site\"}", metricSet) == "1")
  }

  @Test func aRolledBackTransactionIsNotCounted() async throws {
    struct RolledBack: Error {}
    let metricSet = MetricSet()
    let store = Self.metered(MemoryStore(), metricSet)
    let browser = try await Self.browser(in: store)
    await #expect(throws: RolledBack.self) {
      try await store.write(browser) { rows in
        try rows.append(Self.discarded([]), at: Self.noon)
        throw RolledBack()
      }
    }
    #expect(try Self.value("pcm_events_total{kind=\"click-discarded\"}", metricSet) == "0")
  }

  private static func browser(in store: MeteredStore, clockMode: ClockMode = .manual) async throws -> BrowserID {
    let state = BrowserState(now: noon - .hours(1))
    return try await store.create(NewBrowser(name: "one", seed: "s", clockMode: clockMode, state: state)).id
  }

  private static func value(_ series: String, _ metricSet: MetricSet) throws -> String {
    let lines = PrometheusText.text(of: metricSet.families).split(separator: "\n")
    return String(try #require(lines.first { $0.hasPrefix(series + " ") }, "\(series)").dropFirst(series.count + 1))
  }
}
