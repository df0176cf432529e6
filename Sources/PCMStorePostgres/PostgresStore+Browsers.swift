package import PCMCore
package import PCMStore

extension PostgresStore {
  enum BrowserSQL {
    static let columns =
      "id, name, seed, clock_mode, start, initial_settings, initial_labels, initial_idle_timeout, created_at, incarnation"
    private static let record = "SELECT \(columns) FROM browsers"
    static let listed = """
      SELECT \(columns), labels, idle_timeout FROM browsers
      WHERE name > $1 AND hidden IS NULL ORDER BY name LIMIT $2
      """
    static let all = "\(record) WHERE hidden IS NULL ORDER BY id"
    static let count = "SELECT count(*) FROM browsers WHERE hidden IS NULL"
    static let find = "\(record) WHERE id = $1 AND hidden IS NULL"
    static let findByName = "\(record) WHERE name = $1 AND hidden IS NULL"
    /// Returns nothing when the name is taken, or reserved for a copy.
    static let create = """
      INSERT INTO browsers (name, seed, clock_mode, start, initial_settings, initial_labels, initial_idle_timeout, created_at,
        incarnation)
      SELECT $1::text, $2::text, $3::text, $4::bigint, $5::text, $6::text, $7::bigint, $8::bigint, $9::text
      WHERE pg_try_advisory_xact_lock_shared(\(nameLock("$1")))
      ON CONFLICT (name) DO NOTHING RETURNING id
      """
    static let reports = """
      SELECT (SELECT count(*) FROM browsers WHERE hidden IS NULL), count(*),
        count(*) FILTER (
          WHERE coalesce(retry_at, reports.due_at) <= CASE clock_mode WHEN 'real' THEN $1 ELSE now END)
      FROM browsers JOIN reports ON reports.browser = browsers.id AND state = 'scheduled' WHERE hidden IS NULL
      """

    /// The number of the lock that reserves a name for a copy. A creation shares it with others for an instant.
    static func nameLock(_ name: String) -> String { "hashtextextended(current_schema() || '.' || \(name), 0)" }
  }

  package func allBrowsers() async throws -> [Result<BrowserRecord, UnreadableBrowser>] {
    try await view { try $0.rows(BrowserSQL.all, [], of: "browsers") { try $0.browser() } }
  }

  package func browsers(after name: String, limit: Int) async throws -> BrowserListPart {
    try await view { transaction in
      let rows = try transaction.rows(BrowserSQL.listed, [name, limit], of: "browsers") { try $0.listedBrowser() }
      return BrowserListPart(rows, limit: limit)
    }
  }

  package func browser(named name: String) async throws -> BrowserRecord? {
    try await view { try $0.row(BrowserSQL.findByName, [name], of: "browsers", { try $0.browserRecord() }) }
  }

  package func create(
    _ browser: NewBrowser, _ body: @escaping @Sendable (any BrowserWriter) throws -> Void
  ) async throws -> BrowserRecord {
    try browser.requireStorableTimes()
    let locksService = browser.creation != nil || browser.maximumCount < .max
    return try await submit(to: creator, locking: locksService ? [PostgresBrowser.service] : []) { transaction in
      let values: [any ColumnValue] = [
        browser.name, browser.seed, browser.clockMode.rawValue, browser.state.now,
        SettingsChange(to: browser.state.settings).json.text, browser.state.upkeep.labels.json.text,
        browser.state.upkeep.idleTimeout?.milliseconds, browser.createdAt, browser.incarnation,
      ]
      let created = try transaction.change(BrowserSQL.create, values).map(of: "browsers") { try $0.integer() }
      guard let id = created.first else { throw StoreError.browserExists(name: browser.name) }
      try transaction.requireCount(upTo: browser.maximumCount)
      let head = PostgresBrowser.Head(state: browser.state, nextSequence: 1, lastEventAt: nil)
      let rows = PostgresBrowser(in: transaction, id: id, head)
      try body(rows)
      transaction.run(PostgresBrowser.StateSQL.update, [id] + rows.head.columns)
      try transaction.saveCreationRequest(browser.creation)
      return BrowserRecord(browser, id: BrowserID(id))
    }.answer()
  }

  package func keptCreation(_ key: String) async throws -> IdempotencyRecord? {
    try await view { try PostgresBrowser.service(in: $0).row(IdempotencyRecord.self, key) }
  }

  package func counts(at wallNow: Instant) async throws -> StoreCounts {
    // Reads of large pages do not delay it.
    try await submit(to: claimer) { transaction in
      try transaction.row(BrowserSQL.reports, [wallNow], of: "browsers") { row in
        StoreCounts(
          browsers: Int(try row.integer()), scheduled: Int(try row.integer()), overdue: Int(try row.integer()))
      } ?? StoreCounts()
    }.answer()
  }
}

extension PostgresTransaction {
  /// Throws when there are more browsers than a maximum. The row of the service must be locked, so that other instances create none
  /// until the commit.
  func requireCount(upTo maximumCount: Int) throws {
    guard maximumCount < .max else { return }
    let count = try row(PostgresStore.BrowserSQL.count, [], of: "browsers") { try $0.integer() } ?? 0
    guard count <= maximumCount else { throw StoreError.tooManyBrowsers }
  }

  /// Keeps the request that creates a browser. The row of the service must be locked.
  func saveCreationRequest(_ creation: IdempotentCreation?) throws {
    guard let creation else { return }
    try PostgresBrowser.service(in: self).saveCreationRequest(creation)
  }
}
