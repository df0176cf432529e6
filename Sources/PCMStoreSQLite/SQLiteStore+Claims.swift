import GRDB
package import PCMCore
package import PCMStore

extension SQLiteStore {
  enum ClaimSQL {
    static let due = """
      SELECT id, due_at FROM browsers WHERE due_at <= ? AND claimed_by IS NULL AND hidden IS NULL ORDER BY due_at, id
      """
  }

  package func claimDue(by instant: Instant, limit: Int) async throws -> [BrowserRecord] {
    try await submit { [instance] database, cache in
      let due = try database.rows(ClaimSQL.due, [instant], of: "browsers", limit: limit) { try $0.integer() }
      return .success(
        try due.compactMap { id in
          do {
            let record = try database.row(BrowserSQL.record, [id], of: "browsers") { try $0.browserRecord() }
            // The state in the cache may not be in the table yet.
            guard let rows = try cache.browser(id, in: database) else { return nil }
            var state = try rows.state()
            guard state.claim(for: instance, ifDueBy: instant) else { return nil }
            try rows.save(state)
            return record
          } catch StoreError.unreadable {
            return nil
          }
        })
    }.answer()
  }

  package func nextDueTime() async throws -> Instant? {
    try await view { database in
      try database.row(ClaimSQL.due, [Instant.storable.upperBound], of: "browsers") { row in
        _ = try row.integer()
        // A damaged time does not prevent the claims of other browsers.
        return Instant(milliseconds: try row.integer())
      }
    }
  }
}
