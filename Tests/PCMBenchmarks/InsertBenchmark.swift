import PCMCore
import PCMStore
import PCMStoreSQLite

/// Clicks with their events into the SQLite store by many callers, next to SQLite's C API alone: the same rows in the same tables,
/// as many to a transaction, with the same synchronization.
enum InsertBenchmark {
  private static let callers = 64
  private static let each = 500

  static func run(folder: String) async throws {
    let rows = callers * each
    let store = try SQLiteStore(path: "\(folder)/store.sqlite")
    let browser = try await store.create(newBrowser)
    let commits = store.commitCount
    let watch = Stopwatch()
    try await withThrowingTaskGroup(of: Void.self) { group in
      for caller in 0..<callers {
        group.addTask {
          for number in 0..<each { try await insert(caller * each + number, into: browser.id, of: store) }
        }
      }
      try await group.waitForAll()
    }
    let seconds = watch.seconds
    let batch = rows / max(1, store.commitCount - commits)
    try await store.close()
    print("store \(Int(Double(rows) / seconds))")
    print("batch \(batch)")
    let empty = try SQLiteStore(path: "\(folder)/raw.sqlite")
    _ = try await empty.create(newBrowser)
    try await empty.close()
    let raw = RawSQLite(copyOf: "\(folder)/store.sqlite", at: "\(folder)/raw.sqlite")
    print("sqlite \(Int(Double(rows) / raw.insertAll(inTransactionsOf: batch)))")
  }

  private static var newBrowser: NewBrowser {
    NewBrowser(name: "b", seed: "s", clockMode: .manual, state: BrowserState(now: Bench.now))
  }

  static func insert(_ number: Int, into browser: BrowserID, of store: any Store) async throws {
    try await store.write(browser) { writer in
      let key = ClickKey(
        source: Site("news.example"), destination: Site("d\(number).example"), bundleIdentifier: BundleIdentifier.safari)
      let click = KeptClick(
        id: try writer.nextSequence(), click: Click(key: key, sourceID: UInt8(number % 256), clickedAt: Bench.now))
      try writer.save(click, in: .table)
      try writer.append(ClickStored(.clickStored, click, origin: .linkClick, decision: nil), at: Bench.now)
    }
  }
}
