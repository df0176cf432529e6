import GRDB
import NIOConcurrencyHelpers
import PCMCore
import PCMStore
import Testing

@testable import PCMStoreSQLite

@Suite struct CommitTests {
  private let folder: TemporaryFolder
  private let store: SQLiteStore

  init() throws {
    folder = try TemporaryFolder()
    store = try folder.open()
  }

  private func newBrowser(_ name: String = "one") async throws -> BrowserID {
    try await store.create(
      NewBrowser(name: name, seed: "s", clockMode: .manual, state: BrowserState(now: .earliest))
    ).id
  }

  @Test("A thousand writes at once share far fewer commits")
  func sharedCommits() async throws {
    let browser = try await newBrowser()
    let before = store.commitCount
    try await withThrowingTaskGroup { group in
      for _ in 0..<1_000 {
        group.addTask { [store] in
          try await store.write(browser) { _ = try $0.append(.sample(), at: .earliest) }
        }
      }
      try await group.waitForAll()
    }
    #expect(try await store.read(browser) { try $0.nextSequence() } == 1_001)
    #expect(store.commitCount - before < 500)
  }

  @Test("Writes take effect in the order of their calls, also for several browsers")
  func order() async throws {
    let browsers = [try await newBrowser(), try await newBrowser("two")]
    let order = NIOLockedValueBox<[Int]>([])
    // The writer is busy, so that all writes wait.
    let writes = store.file.pool.unsafeReentrantWrite { _ in
      (0..<20).map { number in
        store.submit(browsers[number / 7 % 2]) { _ in order.withLockedValue { $0.append(number) } }
      }
    }
    for write in writes { try await write.answer() }
    #expect(order.withLockedValue { $0 } == Array(0..<20))
  }

  @Test("A commit takes no further writes after its time, so that the first ones do not wait for all", arguments: [1, 5, 20])
  func shortestBatch(_ count: Int) async throws {
    let file = try DatabaseFile(path: folder.path + "/batches.sqlite")
    let time = NIOLockedValueBox(Duration.zero)
    let queue = GroupCommit(file: file) { time.withLockedValue { $0 } }
    let answers = file.pool.unsafeReentrantWrite { _ in
      // The writer is busy, so that all writes wait.
      (0..<20).map { number in
        let write = PendingCommit<Int> { _, _ in
          time.withLockedValue { $0 += GroupCommit.shortestBatch / count }
          return .success(number)
        }
        queue.add(write)
        return write
      }
    }
    for (number, answer) in answers.enumerated() { #expect(try await answer.result.answer() == number) }
    #expect(queue.commitCount == 20 / count)
    try await queue.close()
    try file.close()
  }

  /// Three commits have 5, 20, and 5 writes. Five commits have 2, three times 8, and 4.
  @Test(
    "On a slow disk, a commit takes writes for as long as the previous one took to reach it",
    arguments: [(5, commits: 3), (2, commits: 5)])
  func slowDisk(_ divisor: Int, commits: Int) async throws {
    let file = try DatabaseFile(path: folder.path + "/slow.sqlite")
    let time = NIOLockedValueBox(Duration.zero)
    let queue = GroupCommit(file: file) { time.withLockedValue { $0 } }
    let answers = file.pool.unsafeReentrantWrite { database in
      database.add(transactionObserver: SlowDisk(time), extent: .databaseLifetime)
      return (0..<30).map { _ in
        let write = PendingCommit<Void> { _, _ in
          time.withLockedValue { $0 += GroupCommit.shortestBatch / divisor }
          return .success(())
        }
        queue.add(write)
        return write
      }
    }
    for answer in answers { try await answer.result.answer() }
    #expect(queue.commitCount == commits)
    try await queue.close()
    try file.close()
  }

  /// Lets each commit take four times as long as a commit takes writes.
  private final class SlowDisk: TransactionObserver {
    private let time: NIOLockedValueBox<Duration>

    init(_ time: NIOLockedValueBox<Duration>) {
      self.time = time
    }

    func observes(eventsOfKind eventKind: DatabaseEventKind) -> Bool { false }
    func databaseDidChange(with event: DatabaseEvent) {}
    func databaseDidCommit(_ database: Database) { time.withLockedValue { $0 += GroupCommit.shortestBatch * 4 } }
    func databaseDidRollback(_ database: Database) {}
  }

  @Test("A full disk refuses writes and keeps earlier data; with space again the store works")
  func fullDisk() async throws {
    let browser = try await newBrowser()
    try await store.write(browser) { _ = try $0.append(.sample("before"), at: .earliest) }
    try await limitPages(1)
    let bulk = String(repeating: "x", count: 100_000)
    for _ in 0..<2 {
      let error = await #expect(throws: StoreError.self) {
        try await store.write(browser) { _ = try $0.append(.sample(bulk), at: .earliest) }
      }
      #expect(error == .full)
    }
    let before = String(decoding: AppRegistered.sample("before").json, as: UTF8.self)
    #expect(try await store.read(browser) { try $0.events(after: 0, limit: 9).map(\.detail.text) } == [before])

    try await limitPages(1_000_000)
    let event = try await store.write(browser) { try $0.append(.sample(bulk), at: .earliest) }
    #expect(event.sequence == 2)
    #expect(try await store.read(browser) { try $0.events(after: 1, limit: 9) } == [event])
  }

