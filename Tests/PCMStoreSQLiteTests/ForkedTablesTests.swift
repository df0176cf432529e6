import GRDB
import PCMCore
import PCMStore
import Testing

@testable import PCMStoreSQLite

@Suite struct ForkedTablesTests {
  @Test("A fork copies every table with rows of browsers")
  func tables() async throws {
    let folder = try TemporaryFolder()
    let store = try folder.open()
    let tables = try await store.file.pool.read { database in
      try String.fetchAll(database, sql: "SELECT name FROM sqlite_master WHERE type = 'table'").filter { table in
        try database.columns(in: table).contains { $0.name == "browser" }
      }
    }
    // A repeated request is one of the original, and is answered by it.
    #expect(tables.sorted() == (SQLiteStore.BrowserSQL.forkedTables + ["kept_requests"]).sorted())
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
    #expect(try await Self.emptyTables(of: store) == SQLiteStore.BrowserSQL.forkedTables)
  }

  private static func emptyTables(of store: SQLiteStore) async throws -> [String] {
    try await store.file.pool.read { database in
      try SQLiteStore.BrowserSQL.forkedTables.filter { try Int.fetchOne(database, sql: "SELECT count(*) FROM \($0)") == 0 }
    }
  }

  @Test("The copy of a table searches for the rows of its browser", arguments: SQLiteStore.BrowserSQL.forkedTables)
  func plan(_ table: String) async throws {
    let folder = try TemporaryFolder()
    let store = try folder.open()
    let plan = try await store.file.pool.read { database in
      let sql = SQLiteStore.BrowserSQL.copy(table, columns: try database.columns(in: table).map(\.name))
      let statement = try database.makeStatement(sql: "EXPLAIN QUERY PLAN " + sql)
      statement.setUncheckedArguments([])
      return try Row.fetchAll(statement).map { $0["detail"] as String }
    }
    #expect(!plan.isEmpty && plan.allSatisfy { !$0.hasPrefix("SCAN") }, "\(plan)")
  }
}
