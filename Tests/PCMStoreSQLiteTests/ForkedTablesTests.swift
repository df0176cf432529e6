import GRDB
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
