import GRDB
import PCMCore
import PCMStore

/// What the one writer knows without asking: each browser's state and next event number. Only it changes them, since a
/// second process is refused. A rollback drops everything.
struct WriterCache: Sendable {
  private var entries: [Int64: Entry] = [:]
  /// Browsers whose state was saved in the running transaction; each is written once, before the commit.
  private var unsaved: Set<Int64> = []

  struct Entry: Sendable {
    var state: BrowserState
    /// Nil until the first event is appended.
    var nextSequence: Int64?
    /// An instant before which no click of the table was made; nil until it is asked for. It may be earlier than the
    /// oldest click, never later.
    var oldestClick: Instant?
    /// Lists of rules that are known to be in their table.
    var keptRules: Set<String> = []
  }

  /// The browser's rows for a body; nil when the browser is gone.
  mutating func browser(_ id: Int64, in database: Database) throws -> SQLiteBrowser? {
    if let entry = entries[id] { return SQLiteBrowser(database: database, id: id, cache: entry) }
    let stored = SQLiteBrowser(database: database, id: id)
    guard let state = try stored.storedState() else { return nil }
    let entry = Entry(state: state)
    entries[id] = entry
    return SQLiteBrowser(database: database, id: id, cache: entry)
  }

  /// Takes over what a body has left in its rows' cache.
  mutating func keep(_ browser: SQLiteBrowser) {
    guard let entry = browser.cache else { return }
    if entries[browser.id]?.state != entry.state { unsaved.insert(browser.id) }
    entries[browser.id] = entry
  }

  /// Writes the states that the transaction's bodies saved.
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
