import PCMCore

/// A row of a table: the values of its columns.
package typealias CopiedRow = [StoredValue]

/// A table that each database has with these columns.
package struct CopiedTable: Hashable, Sendable {
  package let name: String
  /// The columns other than the browser's number.
  package let columns: [String]
  /// The columns of the primary key other than the browser's number.
  package let key: [String]
  /// Whether a row has the number of a browser.
  package let hasBrowser: Bool

  private init(name: String, columns: [String], key: [String], hasBrowser: Bool = true) {
    (self.name, self.columns, self.key, self.hasBrowser) = (name, columns, key, hasBrowser)
  }

  private init(_ table: RowTable) {
    self.init(name: table.name, columns: table.columnNames, key: table.primaryKey)
  }

  /// Returns the row of a browser with its claim, if any, abandoned: at the target, the claim's number may belong to another instance.
  static func abandoned(_ row: CopiedRow) -> CopiedRow {
    var row = row
    if let column = browsers.columns.firstIndex(of: "claimed_by"), row[column] != .null { row[column] = .integer(0) }
    return row
  }

  /// Returns the values of the key.
  package func key(of row: CopiedRow) -> [StoredValue] {
    key.compactMap { column in columns.firstIndex(of: column).map { row[$0] } }
  }

  /// The row of a browser. A database may have further columns, which follow from other rows.
  package static let browsers = CopiedTable(
    name: "browsers",
    columns: [
      "name", "created_at", "incarnation", "seed", "clock_mode", "start", "initial_settings", "initial_labels",
      "initial_idle_timeout", "settings", "labels", "idle_timeout", "now", "timer", "network", "registry", "journal_count",
      "journal_bytes", "journal_ending", "draws", "due_at", "claimed_by", "fence",
    ], key: [])

  /// The rows of a browser.
  package static let ofBrowser =
    [
      CopiedTable(name: "events", columns: ["sequence", "at", "kind", "detail"], key: ["sequence"]),
      CopiedTable(
        name: "event_subjects", columns: ["block", "subject", "sequence"], key: ["block", "subject", "sequence"]),
      keptRequests,
    ]
    + [
      AppRecord.table, SiteRecord.table, ClickRow.table, AttributionRow.table, Report.table, Postback.table, DeviceRow.table,
      JournalEntry.table,
    ].map { CopiedTable($0) }

  /// The rows of the service: the rule lists of all browsers, and the requests that created browsers.
  package static let ofService = [
    CopiedTable(name: "rule_lists", columns: ["id", "rules"], key: ["id"], hasBrowser: false), keptRequests,
  ]

  private static let keptRequests = CopiedTable(IdempotencyRecord.table)
}

/// A store whose rows are copied to another database.
package protocol CopiedStore: Store {
  /// Throws `StoreError.unavailable` when another process uses the data, or has begun to since the store was opened.
  func requireSoleUse() async throws

  /// Whether there is neither a browser nor a request that created one.
  func isEmpty() async throws -> Bool

  /// Returns the row of a browser.
  func row(of browser: BrowserID) async throws -> CopiedRow

  /// Returns the first rows after a key, in the order of their keys.
  ///
  /// - Parameters:
  ///   - browser: Nil for the rows of the service.
  ///   - key: Nil for the first rows of the table.
  func rows(
    of table: CopiedTable, _ browser: BrowserID?, after key: [StoredValue]?, limit: Int
  ) async throws -> [CopiedRow]

  /// Adds a browser that is hidden until `finishCopy`. The next opening of the store removes it if it still is.
  func addHidden(_ row: CopiedRow) async throws -> BrowserID

  /// Adds rows of a hidden browser.
  func add(_ rows: [CopiedRow], to table: CopiedTable, of browser: BrowserID) async throws

  /// Adds the rows of the service, and makes the hidden browsers visible, in one transaction. Throws like `requireSoleUse`, because
  /// another process may have removed the hidden browsers.
  func finishCopy(_ service: [(table: CopiedTable, rows: [CopiedRow])]) async throws
}

extension CopiedStore {
  /// A store with one owner excludes others itself.
  package func requireSoleUse() async throws {}
}
