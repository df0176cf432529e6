import GRDB
import PCMCore
import PCMStore
import Testing

@testable import PCMStoreSQLite

/// Copies between files. Copies to another database are in the tests of that database.
@Suite struct CopyTests {
  private let source: TemporaryFolder
  private let target: TemporaryFolder

  init() throws {
    (source, target) = (try TemporaryFolder(), try TemporaryFolder())
  }

  /// Returns a store with a browser that has a row in each table.
  private func filled() async throws -> SQLiteStore {
    let store = try source.open()
    let new = NewBrowser(name: "one", seed: "s", clockMode: .manual, state: BrowserState(now: .earliest))
    let browser = try await store.create(new).id
    try await store.write(browser) { try $0.fill() }
    return store
  }

  @Test("A copy knows every table with rows of browsers, and all of their columns")
  func tables() async throws {
    let store = try source.open()
    let known = CopiedTable.ofBrowser + CopiedTable.ofService
    let columns = try await store.file.pool.read { database in
      let names = try String.fetchAll(
        database, sql: "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'")
      return try Dictionary(uniqueKeysWithValues: names.map { ($0, try database.columns(in: $0).map(\.name)) })
    }
    #expect(Set(columns.keys) == Set(known.map(\.name) + ["browsers", "probe"]))
    for table in known {
      #expect(Set(columns[table.name, default: []]) == Set(table.columns + (table.hasBrowser ? ["browser"] : [])))
    }
    #expect(Set(columns["browsers", default: []]) == Set(CopiedTable.browsers.columns + ["id", "hidden"]))
  }

  @Test("A target with browsers is not changed")
  func usedTarget() async throws {
    let (store, copy) = (try await filled(), try target.open())
    _ = try await copy.create(NewBrowser(name: "two", seed: "s", clockMode: .manual, state: BrowserState(now: .earliest)))
    await #expect(throws: StoreError.unavailable("the target has browsers; name a new folder or an empty database")) {
      _ = try await StoreCopy(from: store, to: copy).run()
    }
    #expect(try await copy.browsers().map(\.name) == ["two"])
  }

  @Test("A copy that is interrupted leaves an empty store")
  func interruption() async throws {
    let store = try await filled()
    let browser = try #require(try await store.browsers().first).id
    let table = CopiedTable.ofBrowser[0]
    let copy = try target.open()
    let hidden = try await copy.addHidden(store.row(of: browser))
    try await copy.add(store.rows(of: table, browser, after: nil, limit: 9), to: table, of: hidden)
    #expect(try await copy.browsers().isEmpty)
    #expect(try await !copy.isEmpty())
    try await copy.close()
    let next = try target.open()
    #expect(try await next.isEmpty())
    #expect(try await next.rows(of: table, hidden, after: nil, limit: 9).isEmpty)
    #expect(try await StoreCopy(from: store, to: next).run().copiedBrowserCount == 1)
    #expect(try await next.browsers().map(\.name) == ["one"])
  }

  @Test("A damaged browser of the source is an error, and nothing is copied")
  func damage() async throws {
    try await filled().close()
    try source.edit("UPDATE browsers SET clock_mode = 'broken'")
    let copy = try target.open()
    await #expect(throws: StoreError.self) { _ = try await StoreCopy(from: source.open(), to: copy).run() }
    #expect(try await copy.isEmpty())
  }
}
