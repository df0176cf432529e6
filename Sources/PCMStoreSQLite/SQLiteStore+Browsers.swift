import GRDB
package import PCMCore
package import PCMStore

extension SQLiteStore {
  enum BrowserSQL {
    static let all = """
      SELECT id, name, seed, clock_mode, start, initial_settings, initial_labels, initial_idle_timeout, created_at, incarnation
      FROM browsers WHERE hidden IS NULL ORDER BY id
      """
    /// A damaged name is not a text, and comes after all others.
    static let listed = """
      SELECT id, name, seed, clock_mode, start, initial_settings, initial_labels, initial_idle_timeout, created_at, incarnation,
        labels, idle_timeout
      FROM browsers WHERE name > ? AND hidden IS NULL AND typeof(name) = 'text' ORDER BY name
      """
    /// Two indexes have these numbers.
    static let count = "SELECT (SELECT count(*) FROM browsers) - (SELECT count(*) FROM browsers WHERE hidden = 2)"
    /// Also finds a copy under way: its name is taken.
    static let named = "SELECT id FROM browsers WHERE name = ?"
    /// The state is written after it, by the same statement as later changes.
    static let create = """
      INSERT INTO browsers (name, seed, clock_mode, start, initial_settings, initial_labels, initial_idle_timeout, created_at,
        incarnation)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
      """
    static let record = """
      SELECT id, name, seed, clock_mode, start, initial_settings, initial_labels, initial_idle_timeout, created_at, incarnation
      FROM browsers WHERE id = ?
      """
    static let recordByName = """
      SELECT id, name, seed, clock_mode, start, initial_settings, initial_labels, initial_idle_timeout, created_at, incarnation
      FROM browsers WHERE name = ? AND hidden IS NULL
      """
    static let reports = """
      SELECT (SELECT count(*) FROM browsers WHERE hidden IS NULL), count(*),
        count(*) FILTER (
          WHERE coalesce(retry_at, reports.due_at) <= CASE clock_mode WHEN 'real' THEN ? ELSE now END)
      FROM browsers CROSS JOIN reports ON reports.browser = browsers.id AND state = 'scheduled' WHERE hidden IS NULL
      """
  }

  package func allBrowsers() async throws -> [Result<BrowserRecord, UnreadableBrowser>] {
    try await view { try $0.rows(BrowserSQL.all, [], of: "browsers") { try $0.browser() } }
  }

  package func browsers(after name: String, limit: Int) async throws -> BrowserListPart {
    try await view { database in
      let rows = try database.rows(BrowserSQL.listed, [name], of: "browsers", limit: limit) { try $0.listedBrowser() }
      return BrowserListPart(rows, limit: limit)
    }
  }

  package func browser(named name: String) async throws -> BrowserRecord? {
    try await view { try $0.row(BrowserSQL.recordByName, [name], of: "browsers", { try $0.browserRecord() }) }
  }

  package func create(
    _ browser: NewBrowser, _ body: @escaping @Sendable (any BrowserWriter) throws -> Void
  ) async throws -> BrowserRecord {
    try browser.requireStorableTimes()
    return try await submit { database, cache in
      guard try database.row(BrowserSQL.named, [browser.name], of: "browsers", { try $0.integer() }) == nil else {
        return .failure(.browserExists(name: browser.name))
      }
      guard try Self.hasRoom(upTo: browser.maximumCount, in: database) else { return .failure(.tooManyBrowsers) }
      try database.run(
        BrowserSQL.create,
        [
          browser.name, browser.seed, browser.clockMode.rawValue, browser.state.now.milliseconds,
          SettingsChange(to: browser.state.settings).json.text, browser.state.upkeep.labels.json.text,
          browser.state.upkeep.idleTimeout?.milliseconds, browser.createdAt.milliseconds, browser.incarnation,
        ])
      let id = database.lastInsertedRowID
      try SQLiteBrowser(database: database, id: id).store(browser.state)
      if let rows = try cache.browser(id, in: database) { try body(rows) }
      let record = BrowserRecord(browser, id: BrowserID(id))
      try Self.saveCreationRequest(browser.creation, in: database, cache)
      return .success(record)
    }.answer()
  }

  /// Returns whether the store has fewer browsers than a maximum. A copy under way is one.
  static func hasRoom(upTo maximumCount: Int, in database: Database) throws -> Bool {
    guard maximumCount < .max else { return true }
    return try database.row(BrowserSQL.count, [], of: "browsers") { try $0.integer() } ?? 0 < maximumCount
  }

  static func saveCreationRequest(_ creation: IdempotentCreation?, in database: Database, _ cache: WriterCache) throws {
    guard let creation else { return }
    try cache.service(in: database).saveCreationRequest(creation)
  }

  package func keptCreation(_ key: String) async throws -> IdempotencyRecord? {
    try await view { try SQLiteBrowser(database: $0, id: SQLiteBrowser.service).row(IdempotencyRecord.self, key) }
  }

  package func counts(at wallNow: Instant) async throws -> StoreCounts {
    try await view { database in
      try database.row(BrowserSQL.reports, [wallNow], of: "browsers") { row in
        StoreCounts(
          browsers: Int(try row.integer()), scheduled: Int(try row.integer()), overdue: Int(try row.integer()))
      } ?? StoreCounts()
    }
  }
}
