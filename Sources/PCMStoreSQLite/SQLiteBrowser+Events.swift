import GRDB
import PCMCore
import PCMStore

extension SQLiteBrowser {
  enum EventSQL {
    static let after = """
      SELECT sequence, at, kind, detail FROM events WHERE browser = ? AND sequence > ? ORDER BY sequence LIMIT ?
      """
    static let last = "SELECT sequence FROM events WHERE browser = ? ORDER BY sequence DESC LIMIT 1"
    static let append = "INSERT INTO events (browser, sequence, at, kind, detail) VALUES (?, ?, ?, ?, ?)"
    static let ruleList = "SELECT rules FROM rule_lists WHERE id = ?"
    static let saveRuleList = "INSERT OR IGNORE INTO rule_lists (id, rules) VALUES (?, ?)"
    static let plain = [after, last, append, ruleList, saveRuleList]
  }

  func events(after sequence: Int64, limit: Int) throws -> [LogEvent] {
    try rows(EventSQL.after, [id, sequence, bounded(limit)], of: "events") { row in
      LogEvent(
        sequence: try row.integer(), at: try row.instant(), kind: try row.named(), detail: .verbatim(try row.text()))
    }
  }

  func nextSequence() throws -> Int64 {
    if let known = cache?.nextSequence { return known }
    let next = (try row(EventSQL.last, [id], of: "events") { try $0.integer() } ?? 0) + 1
    cache?.nextSequence = next
    return next
  }

  @discardableResult
  func append(_ event: BrowserEvent, at instant: Instant) throws -> LogEvent {
    try keepRules(of: event)
    let event = LogEvent(sequence: try nextSequence(), at: instant, event)
    try execute(EventSQL.append, [id, event.sequence, instant.milliseconds, event.kind.rawValue, event.detail.text])
    cache?.nextSequence = event.sequence + 1
    return event
  }

  func ruleList(_ id: String) throws -> RuleList? {
    try row(EventSQL.ruleList, [id], of: "rule_lists") { RuleList(text: try $0.text()) }
  }

  private func keepRules(of event: BrowserEvent) throws {
    guard let rules = event.decision?.rules, cache?.keptRules.contains(rules.id) != true, let list = rules.list
    else { return }
    try execute(EventSQL.saveRuleList, [list.id, list.text])
    cache?.keptRules.insert(list.id)
  }
}
