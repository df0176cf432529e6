package import PCMStore

extension PostgresStore {
  enum ChangeSQL {
    static let nextSequences = """
      SELECT id, next_sequence FROM browsers WHERE id = ANY ($1::text::bigint[]) AND hidden IS NULL
      """
  }

  package var changes: AsyncStream<Set<BrowserID>> { notifications.received }

  package func nextSequences(of browsers: Set<BrowserID>) async throws -> [BrowserID: Int64] {
    let list = "{\(browsers.map { String($0.number) }.joined(separator: ","))}"
    let found = try await view { transaction in
      try transaction.rows(ChangeSQL.nextSequences, [list], of: "browsers") { row in
        (BrowserID(try row.integer()), try row.integer())
      }
    }
    return Dictionary(found) { $1 }
  }
}
