import GRDB
package import PCMStore

extension SQLiteStore: CopiedStore {
  enum CopySQL {
    static let isEmpty = """
      SELECT (SELECT count(*) FROM browsers) + (SELECT count(*) FROM kept_requests WHERE browser = \(SQLiteBrowser.service))
      """
    private static let columns = CopiedTable.browsers.columns.joined(separator: ", ")
    static let browser = "SELECT \(columns) FROM browsers WHERE id = ?"
    static let addHidden =
      "INSERT INTO browsers (\(columns), hidden) VALUES (\(marks(CopiedTable.browsers.columns.count)), 1)"
    static let show = "UPDATE browsers SET hidden = NULL WHERE hidden = 1"

    /// - Parameter isFirst: Whether the rows are the first, and not after a key.
    static func select(_ table: CopiedTable, isFirst: Bool) -> String {
      let key = table.key.joined(separator: ", ")
      let conditions: [String] =
        (table.hasBrowser ? ["browser = ?"] : []) + (isFirst ? [] : ["(\(key)) > (\(marks(table.key.count)))"])
      let filter = conditions.isEmpty ? "" : " WHERE \(conditions.joined(separator: " AND "))"
      return "SELECT \(table.columns.joined(separator: ", ")) FROM \(table.name)\(filter) ORDER BY \(key) LIMIT ?"
    }

    static func insert(_ table: CopiedTable) -> String {
      let columns = (table.hasBrowser ? ["browser"] : []) + table.columns
      return """
        INSERT INTO \(table.name) (\(columns.joined(separator: ", "))) VALUES (\(marks(columns.count))) ON CONFLICT DO NOTHING
        """
    }

    private static func marks(_ count: Int) -> String { Array(repeating: "?", count: count).joined(separator: ", ") }
  }

  package func isEmpty() async throws -> Bool {
    try await view { try $0.row(CopySQL.isEmpty, [], of: "browsers") { try $0.integer() } == 0 }
  }

  package func row(of browser: BrowserID) async throws -> CopiedRow {
    try await view { database in
      let table = CopiedTable.browsers
      let row = try database.row(CopySQL.browser, [browser.number], of: table.name) { try $0.values(table.columns.count) }
      guard let row else { throw StoreError.unknownBrowser }
      return row
    }
  }

  package func rows(
    of table: CopiedTable, _ browser: BrowserID?, after key: [StoredValue]?, limit: Int
  ) async throws -> [CopiedRow] {
    let owner = table.hasBrowser ? [(browser?.number ?? SQLiteBrowser.service).stored] : []
    let values = owner + (key ?? []) + [limit.stored]
    return try await view { database in
      try database.rows(CopySQL.select(table, isFirst: key == nil), values, of: table.name) {
        try $0.values(table.columns.count)
      }
    }
  }

  package func addHidden(_ row: CopiedRow) async throws -> BrowserID {
    try await submit { database, _ in
      try database.run(CopySQL.addHidden, row)
      return .success(BrowserID(database.lastInsertedRowID))
    }.answer()
  }

  package func add(_ rows: [CopiedRow], to table: CopiedTable, of browser: BrowserID) async throws {
    try await submit { database, _ in
      try Self.add(rows, to: table, of: browser.number, in: database)
      return .success(())
    }.answer()
  }

  package func finishCopy(_ service: [(table: CopiedTable, rows: [CopiedRow])]) async throws {
    try await submit { database, _ in
      for (table, rows) in service { try Self.add(rows, to: table, of: SQLiteBrowser.service, in: database) }
      try database.run(CopySQL.show, [])
      return .success(())
    }.answer()
  }

  private static func add(_ rows: [CopiedRow], to table: CopiedTable, of browser: Int64, in database: Database) throws {
    let sql = CopySQL.insert(table)
    for row in rows { try database.run(sql, (table.hasBrowser ? [browser.stored] : []) + row) }
  }
}
