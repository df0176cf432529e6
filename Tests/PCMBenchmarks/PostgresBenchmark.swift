import NIOConcurrencyHelpers
import PCMCore
import PCMStore
import PCMStorePostgres

/// Clicks with their events into the store on PostgreSQL by many callers, and claims of due browsers in batches. The database is empty.
enum PostgresBenchmark {
  private static let browserCount = 64
  private static let clickCount = 32_000
  private static let dueCount = 10_000
  private static let batch = 100

  static func run(address: String) async throws {
    let store = try await PostgresStore(PostgresAddress(address))
    try await insertClicks(into: store)
    try await claimDueBrowsers(of: store)
    try await store.close()
  }

  private static func insertClicks(into store: PostgresStore) async throws {
    let browsers = try await newBrowsers("clicks", count: browserCount, dueAt: nil, in: store)
    let commits = store.commitCount
    let watch = Stopwatch()
    try await inParallel(browserCount) { caller in
      for number in 0..<clickCount / browserCount {
        try await InsertBenchmark.insert(number, into: browsers[caller], of: store)
      }
    }
    let seconds = watch.seconds
    print("store \(Int(Double(clickCount) / seconds))")
    print("batch \(max(1, clickCount / max(1, store.commitCount - commits)))")
  }

  private static func claimDueBrowsers(of store: PostgresStore) async throws {
    _ = try await newBrowsers("due", count: dueCount, dueAt: Bench.now, in: store)
    var count = 0
    let watch = Stopwatch()
    while true {
      let claimed = try await store.claimDue(by: Bench.now, limit: batch)
      guard !claimed.isEmpty else { break }
      count += claimed.count
    }
    print("claims \(Int(Double(count) / watch.seconds))")
  }

  private static func newBrowsers(
    _ name: String, count: Int, dueAt: Instant?, in store: PostgresStore
  ) async throws -> [BrowserID] {
    let browsers = NIOLockedValueBox<[BrowserID]>([])
    try await inParallel(browserCount) { caller in
      for number in stride(from: caller, to: count, by: browserCount) {
        var state = BrowserState(now: Bench.now)
        state.dueAt = dueAt
        let browser = try await store.create(
          NewBrowser(name: "\(name)-\(number)", seed: "s", clockMode: .real, state: state), { [state] in try $0.save(state) })
        browsers.withLockedValue { $0.append(browser.id) }
      }
    }
    return browsers.withLockedValue { $0 }
  }

  private static func inParallel(_ count: Int, _ body: @escaping @Sendable (Int) async throws -> Void) async throws {
    try await withThrowingTaskGroup(of: Void.self) { group in
      for caller in 0..<count { group.addTask { try await body(caller) } }
      try await group.waitForAll()
    }
  }
}