  @Test("A store with a maximum size refuses writes, until browsers are deleted")
  func maximumSize() async throws {
    let folder = try TemporaryFolder()
    let limited = try SQLiteStore(path: folder.path + "/limited.sqlite")
    try await limited.limitSize(to: 1 << 20)
    let bulk = String(repeating: "x", count: 100_000)
    var names: [BrowserID] = []
    for name in ["first", "second"] {
      let state = BrowserState(now: .earliest)
      names.append(try await limited.create(NewBrowser(name: name, seed: "", clockMode: .manual, state: state)).id)
    }
    func fill(_ browser: BrowserID) async throws -> Int {
      var count = 0
      do {
        while count < 100 {
          try await limited.write(browser) { _ = try $0.append(.sample(bulk), at: .earliest) }
          count += 1
        }
      } catch StoreError.full {}
      return count
    }
    let count = try await fill(names[0])
    #expect((3...10).contains(count))
    for name in names {
      try await limited.write(name) { writer in
        try writer.beginRemoval()
        _ = try writer.append(.sample(bulk), at: .earliest)
      }
    }
    #expect(try await fill(names[1]) == 0)
    try await limited.delete(names[0])
    #expect(try await fill(names[1]) >= count - 1)
    try await limited.close()

    // The file is larger than this limit, and keeps its size.
    let smaller = try SQLiteStore(path: folder.path + "/limited.sqlite")
    try await smaller.limitSize(to: 1)
    #expect(try await smaller.browsers().map(\.name) == ["second"])
    await #expect(throws: StoreError.full) {
      for _ in 0..<5 { try await smaller.write(names[1]) { _ = try $0.append(.sample(bulk), at: .earliest) } }
    }
    try await smaller.close()
  }

  @Test("The write-ahead log of a large transaction does not stay large")
  func largeTransaction() async throws {
    let browser = try await newBrowser()
    try await exceedLargestLog(browser)
    try await store.checkWritable()
    #expect(store.file.logSize < 1 << 20)
    #expect(try await store.read(browser) { try $0.nextSequence() } == 37)
  }

  /// A read that prevents a checkpoint raises the limit, so that not each commit waits for it.
  @Test("After a read that kept the write-ahead log large, the log is emptied at its usual size")
  func largeTransactionAfterALongRead() async throws {
    let browser = try await newBrowser()
    // A checkpoint fails at once, instead of after the usual timeout.
    try await store.file.pool.writeWithoutTransaction { try $0.execute(sql: "PRAGMA busy_timeout = 0") }
    let read = try store.file.pool.makeSnapshot()
    try await exceedLargestLog(browser)
    try await store.checkWritable()
    #expect(store.file.logSize > DatabaseFile.largestLog)
    try read.close()

    // The first commit completes a checkpoint, and the next one begins the log anew and truncates it.
    for _ in 0..<2 { try await store.checkWritable() }
    #expect(store.file.logSize < DatabaseFile.largestLog)
    try await exceedLargestLog(browser)
    try await store.checkWritable()
    #expect(store.file.logSize < 1 << 20)
  }

  /// Commits events that are larger than the largest log.
  private func exceedLargestLog(_ browser: BrowserID) async throws {
    let bulk = String(repeating: "x", count: 1_000_000)
    try await store.write(browser) { rows in
      for _ in 0..<36 { try rows.append(.sample(bulk), at: .earliest) }
    }
  }

  @Test("On a full disk, the writes that still fit are kept, and each refused one is refused alone")
  func fullDiskAmongMany() async throws {
    let browser = try await newBrowser()
    try await limitPages(1)
    let bulk = String(repeating: "x", count: 100_000)
    await withTaskGroup { group in
      for number in 0..<40 {
        group.addTask { [store] in
          let detail = number % 2 == 0 ? bulk : "small"
          let event = try? await store.write(browser) { try $0.append(.sample(detail), at: .earliest) }
          #expect((event == nil) == (number % 2 == 0))
        }
      }
    }
    #expect(try await store.read(browser) { try $0.events(after: 0, limit: 99).map(\.sequence) } == Array(1...20))
  }

  /// SQLite never goes below the present size, so that a small number means: not one page more.
  private func limitPages(_ count: Int) async throws {
    try await store.file.pool.writeWithoutTransaction { try $0.execute(sql: "PRAGMA max_page_count = \(count)") }
  }

  @Test("Asking whether the store can be written to writes")
  func checkWritable() async throws {
    let before = try await probe()
    try await store.checkWritable()
    #expect(try await probe() == before + 1)
  }

  private func probe() async throws -> Int {
    try await store.file.pool.read { try Int.fetchOne($0, sql: "SELECT writes FROM probe") ?? -1 }
  }
}
