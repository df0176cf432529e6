import GRDB
import PCMCore
package import PCMStore

extension SQLiteStore {
  enum BrowserSQL {
    static let all = "SELECT id, name, seed, clock_mode FROM browsers ORDER BY id"
    static let named = "SELECT id FROM browsers WHERE name = ?"
    /// The state is written behind it, by the statement that every later change uses.
    static let create = """
      INSERT INTO browsers (name, seed, clock_mode, measurement_enabled, private_browsing, debug_mode, delivery_policy,
        report_url, now, draws)
      VALUES (?, ?, ?, 0, 0, 0, '', '', 0, '{}')
      """
    static let delete = "DELETE FROM browsers WHERE id = ?"
    static let plain = [named, create, delete]
  }

  package func browsers() async throws -> [BrowserRecord] {
    try await view { database in
      let rows = try Row.fetchCursor(database.cachedStatement(sql: BrowserSQL.all))
      var records: [BrowserRecord] = []
      while let row = try rows.next() {
        var reader = RowReader(row, of: "browsers")
        records.append(
          BrowserRecord(
            id: BrowserID(try reader.integer()), name: try reader.text(), seed: try reader.text(),
            clockMode: try reader.named()))
      }
      return records
    }
  }

  package func create(_ browser: NewBrowser) async throws -> BrowserRecord {
    try await commit { database, _ in
      let named = try database.cachedStatement(sql: BrowserSQL.named)
      guard try Row.fetchOne(named, arguments: [browser.name]) == nil else {
        return .failure(.browserExists(name: browser.name))
      }
      let create = try database.cachedStatement(sql: BrowserSQL.create)
      try create.execute(arguments: [browser.name, browser.seed, browser.clockMode.rawValue])
      let id = database.lastInsertedRowID
      try SQLiteBrowser(database: database, id: id).store(browser.state)
      return .success(
        BrowserRecord(id: BrowserID(id), name: browser.name, seed: browser.seed, clockMode: browser.clockMode))
    }
  }

  package func delete(_ browser: BrowserID) async throws {
    try await commit { database, cache in
      try database.cachedStatement(sql: BrowserSQL.delete).execute(arguments: [browser.number])
      cache.forget(browser.number)
      return .success(())
    }
  }
}
