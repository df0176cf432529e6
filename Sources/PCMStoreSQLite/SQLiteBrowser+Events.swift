import PCMCore
import PCMStore

extension SQLiteBrowser {
  enum EventSQL {
    static let last = "SELECT sequence, at FROM events WHERE browser = ? ORDER BY sequence DESC LIMIT 1"
    static let append = "INSERT INTO events (browser, sequence, at, kind, detail) VALUES (?, ?, ?, ?, ?)"
    static let saveRuleList = "INSERT OR IGNORE INTO rule_lists (id, rules) VALUES (?, ?)"
    static let remove = "DELETE FROM events WHERE browser = ? AND sequence < ?"
    static let removeFromIndex = "DELETE FROM event_subjects WHERE browser = ? AND block < ?"
    /// One statement for up to this many subjects of an event. A separate statement for each would cost as much as the
    /// event.
    static let index = (1...7).map { count in
      let rows = (0..<count).map { "(?1, ?2, ?\($0 + 4), ?3)" }.joined(separator: ", ")
      return "INSERT INTO event_subjects (browser, block, subject, sequence) VALUES \(rows)"
    }
  }

  func firstSequence() throws -> Int64 { try oldestSequence() ?? nextSequence() }

  func nextSequence() throws -> Int64 { try lastEvent().sequence + 1 }

  func lastEventAt() throws -> Instant? { try lastEvent().at }

  private func lastEvent() throws -> LogEnd {
    if let logEnd { return logEnd }
    // The last event may have a number before the first one, which another event would then also have.
    _ = try oldestSequence()
    let last = try database.row(EventSQL.last, [id], of: "events") { LogEnd(sequence: try $0.number(), at: try $0.instant()) }
    let end = last ?? LogEnd(sequence: 0, at: nil)
    logEnd = end
    return end
  }

  /// The number and the time of the last event; 0 and nil for an empty log.
  struct LogEnd: Sendable {
    let sequence: Int64
    let at: Instant?
  }

  @discardableResult
  func append(_ event: any BrowserEvent, at instant: Instant) throws -> LogEvent {
    try keepRules(of: event)
    let end = try lastEvent()
    let logged = LogEvent(sequence: end.sequence + 1, at: max(instant, end.at ?? instant), event)
    try logged.at.requireStorable()
    try database.run(EventSQL.append, [id, logged.sequence, logged.at.milliseconds, logged.kind.rawValue, logged.detail.text])
    try index(event, at: logged.sequence)
    logEnd = LogEnd(sequence: logged.sequence, at: logged.at)
    appended.append(event)
    return logged
  }

  private func index(_ event: any BrowserEvent, at sequence: Int64) throws {
    var subjects = event.indexedSubjects(at: sequence)[...]
    while !subjects.isEmpty {
      let row = subjects.prefix(EventSQL.index.count)
      subjects = subjects.dropFirst(row.count)
      let values: [any ColumnValue] = [id, LogBlock.number(of: sequence), sequence] + Array(row)
      try database.run(EventSQL.index[row.count - 1], values)
    }
  }

  func removeEvents(before sequence: Int64) throws {
    let block = LogBlock.number(of: min(sequence, try nextSequence() - 1))
    try database.run(EventSQL.remove, [id, block * LogBlock.size])
    try database.run(EventSQL.removeFromIndex, [id, block])
  }

  private func keepRules(of event: any BrowserEvent) throws {
    guard let rules = event.decision?.rules, !keptRules.contains(rules.id), let list = rules.list
    else { return }
    try database.run(EventSQL.saveRuleList, [list.id, list.text])
    keptRules.insert(list.id)
  }
}
