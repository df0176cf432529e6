import PCMCore
import PCMStore

extension PostgresBrowser {
  enum HeadingSQL {
    private static let report = "SELECT id, source, destination, recipient FROM reports WHERE browser = $1"
    static let reports = "\(report) AND id > $2 ORDER BY id LIMIT $3"
    static let reportsInState = "\(report) AND id > $2 AND state = $4 ORDER BY id LIMIT $3"
    /// The index of times contains both columns.
    static let keptRequests =
      "SELECT key FROM kept_requests WHERE browser = $1 AND received_at <= $2 ORDER BY received_at, key LIMIT $3"
  }

  func reportHeadings(in state: Report.State?, after number: Int64, limit: Int) throws -> [ReportHeading] {
    let (sql, group) = state.map { (HeadingSQL.reportsInState, [$0.rawValue]) } ?? (HeadingSQL.reports, [])
    return try transaction.rows(sql, [id, number, bounded(limit)] + group, of: table("reports")) { row in
      ReportHeading(
        id: try row.number(), source: try row.site(), destination: try row.site(), recipient: try row.named())
    }
  }

  func keysOfKeptRequests(until: Instant?, limit: Int) throws -> [String] {
    if let until, try !mayHaveRows(KeptRequest.self, before: until + Interval(milliseconds: 1), in: nil) { return [] }
    let values: [any ColumnValue] = [id, until ?? .latest, bounded(limit)]
    return try transaction.rows(HeadingSQL.keptRequests, values, of: table(KeptRequest.table.name)) { try $0.text() }
  }
}
