import PCMCore

/// One browser's rows in memory, protected by its lock in the store.
///
/// Each change adds its inverse to a list. When a body throws, the inverses run backward, which costs as much as the body and
/// does not depend on the size of the browser.
final class MemoryBrowser {
  private var current: BrowserState
  private var log = EventRows()
  private var ruleLists: [String: RuleList] = [:]
  private(set) var appended: [any BrowserEvent] = []
  private let tables: MemoryTables

  init(state: BrowserState) {
    current = state
    tables = MemoryTables()
  }

  /// Creates a copy that shares the rows until one of the two changes.
  init(copying other: MemoryBrowser) {
    current = other.current.ofCopy
    (log, ruleLists) = (other.log, other.ruleLists)
    tables = MemoryTables(copying: other.tables)
  }

  /// Runs `body`, and reverts its changes if it throws.
  func transaction<Answer>(_ body: (any BrowserWriter) throws -> Answer) throws -> Answer {
    defer {
      tables.inverses.removeAll(keepingCapacity: true)
      appended.removeAll(keepingCapacity: true)
    }
    do {
      return try body(self)
    } catch {
      while let undo = tables.inverses.popLast() { undo() }
      throw error
    }
  }

  private func undo(_ inverse: @escaping () -> Void) { tables.undo(inverse) }
}

extension MemoryBrowser: BrowserWriter {
  /// Memory has no maximum size.
  func beginRemoval() {}

  func state() -> BrowserState { current }

  func save(_ state: BrowserState) throws {
    try state.requireStorableTimes()
    let old = current
    undo { self.current = old }
    current = state
  }

  func row<Row: StoredRow>(_ type: Row.Type, _ key: Row.RowKey) -> Row? { Row.row(key, in: tables) }

  func rows<Row: StoredRow>(_ query: RowQuery<Row>) -> [Row] { Row.rows(query, in: tables) }

  func total<Row: StoredRow>(of type: Row.Type) -> RowTotal { Row.table(in: tables).total }

  func reportHeadings(in state: Report.State?, after id: Int64, limit: Int) -> [ReportHeading] {
    tables.reports.rows(.after(id, in: state?.rawValue.stored, limit: limit)).map { report in
      ReportHeading(
        id: report.id, source: report.key.source, destination: report.key.destination, recipient: report.recipient)
    }
  }

  func keysOfKeptRequests(until: Instant?, limit: Int) -> [String] {
    tables.keptRequests.rows(.earliest(limit: limit)).prefix { $0.receivedAt <= until ?? .latest }.map(\.key)
  }

  func save<Row: StoredRow>(_ row: Row) throws {
    try row.requireStorableTimes()
    try Row.set(row, for: row.rowKey, in: tables)
  }

  func remove<Row: StoredRow>(_ type: Row.Type, _ key: Row.RowKey) throws { try Row.set(nil, for: key, in: tables) }

  func removeAll<Row: StoredRow>(_ type: Row.Type, in group: StoredValue?) throws -> Int {
    let keys = Row.table(in: tables).keys(in: group)
    for key in keys { try remove(type, key) }
    return keys.count
  }

  func events(after sequence: Int64, limit: Int) -> [LogEvent] {
    log.events(after: sequence, limit: limit)
  }

  func indexedEvents(_ filter: EventFilter, in block: Int64, after sequence: Int64, limit: Int) -> [LogEvent] {
    log.indexedEvents(filter, in: block, after: sequence, limit: limit)
  }

  func firstSequence() -> Int64 { log.firstSequence }

  func nextSequence() -> Int64 { log.nextSequence }

  func lastEventAt() -> Instant? { log.last?.at }

  @discardableResult
  func append(_ event: any BrowserEvent, at instant: Instant) throws -> LogEvent {
    keepRules(of: event)
    let logged = LogEvent(sequence: nextSequence(), at: max(instant, log.last?.at ?? instant), event)
    try logged.at.requireStorable()
    let subjects = event.indexedSubjects(at: logged.sequence)
    log.append(logged, subjects: subjects)
    undo { self.log.removeLast(subjects: subjects) }
    appended.append(event)
    return logged
  }

  func removeEvents(before sequence: Int64) {
    let old = log
    undo { self.log = old }
    log.remove(before: sequence)
  }

  func ruleList(_ id: String) -> RuleList? { ruleLists[id] }

  private func keepRules(of event: any BrowserEvent) {
    guard let rules = event.decision?.rules, ruleLists[rules.id] == nil, let list = rules.list else { return }
    ruleLists[rules.id] = list
    undo { self.ruleLists[rules.id] = nil }
  }
}
