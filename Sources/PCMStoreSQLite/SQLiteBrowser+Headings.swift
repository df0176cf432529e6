import PCMCore
import PCMStore

extension SQLiteBrowser {
  enum HeadingSQL {
    private static let report = "SELECT id, source, destination, recipient FROM reports WHERE browser = ?"
    static let reports = "\(report) AND id > ? ORDER BY id LIMIT ?"
    static let reportsInState = "\(report) AND state = ? AND id > ? ORDER BY id LIMIT ?"
    /// The index of times contains both columns.
    static let keptRequests =
      "SELECT key FROM kept_requests WHERE browser = ? AND received_at <= ? ORDER BY received_at, key LIMIT ?"
  }

  func reportHeadings(in state: Report.State?, after number: Int64, limit: Int) throws -> [ReportHeading] {
    let values: [any ColumnValue] = [number, bounded(limit)]
    let (sql, group) = state.map { (HeadingSQL.reportsInState, [$0.rawValue]) } ?? (HeadingSQL.reports, [])
    return try database.rows(sql, [id] + group + values, of: "reports") { row in
      ReportHeading(
        id: try row.number(), source: try row.site(), destination: try row.site(), recipient: try row.named())
    }
  }

  func keysOfKeptRequests(until: Instant?, limit: Int) throws -> [String] {
    if let until, try !mayHaveRows(KeptRequest.self, before: until + Interval(milliseconds: 1), in: nil) { return [] }
    let values: [any ColumnValue] = [id, until ?? .latest, bounded(limit)]
    return try database.rows(HeadingSQL.keptRequests, values, of: KeptRequest.table.name) { try $0.text() }
  }
}
