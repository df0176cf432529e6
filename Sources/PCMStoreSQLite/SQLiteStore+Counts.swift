package import PCMCore
package import PCMStore

extension SQLiteStore {
  enum CountSQL {
    static let reports = """
      SELECT (SELECT count(*) FROM browsers WHERE hidden IS NULL), count(*),
        count(*) FILTER (
          WHERE coalesce(retry_at, due_at) <= CASE clock_mode WHEN 'real' THEN ? ELSE now END)
      FROM browsers CROSS JOIN reports ON reports.browser = browsers.id AND state = 'scheduled' WHERE hidden IS NULL
      """
  }

  package func counts(at wallNow: Instant) async throws -> StoreCounts {
    try await view { database in
      try database.row(CountSQL.reports, [wallNow], of: "browsers") { row in
        StoreCounts(
          browsers: Int(try row.integer()), scheduled: Int(try row.integer()), overdue: Int(try row.integer()))
      } ?? StoreCounts()
    }
  }
}
