package import PCMCore
package import PCMStore

extension PostgresStore {
  enum ClaimSQL {
    static let next = """
      SELECT due_at FROM browsers WHERE due_at <= $1 AND claimed_by IS NULL AND hidden IS NULL ORDER BY due_at, id LIMIT 1
      """
    static let due = claim("WHERE due_at <= $3 AND claimed_by IS NULL AND hidden IS NULL ORDER BY due_at, id")
    /// The number of instances and of claims is small, so their order does not matter.
    static let abandoned = claim(
      """
      WHERE claimed_by IS NOT NULL AND hidden IS NULL
        AND NOT EXISTS (SELECT FROM instances WHERE instances.id = claimed_by)
      """)

    /// Rows that are locked at this moment are omitted.
    private static func claim(_ condition: String) -> String {
      """
      UPDATE browsers SET claimed_by = $2 WHERE id = ANY (ARRAY(
        SELECT id FROM browsers \(condition) LIMIT $1 FOR NO KEY UPDATE OF browsers SKIP LOCKED))
      RETURNING \(BrowserSQL.columns)
      """
    }
  }

  package var isShared: Bool { true }

  package var instance: Int64 { lease.number }

  package var mayAct: Bool { lease.mayAct }

  package func claimDue(by instant: Instant, limit: Int) async throws -> [BrowserRecord] {
    try await claim(ClaimSQL.due, [limit, instance, instant])
  }

  package func claimAbandoned(limit: Int) async throws -> [BrowserRecord] {
    try await claim(ClaimSQL.abandoned, [limit, instance])
  }

  /// Claims browsers with a connection that waits for no locks. A damaged browser stays claimed, so that other browsers follow.
  private func claim(_ sql: String, _ values: [any ColumnValue & Sendable]) async throws -> [BrowserRecord] {
    try await submit(to: claimer) { transaction in
      try transaction.change(sql, values).map(of: "browsers") { try $0.browser() }.compactMap { try? $0.get() }
    }.answer()
  }

  package func nextDueTime() async throws -> Instant? {
    try await view { transaction in
      // A damaged time does not prevent the claims of other browsers.
      try transaction.row(ClaimSQL.next, [Instant.storable.upperBound], of: "browsers") {
        Instant(milliseconds: try $0.integer())
      }
    }
  }
}
