import GRDB
import PCMCore
import PCMStore

extension SQLiteBrowser {
  enum StateSQL {
    static let find = """
      SELECT id, settings, labels, idle_timeout, now, timer, network, registry, journal_count, journal_bytes, journal_ending,
        due_at, claimed_by, fence
      FROM browsers WHERE id = ? AND hidden IS NULL
      """
    /// SQLite parses the text, so that a dictionary of numbers needs no JSON parser.
    static let draws = "SELECT key, value FROM json_each((SELECT draws FROM browsers WHERE id = ?))"
    static let update = """
      UPDATE browsers SET settings = ?2, now = ?3, timer = ?4, draws = ?5, labels = ?6, idle_timeout = ?7, network = ?8,
        journal_count = ?9, journal_bytes = ?10, journal_ending = ?11, registry = ?12, due_at = ?13, claimed_by = ?14,
        fence = ?15 WHERE id = ?1
      """
    static let exists = "SELECT id FROM browsers WHERE id = ? AND hidden IS NULL"
  }

  func exists() throws -> Bool {
    try database.row(StateSQL.exists, [id], of: "browsers") { try $0.integer() } != nil
  }

  func state() throws -> BrowserState {
    if knownState == nil { knownState = try storedState() }
    guard let knownState else { throw StoreError.unknownBrowser }
    return knownState
  }

  func save(_ state: BrowserState) throws {
    try state.requireStorableTimes()
    isUnsaved = isUnsaved || state != knownState
    knownState = state
  }

  /// Writes the state if it was saved since it was written.
  func flush() throws {
    guard isUnsaved, let knownState else { return }
    try store(knownState)
    isUnsaved = false
  }

  /// Returns nil when the browser does not exist.
  func storedState() throws -> BrowserState? {
    let draws = try storedDraws()
    return try database.row(StateSQL.find, [id], of: "browsers") { row in
      _ = try row.integer()
      var state = BrowserState(
        settings: try row.settings(), upkeep: try row.upkeep(), now: try row.instant(), timer: try row.optionalInstant(),
        draws: draws, network: try row.named(), registry: try row.integer())
      state.journal = JournalTotal(
        count: Int64(try row.count()), byteCount: try row.count(), ending: try row.optionalNamed())
      (state.dueAt, state.claim) = (try row.optionalInstant(), try row.claim())
      return state
    }
  }

  private func storedDraws() throws -> [String: Int64] {
    var draws: [String: Int64] = [:]
    do {
      for draw in try database.rows(StateSQL.draws, [id], of: "browsers", { (try $0.text(), try $0.integer()) }) {
        draws[draw.0] = draw.1
      }
    } catch let error as DatabaseError where error.resultCode == .SQLITE_ERROR {
      // SQLite cannot parse the text.
      throw StoreError.unreadable(table: "browsers", row: "\(id)", column: "draws")
    }
    return draws
  }

  func store(_ state: BrowserState) throws {
    try database.run(
      StateSQL.update,
      [
        id, SettingsChange(to: state.settings).json.text, state.now, state.timer, state.drawsText,
        state.upkeep.labels.json.text,
        state.upkeep.idleTimeout?.milliseconds, state.network.rawValue, state.journal.count, state.journal.byteCount,
        state.journal.ending?.rawValue, state.registry, state.dueAt, state.claim.instance, state.claim.fence,
      ])
  }
}

extension BrowserState {
  /// The positions of the random streams as a JSON object, by name.
  fileprivate var drawsText: String {
    JSON.object(draws.sorted { $0.key < $1.key }.map { JSON.Member($0.key, .number($0.value)) }).text
  }
}
