package import PCMStore

extension PostgresStore: CopiedStore {
  enum CopySQL {
    /// Counts the other live instances, and the latest start.
    static let others = """
      SELECT count(*) FROM (
        SELECT id FROM instances WHERE lease_until > clock_timestamp()
        UNION SELECT pg_sequence_last_value(pg_get_serial_sequence('instances', 'id')::regclass)
      ) AS users (id) WHERE id <> $1
      """
    /// Until the end of the transaction, no instance starts.
    static let lockInstances = "LOCK TABLE instances IN SHARE ROW EXCLUSIVE MODE"
    static let isEmpty = """
      SELECT (SELECT count(*) FROM browsers WHERE id <> \(PostgresBrowser.service))
        + (SELECT count(*) FROM kept_requests WHERE browser = \(PostgresBrowser.service))
      """
    private static let columns = CopiedTable.browsers.columns.joined(separator: ", ")
    static let browser = "SELECT \(columns) FROM browsers WHERE id = $1"
    /// The next opening removes the browser while it is hidden, as after a deletion.
    static let addHidden =
      "INSERT INTO browsers (\(columns), hidden) VALUES (\(marks(CopiedTable.browsers.columns.count)), 2) RETURNING id"
    /// The end of the log is in the row of its browser.
    static let show = """
      UPDATE browsers SET hidden = NULL,
        next_sequence = coalesce((SELECT max(sequence) FROM events WHERE browser = browsers.id), 0) + 1,
        last_event_at = (SELECT at FROM events WHERE browser = browsers.id ORDER BY sequence DESC LIMIT 1)
      WHERE hidden = 2
      """

    /// - Parameter isFirst: Whether the rows are the first, and not after a key.
    static func select(_ table: CopiedTable, isFirst: Bool) -> String {
      let key = table.key.joined(separator: ", ")
      let ownerCount = table.hasBrowser ? 1 : 0
      let keyCount = isFirst ? 0 : table.key.count
      let conditions =
        (table.hasBrowser ? ["browser = $1"] : []) + (isFirst ? [] : ["(\(key)) > (\(marks(keyCount, after: ownerCount)))"])
      let filter = conditions.isEmpty ? "" : " WHERE \(conditions.joined(separator: " AND "))"
      return """
        SELECT \(table.columns.joined(separator: ", ")) FROM \(table.name)\(filter)
        ORDER BY \(key) LIMIT $\(ownerCount + keyCount + 1)
        """
    }

    static func insert(_ table: CopiedTable) -> String {
      let columns = (table.hasBrowser ? ["browser"] : []) + table.columns
      return """
        INSERT INTO \(table.name) (\(columns.joined(separator: ", "))) VALUES (\(marks(columns.count))) ON CONFLICT DO NOTHING
        """
    }

    private static func marks(_ count: Int, after first: Int = 0) -> String {
      (0..<count).map { "$\(first + $0 + 1)" }.joined(separator: ", ")
    }
  }

  package func requireSoleUse() async throws { try await view { [self] in try requireSoleUse(in: $0) } }

  private func requireSoleUse(in transaction: PostgresTransaction) throws {
    guard try transaction.row(CopySQL.others, [instance], of: "instances", { try $0.integer() }) == 0 else {
      throw StoreError.unavailable("another instance of pcm-browser uses \(address); stop it, and repeat the copy")
    }
  }

  package func isEmpty() async throws -> Bool {
    try await view { try $0.row(CopySQL.isEmpty, [], of: "browsers") { try $0.integer() } == 0 }
  }

  package func row(of browser: BrowserID) async throws -> CopiedRow {
    try await view { transaction in
      let table = CopiedTable.browsers
      let row = try transaction.row(CopySQL.browser, [browser.number], of: table.name) { try $0.values(table.columns.count) }
      guard let row else { throw StoreError.unknownBrowser }
      return row
    }
  }

  package func rows(
    of table: CopiedTable, _ browser: BrowserID?, after key: [StoredValue]?, limit: Int
  ) async throws -> [CopiedRow] {
    let owner = table.hasBrowser ? [(browser?.number ?? PostgresBrowser.service).stored] : []
    let values = owner + (key ?? []) + [limit.stored]
    return try await view { transaction in
      try transaction.rows(CopySQL.select(table, isFirst: key == nil), values, of: table.name) {
        try $0.values(table.columns.count)
      }
    }
  }

  package func addHidden(_ row: CopiedRow) async throws -> BrowserID {
    try await submit(to: keeper) { transaction in
      guard let id = try transaction.change(CopySQL.addHidden, row).map(of: "browsers", { try $0.integer() }).first else {
        throw StoreError.unknownBrowser
      }
      return BrowserID(id)
    }.answer()
  }

  package func add(_ rows: [CopiedRow], to table: CopiedTable, of browser: BrowserID) async throws {
    try await submit(to: keeper) { $0.add(rows, to: table, of: browser.number) }.answer()
  }

  package func finishCopy(_ service: [(table: CopiedTable, rows: [CopiedRow])]) async throws {
    try await submit(to: keeper) { [self] transaction in
      transaction.run(CopySQL.lockInstances)
      try requireSoleUse(in: transaction)
      for (table, rows) in service { transaction.add(rows, to: table, of: PostgresBrowser.service) }
      transaction.run(CopySQL.show)
    }.answer()
  }
}

extension PostgresTransaction {
  fileprivate func add(_ rows: [CopiedRow], to table: CopiedTable, of browser: Int64) {
    let sql = PostgresStore.CopySQL.insert(table)
    for row in rows { run(sql, (table.hasBrowser ? [browser.stored] : []) + row) }
  }
}
