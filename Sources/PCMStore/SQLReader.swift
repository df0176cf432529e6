package import PCMCore

/// The statements that read a browser's log and headings in a database, with numbered parameters.
package struct ReadingSQL: Sendable {
  package let events: String
  package let eventsAbout: String
  package let eventsAboutOfKind: String
  package let eventsOfKind: String
  package let firstEvent: String
  package let ruleList: String
  package let reports: String
  package let reportsInState: String
  /// The index of times contains both columns.
  package let keptRequests: String

  package var all: [String] {
    [
      events, eventsAbout, eventsAboutOfKind, eventsOfKind, firstEvent, ruleList, reports, reportsInState, keptRequests,
    ]
  }

  /// - Parameters:
  ///   - mark: The character before the number of a parameter.
  ///   - join: The join of the index of subjects with the events.
  ///   - kinds: The choice of the index of kinds.
  package init(mark: String, join: String = "JOIN", kinds: String = "") {
    let event = "SELECT sequence, at, kind, detail FROM events"
    let about = """
      SELECT event.sequence, event.at, event.kind, event.detail
      FROM event_subjects AS subject \(join) events AS event
        ON event.browser = subject.browser AND event.sequence = subject.sequence
      WHERE subject.browser = \(mark)1 AND subject.block = \(mark)2 AND subject.subject = \(mark)3 AND subject.sequence > \(mark)4
      """
    let report = "SELECT id, source, destination, recipient FROM reports WHERE browser = \(mark)1 AND id > \(mark)2"
    events = "\(event) WHERE browser = \(mark)1 AND sequence > \(mark)2 ORDER BY sequence LIMIT \(mark)3"
    eventsAbout = "\(about) ORDER BY subject.sequence LIMIT \(mark)5"
    eventsAboutOfKind = "\(about) AND event.kind = \(mark)6 ORDER BY subject.sequence LIMIT \(mark)5"
    eventsOfKind = """
      \(event)\(kinds) WHERE browser = \(mark)1 AND kind = \(mark)2 AND sequence > \(mark)3 AND sequence < \(mark)4
      ORDER BY sequence LIMIT \(mark)5
      """
    firstEvent = "SELECT sequence FROM events WHERE browser = \(mark)1 ORDER BY sequence LIMIT 1"
    ruleList = "SELECT rules FROM rule_lists WHERE id = \(mark)1"
    reports = "\(report) ORDER BY id LIMIT \(mark)3"
    reportsInState = "\(report) AND state = \(mark)4 ORDER BY id LIMIT \(mark)3"
    keptRequests = """
      SELECT key FROM kept_requests WHERE browser = \(mark)1 AND received_at <= \(mark)2
      ORDER BY received_at, key LIMIT \(mark)3
      """
  }
}

/// One browser's rows in a database.
package protocol SQLReader: BrowserReader {
  static var sql: ReadingSQL { get }
  var id: Int64 { get }

  /// Returns the decoded rows of a statement about a table of the browser.
  func rows<Value>(
    _ sql: String, _ values: [any ColumnValue], of table: String, _ decode: (inout RowReader) throws -> Value
  ) throws -> [Value]

  /// Returns whether a group may have rows before an instant.
  func mayHaveRows<Row: StoredRow>(_ type: Row.Type, before instant: Instant, in group: StoredValue?) throws -> Bool
}

extension SQLReader {
  /// Returns a valid limit. SQLite takes a negative limit as no limit, and PostgreSQL rejects it.
  package func bounded(_ limit: Int) -> Int { max(0, limit) }

  package func events(after sequence: Int64, limit: Int) throws -> [LogEvent] {
    try events(Self.sql.events, [id, sequence, bounded(limit)])
  }

  package func indexedEvents(_ filter: EventFilter, in block: Int64, after sequence: Int64, limit: Int) throws -> [LogEvent] {
    let limit = bounded(limit)
    switch (filter.subject, filter.kind) {
    case (let subject?, nil): return try events(Self.sql.eventsAbout, [id, block, subject, sequence, limit])
    case (let subject?, let kind?):
      return try events(Self.sql.eventsAboutOfKind, [id, block, subject, sequence, limit, kind.rawValue])
    case (nil, let kind?):
      let (start, end) = (block * LogBlock.size, (block + 1) * LogBlock.size)
      return try events(Self.sql.eventsOfKind, [id, kind.rawValue, max(sequence, start - 1), end, limit])
    case (nil, nil): return []
    }
  }

  private func events(_ sql: String, _ values: [any ColumnValue]) throws -> [LogEvent] {
    try rows(sql, values, of: "events") { try $0.event() }
  }

  /// Returns nil for an empty log.
  package func oldestSequence() throws -> Int64? {
    try rows(Self.sql.firstEvent, [id], of: "events") { try $0.integer(in: 1...RecordName.numbers.upperBound) }.first
  }

  package func ruleList(_ id: String) throws -> RuleList? {
    try rows(Self.sql.ruleList, [id], of: "rule_lists") { RuleList(text: try $0.text()) }.first ?? nil
  }

  package func reportHeadings(in state: Report.State?, after number: Int64, limit: Int) throws -> [ReportHeading] {
    let values: [any ColumnValue] = [id, number, bounded(limit)]
    let (sql, group) = state.map { (Self.sql.reportsInState, [$0.rawValue]) } ?? (Self.sql.reports, [])
    return try rows(sql, values + group, of: "reports") { row in
      ReportHeading(
        id: try row.number(), source: try row.site(), destination: try row.site(), recipient: try row.named())
    }
  }

  package func keysOfKeptRequests(until: Instant?, limit: Int) throws -> [String] {
    if let until, try !mayHaveRows(IdempotencyRecord.self, before: until + Interval(milliseconds: 1), in: nil) { return [] }
    return try rows(Self.sql.keptRequests, [id, until ?? .latest, bounded(limit)], of: IdempotencyRecord.table.name) {
      try $0.text()
    }
  }
}
