import PCMCore
package import PCMStore

/// The tables with rows of browsers.
enum BrowserTables {
  /// The columns after the number of the browser, by table.
  static let all =
    TableSQL.tables.map { ($0.table.name, $0.table.columnNames) }
    + [("events", ["sequence", "at", "kind", "detail"]), ("event_subjects", ["block", "subject", "sequence"])]

  static let remove = all.map { "DELETE FROM \($0.0) WHERE browser = $1" }

  /// The parts of a statement that copy the rows of a browser to the browser in `created`. Without kept requests: a repetition
  /// concerns the original, which answers it.
  static let copy = all.filter { $0.0 != IdempotencyRecord.table.name }.map { name, columns in
    let list = columns.joined(separator: ", ")
    return """
      copied_\(name) AS (
        INSERT INTO \(name) (browser, \(list)) SELECT created.copy, \(list) FROM created, \(name) WHERE browser = $1)
      """
  }
}

extension PostgresStore {
  enum ForkSQL {
    static let exists = "SELECT id FROM browsers WHERE id = $1 AND hidden IS NULL"
    /// Copies a browser as it is at one instant: the parts of a statement have one snapshot, and other instances go on writing. Returns
    /// nothing when the name is taken, or reserved for another copy.
    static let copy = """
      WITH created AS (
        INSERT INTO browsers (name, created_at, incarnation, seed, clock_mode, start, initial_settings, settings, now, timer, network,
          registry, journal_count, journal_bytes, journal_ending, draws, next_sequence, last_event_at, due_at, fence)
        SELECT $2::text, $3::bigint, $4::text, seed, clock_mode, start, initial_settings, settings, now, timer, network,
          registry, journal_count, journal_bytes, journal_ending, draws, next_sequence, last_event_at, due_at, fence
        FROM browsers
        WHERE id = $1 AND hidden IS NULL AND pg_try_advisory_xact_lock(\(BrowserSQL.nameLock("$2")))
        ON CONFLICT (name) DO NOTHING RETURNING id AS copy
      ), \(BrowserTables.copy.joined(separator: ", "))
      SELECT copy FROM created
      """
  }

  /// Copies the rows in one transaction of a separate connection. The lock of the name makes creations fail that would otherwise wait
  /// for its end.
  package func fork(_ browser: BrowserID, as copy: BrowserCopy) async throws -> BrowserRecord {
    try copy.createdAt.requireStorable()
    // After it, all earlier writes to the browser are committed.
    try await write(browser) { _ in }
    return try await submit(to: keeper) { transaction in
      let values: [any ColumnValue] = [browser.number, copy.name, copy.createdAt, copy.incarnation]
      guard let id = try transaction.change(ForkSQL.copy, values).map(of: "browsers", { try $0.integer() }).first else {
        let original = try transaction.row(ForkSQL.exists, [browser.number], of: "browsers") { try $0.integer() }
        throw original == nil ? StoreError.unknownBrowser : StoreError.browserExists(name: copy.name)
      }
      if copy.creation != nil || copy.maximumCount < .max {
        try transaction.lock([PostgresBrowser.service])
        try transaction.requireCount(upTo: copy.maximumCount)
        try transaction.saveCreationRequest(copy.creation)
      }
      guard let record = try transaction.row(BrowserSQL.find, [id], of: "browsers", { try $0.browserRecord() }) else {
        throw StoreError.unknownBrowser
      }
      return record
    }.answer()
  }
}
