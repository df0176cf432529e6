import GRDB
import PCMCore
import PCMStore

extension SQLiteBrowser {
  enum StateSQL {
    static let find = """
      SELECT id, measurement_enabled, private_browsing, debug_mode, delivery_policy, report_url,
        log_maximum_count, log_maximum_age, labels, idle_timeout, now, timer, network,
        journal_count, journal_bytes, journal_ending
      FROM browsers WHERE id = ? AND hidden IS NULL
      """
    /// SQLite parses the text, so that a dictionary of numbers needs no JSON parser.
    static let draws = "SELECT key, value FROM json_each((SELECT draws FROM browsers WHERE id = ?))"
    static let update = """
      UPDATE browsers SET measurement_enabled = ?2, private_browsing = ?3, debug_mode = ?4, delivery_policy = ?5,
        report_url = ?6, now = ?7, timer = ?8, draws = ?9, log_maximum_count = ?10, log_maximum_age = ?11,
        labels = ?12, idle_timeout = ?13, network = ?14, journal_count = ?15,
        journal_bytes = ?16, journal_ending = ?17 WHERE id = ?1
      """
    static let exists = "SELECT id FROM browsers WHERE id = ? AND hidden IS NULL"
    static let plain = [find, update, exists]
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
      let measurement = MeasurementSettings(
        measurementEnabled: try row.flag(), privateBrowsing: try row.flag(), debugMode: try row.flag())
      let settings = BrowserSettings(
        measurement: measurement, deliveryPolicy: try row.named(), reportURL: try row.named(),
        logRetention: LogRetention(
          maximumCount: try row.integer(in: LogRetention.counts), maximumAge: try row.interval(in: LogRetention.ages)))
      var state = BrowserState(
        settings: settings, upkeep: try row.upkeep(), now: try row.instant(), timer: try row.optionalInstant(), draws: draws,
        network: try row.named())
      state.journal = JournalTotal(
        count: Int64(try row.count()), byteCount: try row.count(), ending: try row.optionalNamed())
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
      throw StoreError.unreadable(UnreadableRow(table: "browsers", row: "\(id)", column: "draws"))
    } catch StoreError.unreadable {
      throw StoreError.unreadable(UnreadableRow(table: "browsers", row: "\(id)", column: "draws"))
    }
    return draws
  }

  func store(_ state: BrowserState) throws {
    let settings = state.settings
    try database.run(
      StateSQL.update,
      [
        id, settings.measurement.measurementEnabled, settings.measurement.privateBrowsing, settings.measurement.debugMode,
        settings.deliveryPolicy.rawValue, settings.reportURL.rawValue, state.now.milliseconds, state.timer?.milliseconds,
        state.drawsText, settings.logRetention.maximumCount, settings.logRetention.maximumAge.milliseconds,
        state.upkeep.labels.json.text, state.upkeep.idleTimeout?.milliseconds,
        state.network.rawValue, state.journal.count, state.journal.byteCount, state.journal.ending?.rawValue,
      ])
  }
}

extension BrowserState {
  /// The positions of the random streams as a JSON object, by name.
  fileprivate var drawsText: String {
    JSON.object(draws.sorted { $0.key < $1.key }.map { JSON.Member($0.key, .number($0.value)) }).text
  }
}
