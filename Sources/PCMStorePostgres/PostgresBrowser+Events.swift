import PCMCore
import PCMStore

extension PostgresBrowser {
  enum EventSQL {
    static let append = RowInsertion(into: "events", ["browser", "sequence", "at", "kind", "detail"])
    static let index = RowInsertion(into: "event_subjects", ["browser", "block", "subject", "sequence"])
    static let saveRuleList = "INSERT INTO rule_lists (id, rules) VALUES ($1, $2) ON CONFLICT (id) DO NOTHING"
    static let remove = "DELETE FROM events WHERE browser = $1 AND sequence < $2"
    static let removeFromIndex = "DELETE FROM event_subjects WHERE browser = $1 AND block < $2"
  }

  private var log: BrowserTable { table("events") }

  func firstSequence() throws -> Int64 { try oldestSequence() ?? head.nextSequence }

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

  private func keepRules(of event: any BrowserEvent) {
    guard let rules = event.decision?.rules, !transaction.keptRules.contains(rules.id), let list = rules.list else { return }
    transaction.run(EventSQL.saveRuleList, [list.id, list.text], in: table("rule_lists"))
    transaction.keptRules.insert(list.id)
  }
}
