import PCMCore
import PCMStore

extension PostgresBrowser {
  enum StateSQL {
    private static let columns = [
      "settings", "labels", "idle_timeout", "now", "timer", "network", "registry", "journal_count", "journal_bytes",
      "journal_ending", "draws", "next_sequence", "last_event_at", "due_at", "claimed_by", "fence",
    ]
    private static let select = "SELECT id, \(columns.joined(separator: ", ")) FROM browsers"
    static let find = "\(select) WHERE id = $1 AND hidden IS NULL"
    /// The row of the service has 0 in place of null. A changed row that the statement has waited for is returned as it is now.
    static let lock = """
      \(select) WHERE id = ANY ($1::text::bigint[]) AND coalesce(hidden, 0) = 0 ORDER BY id FOR NO KEY UPDATE
      """
    /// Omits rows that other transactions have locked.
    static let lockFree = lock + " SKIP LOCKED"
    static let update =
      "UPDATE browsers SET "
      + columns.enumerated().map { "\($1) = $\($0 + 2)" }.joined(separator: ", ") + " WHERE id = $1"
  }

  /// Returns nil when the browser does not exist.
  static func find(_ id: Int64, in transaction: PostgresTransaction) throws -> PostgresBrowser? {
    try transaction.row(StateSQL.find, [id], of: "browsers") { try Head(columns: &$0) }.map { head in
      PostgresBrowser(in: transaction, id: id, head)
    }
  }

  func state() -> BrowserState { head.state }

  func save(_ state: BrowserState) throws {
    try state.requireStorableTimes()
    head.state = state
  }
}

extension PostgresBrowser.Head {
  /// Reads the row of a browser, from its number on.
  init(columns row: inout RowReader) throws {
    _ = try row.integer()
    state = BrowserState(
      settings: try row.settings(), upkeep: try row.upkeep(), now: try row.instant(), timer: try row.optionalInstant(),
      network: try row.named(), registry: try row.integer())
    state.journal = JournalTotal(
      count: Int64(try row.count()), byteCount: try row.count(), ending: try row.optionalNamed())
    guard case .object(let draws)? = JSON(parsing: Array(try row.text().utf8)) else { throw row.corrupt() }
    for draw in draws {
      guard let count = draw.value.integer else { throw row.corrupt() }
      state.draws[draw.name] = count
    }
    nextSequence = try row.integer(in: 1...RecordName.numbers.upperBound)
    lastEventAt = try row.optionalInstant()
    (state.dueAt, state.claim) = (try row.optionalInstant(), try row.claim())
  }

  /// The values of the columns after the number.
  var columns: [any ColumnValue] {
    let draws = state.draws.sorted { $0.key < $1.key }.map { JSON.Member($0.key, .number($0.value)) }
    return [
      SettingsChange(to: state.settings).json.text, state.upkeep.labels.json.text, state.upkeep.idleTimeout?.milliseconds,
      state.now, state.timer, state.network.rawValue, state.registry, state.journal.count, state.journal.byteCount,
      state.journal.ending?.rawValue, JSON.object(draws).text, nextSequence, lastEventAt, state.dueAt,
      state.claim.instance, state.claim.fence,
    ]
  }
}
