import PCMStore

extension SQLiteBrowser {
  enum JournalSQL {
    static let all = "SELECT number, text FROM journal WHERE browser = ? AND number > 0 ORDER BY number"
    static let ending = "SELECT ending FROM journal WHERE browser = ? AND number = 0"
    /// The first columns are the number of a row with a damaged size, and whether there is one.
    static let total = """
      SELECT max(number) FILTER (WHERE \(RowReader.isDamagedSize)), max(\(RowReader.isDamagedSize)) AS size, max(number),
        sum(size) FILTER (WHERE NOT \(RowReader.isDamagedSize))
      FROM journal WHERE browser = ?
      """
    static let size = "SELECT size FROM journal WHERE browser = ? AND number = ?"
    static let add = "INSERT INTO journal (browser, number, size, text) VALUES (?, ?, ?, ?)"
    static let replace = "UPDATE journal SET size = ?3, text = ?4 WHERE browser = ?1 AND number = ?2"
    static let removeAll = "DELETE FROM journal WHERE browser = ?"
    static let end = "INSERT INTO journal (browser, number, size, ending) VALUES (?, 0, 0, ?)"
    static let plain = [all, ending, total, size, add, replace, removeAll, end]
  }

  /// The number and size of the entries.
  struct JournalTotal {
    var count = 0
    var byteCount = 0
    var hasEnded = false
  }

  func journal() throws -> [JournalEntry] {
    try rows(JournalSQL.all, [id], of: "journal") { JournalEntry(number: try $0.number(), text: try $0.text()) }
  }

  func journalEnding() throws -> JournalEnding? {
    try row(JournalSQL.ending, [id], of: "journal") { try $0.named() }
  }

  func addToJournal(_ text: String, within limits: JournalLimits) throws -> Int64? {
    var total = try journalTotal()
    guard !total.hasEnded else { return nil }
    total.count += 1
    total.byteCount += text.utf8.count
    guard !limits.areExceeded(count: total.count, byteCount: total.byteCount) else {
      try endJournal(.full)
      return nil
    }
    let number = Int64(total.count)
    try execute(JournalSQL.add, [id, number, text.utf8.count, text])
    cache?.journal = total
    return number
  }

  func save(_ entry: JournalEntry, within limits: JournalLimits) throws {
    var total = try journalTotal()
    guard !total.hasEnded, let size = try row(JournalSQL.size, [id, entry.number], of: "journal", { try $0.count() })
    else { return }
    total.byteCount += entry.text.utf8.count - size
    guard !limits.areExceeded(count: total.count, byteCount: total.byteCount) else { return try endJournal(.full) }
    try execute(JournalSQL.replace, [id, entry.number, entry.text.utf8.count, entry.text])
    cache?.journal = total
  }

  func endJournal(_ ending: JournalEnding) throws {
    guard try !journalTotal().hasEnded else { return }
    try execute(JournalSQL.removeAll, [id])
    try execute(JournalSQL.end, [id, ending.rawValue])
    cache?.journal = JournalTotal(hasEnded: true)
  }

  private func journalTotal() throws -> JournalTotal {
    if let known = cache?.journal { return known }
    var total = JournalTotal(hasEnded: try journalEnding() != nil)
    // The numbers are consecutive.
    let stored = try row(JournalSQL.total, [id], of: "journal") { row in
      _ = try row.optionalInteger()
      try row.noDamage()
      return (try row.optionalCount(), try row.optionalCount())
    }
    (total.count, total.byteCount) = (stored?.0 ?? 0, stored?.1 ?? 0)
    cache?.journal = total
    return total
  }
}
