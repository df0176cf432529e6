import GRDB
import PCMCore
import PCMStore

/// The writer's cache of each browser's state and the end of its log. Only the writer changes them, because a second process
/// cannot open the file. A rollback clears the cache.
struct WriterCache: Sendable {
  private var entries: [Int64: Entry] = [:]
  /// The browsers whose state was saved in the current transaction. Each is written once, before the commit.
  private var unsaved: Set<Int64> = []

  struct Entry: Sendable {
    var state: BrowserState
    /// The end of the log; nil until it is needed.
    var logEnd: SQLiteBrowser.LogEnd?
    /// A lower bound for the times of each group, where it is known. It may be earlier than the oldest row, but never later.
    var oldest: [Group: Instant] = [:]
    /// The totals of tables, where they are known.
    var totals: [String: RowTotal] = [:]
    /// The rule lists that are in the table.
    var keptRules: Set<String> = []
  }

  /// A group of a table that is listed by time.
  struct Group: Hashable {
    let table: String
    let group: StoredValue?
  }

  /// Returns the browser's rows for a body, or nil when the browser does not exist.
  mutating func browser(_ id: Int64, in database: Database) throws -> SQLiteBrowser? {
    if let entry = entries[id] { return SQLiteBrowser(database: database, id: id, cache: entry) }
    let stored = SQLiteBrowser(database: database, id: id)
    guard let state = try stored.storedState() else { return nil }
    let entry = Entry(state: state)
    entries[id] = entry
    return SQLiteBrowser(database: database, id: id, cache: entry)
  }

  /// Stores the cache of a body's rows.
  mutating func keep(_ browser: SQLiteBrowser) {
    guard let entry = browser.cache else { return }
    if entries[browser.id]?.state != entry.state { unsaved.insert(browser.id) }
    entries[browser.id] = entry
  }

  /// Writes the states that were saved in the transaction.
  mutating func flush(to database: Database) throws {
    for id in unsaved {
      guard let state = entries[id]?.state else { continue }
      try SQLiteBrowser(database: database, id: id).store(state)
    }
    unsaved.removeAll(keepingCapacity: true)
  }

  mutating func forget(_ id: Int64) {
    entries[id] = nil
    unsaved.remove(id)
  }

  mutating func forgetAll() {
    self = WriterCache()
  }
}
