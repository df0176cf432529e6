import GRDB
import PCMCore
import PCMStore
import Testing

@testable import PCMStoreSQLite

@Suite struct ForkedTablesTests {
  @Test("Copies and removals know every table with rows of browsers")
  func tables() async throws {
    let folder = try TemporaryFolder()
    let store = try folder.open()
    let tables = try await store.file.pool.read { database in
      try String.fetchAll(database, sql: "SELECT name FROM sqlite_master WHERE type = 'table'").filter { table in
        try database.columns(in: table).contains { $0.name == "browser" }
      }
    }
    #expect(tables.sorted() == BrowserTable.all.map(\.name).sorted())
  }

  @Test("The deletion of a browser removes its rows from every such table")
  func deletion() async throws {
    let folder = try TemporaryFolder()
    let store = try folder.open()
    let new = NewBrowser(name: "one", seed: "s", clockMode: .manual, state: BrowserState(now: .earliest))
    let browser = try await store.create(new).id
    try await store.write(browser) { try $0.fill() }
    let empty = try await Self.emptyTables(of: store)
    #expect(empty == [], "each table has a row")
    try await store.delete(browser)
    #expect(try await Self.emptyTables(of: store) == BrowserTable.forked.map(\.name))
  }

  private static func emptyTables(of store: SQLiteStore) async throws -> [String] {
    try await store.file.pool.read { database in
      try BrowserTable.forked.map(\.name).filter { try Int.fetchOne(database, sql: "SELECT count(*) FROM \($0)") == 0 }
    }
  }

  @Test("Each step of a copy or a removal finds its rows with the whole key", arguments: BrowserTable.all.map(\.name))
  func plan(_ name: String) async throws {
    let folder = try TemporaryFolder()
    let store = try folder.open()
    let table = try #require(BrowserTable.all.first { $0.name == name })
    let plans = try await store.file.pool.read { database in
      let sql = try BrowserTableSQL(table, in: database)
      return try [sql.find, sql.copyFirst, sql.copyNext, sql.remove].map { try Self.plan($0, in: database) }
    }
    let key = try await store.file.pool.read { try $0.primaryKey(name).columns.filter { $0 != "browser" } }
    for step in plans.joined() { #expect(!step.hasPrefix("SCAN") && !step.contains("TEMP B-TREE"), "\(step)") }
    let range = key.count == 1 ? "\(key[0])>?" : "(\(key.joined(separator: ",")))>"
    #expect(plans[2].contains { $0.contains(range) }, "\(plans[2])")
  }

  private static func plan(_ sql: String, in database: Database) throws -> [String] {
    let statement = try database.makeStatement(sql: "EXPLAIN QUERY PLAN " + sql)
    statement.setUncheckedArguments([])
    return try Row.fetchAll(statement).map { $0["detail"] as String }
  }
}
