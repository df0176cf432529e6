import PCMCore
import PCMStore

extension SQLiteBrowser {
  enum ReportSQL {
    private static let heading = "SELECT id, source, destination, recipient FROM reports WHERE browser = ?"
    static let headings = "\(heading) AND id > ? ORDER BY id LIMIT ?"
    static let headingsInState = "\(heading) AND state = ? AND id > ? ORDER BY id LIMIT ?"
  }

  func reportHeadings(in state: Report.State?, after number: Int64, limit: Int) throws -> [ReportHeading] {
    let values: [any ColumnValue] = [number, bounded(limit)]
    let (sql, group) = state.map { (ReportSQL.headingsInState, [$0.rawValue]) } ?? (ReportSQL.headings, [])
    return try database.rows(sql, [id] + group + values, of: "reports") { row in
      ReportHeading(
        id: try row.number(), source: try row.site(), destination: try row.site(), recipient: try row.named())
    }
  }
}
