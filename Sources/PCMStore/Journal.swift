/// A call in the journal of a browser. The journal contains the calls that changed the browser, in the order in which they took
/// effect, for a replay.
package struct JournalEntry: Hashable, Sendable {
  /// The number in the journal. The first is 1.
  package let number: Int64
  package let text: String
}

/// Why a journal ended. An ended journal is empty and accepts no entries.
package enum JournalEnding: String, Hashable, Sendable, CaseIterable {
  /// An entry exceeded a limit.
  case full
  /// The process stopped, or the store failed, while a call took effect.
  case interrupted
}

/// The limits of a journal.
package struct JournalLimits: Hashable, Sendable {
  package let maximumCount: Int
  /// The maximum number of bytes of all texts.
  package let maximumBytes: Int

  package init(maximumCount: Int, maximumBytes: Int) {
    self.maximumCount = maximumCount
    self.maximumBytes = maximumBytes
  }

  package func areExceeded(count: Int, byteCount: Int) -> Bool { count > maximumCount || byteCount > maximumBytes }
}

/// The progress of a journal, in the state of its browser.
package struct JournalTotal: Hashable, Sendable {
  package var count: Int64 = 0
  /// The number of bytes of all texts.
  package var byteCount = 0
  /// Nil while the journal is kept.
  package var ending: JournalEnding?

  package init(count: Int64 = 0, byteCount: Int = 0, ending: JournalEnding? = nil) {
    (self.count, self.byteCount, self.ending) = (count, byteCount, ending)
  }
}

extension JournalEntry: StoredRow {
  package static let table = RowTable(
    name: "journal", columns: ["number INTEGER NOT NULL", "text TEXT NOT NULL"], key: ["number"], position: "number")

  package var rowKey: Int64 { number }
  package var columns: [any ColumnValue] { [number, text] }

  package init(columns row: inout RowReader) throws {
    self.init(number: try row.number(), text: try row.text())
  }

  package static func table(in tables: MemoryTables) -> MemoryTable<JournalEntry> { tables.journal }
}

extension BrowserReader {
  /// Returns the entries of the journal in order; none after its end.
  package func journal() throws -> [JournalEntry] { try rows(.after(0, limit: .max)) }
}

extension BrowserWriter {
  /// Adds an entry to the journal. An entry that exceeds a limit ends the journal instead.
  ///
  /// - Returns: Whether the journal is still kept.
  package func addToJournal(_ text: String, within limits: JournalLimits) throws -> Bool {
    var state = try state()
    guard state.journal.ending == nil else { return false }
    state.journal.count += 1
    state.journal.byteCount += text.utf8.count
    guard !limits.areExceeded(count: Int(state.journal.count), byteCount: state.journal.byteCount) else {
      try endJournal(.full)
      return false
    }
    try save(state)
    try save(JournalEntry(number: state.journal.count, text: text))
    return true
  }

  /// Ends the journal for good, and removes its entries. Does nothing when it has ended.
  package func endJournal(_ ending: JournalEnding) throws {
    var state = try state()
    guard state.journal.ending == nil else { return }
    state.journal = JournalTotal(ending: ending)
    try save(state)
    _ = try removeAll(JournalEntry.self, in: nil)
  }
}
