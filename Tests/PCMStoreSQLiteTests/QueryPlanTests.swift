import GRDB
import PCMStore
import Testing

@testable import PCMStoreSQLite

@Suite struct QueryPlanTests {
  /// All but three: the list of browsers and the counts concern all of them, and the draws are read out of one row's JSON.
  static let statements =
    TableSQL.tables.flatMap { statements(of: $0.table) } + states + events + SQLiteBrowser.sql.all + browsers

  private static let states = [SQLiteBrowser.StateSQL.find, SQLiteBrowser.StateSQL.update, SQLiteBrowser.StateSQL.exists]

  private static let events = [
    SQLiteBrowser.EventSQL.last, SQLiteBrowser.EventSQL.append, SQLiteBrowser.EventSQL.index[0], SQLiteBrowser.EventSQL.remove,
    SQLiteBrowser.EventSQL.removeFromIndex, SQLiteBrowser.EventSQL.saveRuleList,
  ]

  private static let browsers = [
    SQLiteStore.BrowserSQL.named, SQLiteStore.BrowserSQL.create, SQLiteStore.BrowserSQL.record,
    SQLiteStore.BrowserSQL.recordByName, SQLiteStore.BrowserSQL.listed, SQLiteStore.ForkSQL.begin, SQLiteStore.ForkSQL.finish,
    SQLiteStore.DeletionSQL.hide, SQLiteStore.DeletionSQL.hidden, SQLiteStore.DeletionSQL.remove, SQLiteStore.ClaimSQL.due,
  ]

  /// The statements that rows of a table use.
  private static func statements(of table: RowTable) -> [String] {
    let (sql, isGrouped) = (TableSQL(table), table.group.map(table.key.contains) ?? true)
    return [sql.find, sql.after, sql.save, sql.remove] + [isGrouped ? sql.removeAll : sql.afterInAll]
      + (table.hasTimesOfGroups ? [sql.before, sql.oldest] : [])
      + (table.times.isEmpty || table.hasTimesOfGroups && table.group != nil ? [] : [sql.earliest])
      + (table.hasSizes ? [sql.size, sql.sizes] : [])
      + (table.columnNames.contains("destination") ? [sql.naming] : []) + (table.hasOrderOfKeys ? [sql.from] : [])
  }

  @Test("No statement reads a whole table or sorts its rows", arguments: statements)
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
