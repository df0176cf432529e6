import GRDB
import PCMCore
import PCMStore
import Testing

@testable import PCMStoreSQLite

/// Copies and removals that take several transactions.
@Suite struct StepTests {
  private let folder: TemporaryFolder
  private let store: SQLiteStore

  /// A log whose copy or removal takes several steps.
  private static let count = 3 * BrowserTable.step

  init() throws {
    folder = try TemporaryFolder()
    store = try folder.open()
  }

  private func newBrowser(_ name: String = "one", events: Int = StepTests.count) async throws -> BrowserID {
    let state = BrowserState(now: .earliest)
    let browser = try await store.create(NewBrowser(name: name, seed: "s", clockMode: .manual, state: state)).id
    try await store.write(browser) { rows in
      for _ in 0..<events { try rows.append(.sample(), at: .earliest) }
    }
    return browser
  }

  private static func copy(_ name: String = "copy") -> BrowserCopy {
    BrowserCopy(name: name, createdAt: .latest, incarnation: "i")
  }

  /// Returns the number of rows that belong to no visible browser.
  private static func remains(in store: SQLiteStore) async throws -> Int {
    try await store.file.pool.read { database in
      var count = try Int.fetchOne(database, sql: "SELECT count(*) FROM browsers WHERE hidden IS NOT NULL") ?? 0
      for table in BrowserTable.all {
        let sql = "SELECT count(*) FROM \(table.name) WHERE browser NOT IN (SELECT id FROM browsers WHERE hidden IS NULL)"
        count += try Int.fetchOne(database, sql: sql) ?? 0
      }
      return count
    }
  }

  @Test("A small browser is copied, and removed, in the transaction of the call")
  func smallBrowser() async throws {
    let browser = try await newBrowser(events: 10)
    var commits = store.commitCount
    let copy = try await store.fork(browser, as: Self.copy()).id
    #expect(store.commitCount == commits + 1)
    commits = store.commitCount
    try await store.delete(copy)
    #expect(store.commitCount == commits + 1)
    #expect(try await Self.remains(in: store) == 0)
  }

  @Test("A long log is copied, and removed, in many transactions of limited size")
  func longLog() async throws {
    let browser = try await newBrowser()
    let steps = Self.count / BrowserTable.step
    var commits = store.commitCount
    let copy = try await store.fork(browser, as: Self.copy()).id
    #expect(store.commitCount >= commits + steps)
    let events = try await store.read(browser) { try $0.events(after: 0, limit: .max) }
    #expect(events.count == Self.count)
    #expect(try await store.read(copy) { try $0.events(after: 0, limit: .max) } == events)

    commits = store.commitCount
    try await store.delete(copy)
    await #expect(throws: StoreError.unknownBrowser) { try await store.read(copy) { try $0.state() } }
    #expect(store.commitCount >= commits + steps)
    #expect(try await Self.remains(in: store) == 0)
    #expect(try await newBrowser("copy", events: 0) != copy, "the name is free")
    #expect(try await store.read(browser) { try $0.events(after: 0, limit: .max) } == events)
  }

  @Test("A row that may be large counts as many, so a step takes few of them")
  func largeRows() async throws {
    let browser = try await newBrowser(events: 0)
    let sites = (0..<100).map { SiteRecord(host: "\($0).example", behavior: "{}", positions: "{}") }
    try await store.write(browser) { rows in for site in sites { try rows.save(site) } }
    let commits = store.commitCount
    let copy = try await store.fork(browser, as: Self.copy()).id
    #expect(store.commitCount >= commits + 4)
    #expect(try await store.read(copy) { try $0.sites() }.count == 100)
    try await store.delete(copy)
    #expect(try await Self.remains(in: store) == 0)
  }

  @Test("Several copies at once are complete")
  func concurrentCopies() async throws {
    let browser = try await newBrowser()
    let copies = try await withThrowingTaskGroup(of: BrowserID.self) { group in
      for number in 0..<4 { group.addTask { [store] in try await store.fork(browser, as: Self.copy("\(number)")).id } }
      return try await group.reduce(into: [BrowserID]()) { $0.append($1) }
    }
    for copy in copies { #expect(try await store.read(copy) { try $0.nextSequence() } == Int64(Self.count) + 1) }
  }

  @Test("A copy whose original is deleted in the meantime is complete or does not exist", arguments: 0..<4)
  func deletedOriginal(_ writes: Int) async throws {
    let browser = try await newBrowser()
    async let fork = store.fork(browser, as: Self.copy())
    for _ in 0..<writes { try await store.checkWritable() }
    try await store.delete(browser)
    do {
      let copy = try await fork.id
      #expect(try await store.read(copy) { try $0.nextSequence() } == Int64(Self.count) + 1)
    } catch StoreError.unknownBrowser {
      #expect(try await store.browsers().isEmpty)
      _ = try await newBrowser("copy", events: 0)
    }
    #expect(try await Self.remains(in: store) == 0)
  }

  @Test("The start removes an incomplete copy, and the rest of a deleted browser", arguments: [1, 2])
  func remains(hidden: Int) async throws {
    let browser = try await newBrowser()
    _ = try await store.fork(browser, as: Self.copy())
    try await store.close()
    // As it is when the process ends between two steps.
    try folder.edit("UPDATE browsers SET hidden = \(hidden) WHERE name = 'copy'")
    if hidden == 2 { try folder.edit("UPDATE browsers SET name = char(1) || id WHERE hidden = 2") }

    let again = try folder.open()
    #expect(try await again.allBrowsers().map { try $0.get().name } == ["one"])
    let state = BrowserState(now: .earliest)
    let copy = try await again.create(NewBrowser(name: "copy", seed: "", clockMode: .manual, state: state)).id
    #expect(try await again.read(copy) { try $0.events(after: 0, limit: 9) }.isEmpty)
    #expect(try await Self.remains(in: again) == 0)
    #expect(try await again.read(browser) { try $0.nextSequence() } == Int64(Self.count) + 1)
    try await again.close()
  }

  @Test("A copy that does not fit is removed, and its name is free")
  func fullDisk() async throws {
    let browser = try await newBrowser()
    try await store.file.pool.writeWithoutTransaction { database in
      let count = try Int.fetchOne(database, sql: "PRAGMA page_count") ?? 0
      // Enough for the first step.
      try database.execute(sql: "PRAGMA max_page_count = \(count + 100)")
    }
    await #expect(throws: StoreError.full) { try await store.fork(browser, as: Self.copy()) }
    #expect(try await store.browsers().map(\.name) == ["one"])
    try await store.file.pool.writeWithoutTransaction { try $0.execute(sql: "PRAGMA max_page_count = 1000000") }
    _ = try await store.fork(browser, as: Self.copy())
  }
}
