import GRDB
import PCMStore
import Testing

@testable import PCMStoreSQLite

@Suite struct QueryPlanTests {
  /// All but three: the list of browsers and the counts concern all of them, and the draws are read out of one row's JSON.
  static let statements =
    TableSQL.tables.flatMap { TableSQL.plain($0.table) } + SQLiteBrowser.StateSQL.plain + SQLiteBrowser.ReportSQL.plain
    + SQLiteBrowser.EventSQL.plain
    + SQLiteStore.BrowserSQL.plain + SQLiteStore.ForkSQL.plain + SQLiteStore.DeletionSQL.plain

  @Test("No statement walks through a table or sorts what it found", arguments: statements)
  func usesAnIndex(sql: String) async throws {
    let folder = try TemporaryFolder()
    let store = try folder.open()
    let plan = try await store.file.pool.read { database in
      let statement = try database.makeStatement(sql: "EXPLAIN QUERY PLAN " + sql)
      // The plan does not depend on the values, so none are given.
      statement.setUncheckedArguments([])
      return try Row.fetchAll(statement).map { $0["detail"] as String }
    }
    #expect(!plan.isEmpty || sql.hasPrefix("INSERT"))
    for step in plan {
      #expect(!step.hasPrefix("SCAN"), "\(step)")
      #expect(!step.contains("TEMP B-TREE"), "\(step)")
    }
  }
}
