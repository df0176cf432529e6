import PCMCore
import PCMStore

extension PostgresBrowser {
  enum EventSQL {
    private static let event = "SELECT sequence, at, kind, detail FROM events"
    static let after = "\(event) WHERE browser = $1 AND sequence > $2 ORDER BY sequence LIMIT $3"
    private static let about = """
      SELECT event.sequence, event.at, event.kind, event.detail
      FROM event_subjects AS subject JOIN events AS event
        ON event.browser = subject.browser AND event.sequence = subject.sequence
      WHERE subject.browser = $1 AND subject.block = $2 AND subject.subject = $3 AND subject.sequence > $4
      """
    static let aboutSubject = "\(about) ORDER BY subject.sequence LIMIT $5"
    static let aboutSubjectOfKind = "\(about) AND event.kind = $6 ORDER BY subject.sequence LIMIT $5"
    static let ofKind =
      "\(event) WHERE browser = $1 AND kind = $2 AND sequence > $3 AND sequence < $4 ORDER BY sequence LIMIT $5"
    static let first = "SELECT sequence FROM events WHERE browser = $1 ORDER BY sequence LIMIT 1"
    static let append = RowInsertion(into: "events", ["browser", "sequence", "at", "kind", "detail"])
    static let index = RowInsertion(into: "event_subjects", ["browser", "block", "subject", "sequence"])
    static let ruleList = "SELECT rules FROM rule_lists WHERE id = $1"
    static let saveRuleList = "INSERT INTO rule_lists (id, rules) VALUES ($1, $2) ON CONFLICT (id) DO NOTHING"
    static let remove = "DELETE FROM events WHERE browser = $1 AND sequence < $2"
    static let removeFromIndex = "DELETE FROM event_subjects WHERE browser = $1 AND block < $2"
  }

  private var log: BrowserTable { table("events") }

  func events(after sequence: Int64, limit: Int) throws -> [LogEvent] {
    try transaction.rows(EventSQL.after, [id, sequence, bounded(limit)], of: log) { try $0.event() }
  }

  func indexedEvents(_ filter: EventFilter, in block: Int64, after sequence: Int64, limit: Int) throws -> [LogEvent] {
    let limit = bounded(limit)
    switch (filter.subject, filter.kind) {
    case (let subject?, nil):
      return try transaction.rows(
        EventSQL.aboutSubject, [id, block, subject, sequence, limit], of: log
      ) { try $0.event() }
    case (let subject?, let kind?):
      return try transaction.rows(
        EventSQL.aboutSubjectOfKind, [id, block, subject, sequence, limit, kind.rawValue], of: log
      ) { try $0.event() }
    case (nil, let kind?):
      let (start, end) = (block * LogBlock.size, (block + 1) * LogBlock.size)
      return try transaction.rows(
        EventSQL.ofKind, [id, kind.rawValue, max(sequence, start - 1), end, limit], of: log
      ) { try $0.event() }
    case (nil, nil): return []
    }
  }

  func firstSequence() throws -> Int64 {
    try transaction.rows(EventSQL.first, [id], of: log) { try $0.integer(in: 1...RecordName.numbers.upperBound) }.first
      ?? head.nextSequence
  }

  func nextSequence() -> Int64 { head.nextSequence }

  func lastEventAt() -> Instant? { head.lastEventAt }

  @discardableResult
  func append(_ event: any BrowserEvent, at instant: Instant) throws -> LogEvent {
    let logged = LogEvent(sequence: head.nextSequence, at: max(instant, head.lastEventAt ?? instant), event)
    try logged.at.requireStorable()
    keepRules(of: event)
    let values: [any ColumnValue] = [id, logged.sequence, logged.at, logged.kind.rawValue, logged.detail.text]
    transaction.insert(values, by: EventSQL.append, in: log)
    for subject in event.indexedSubjects(at: logged.sequence) {
      transaction.insert([id, LogBlock.number(of: logged.sequence), subject, logged.sequence], by: EventSQL.index, in: log)
    }
    (head.nextSequence, head.lastEventAt) = (logged.sequence + 1, logged.at)
    appended.append(event)
    return logged
  }

  func removeEvents(before sequence: Int64) {
    let block = LogBlock.number(of: min(sequence, head.nextSequence - 1))
    transaction.run(EventSQL.remove, [id, block * LogBlock.size], in: log)
    transaction.run(EventSQL.removeFromIndex, [id, block], in: log)
  }

  func ruleList(_ id: String) throws -> RuleList? {
    try transaction.row(EventSQL.ruleList, [id], of: "rule_lists") { RuleList(text: try $0.text()) }
  }

  private func keepRules(of event: any BrowserEvent) {
    guard let rules = event.decision?.rules, !transaction.keptRules.contains(rules.id), let list = rules.list else { return }
    transaction.run(EventSQL.saveRuleList, [list.id, list.text])
    transaction.keptRules.insert(list.id)
  }
}
