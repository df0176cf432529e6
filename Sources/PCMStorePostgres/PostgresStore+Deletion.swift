package import PCMStore

extension PostgresStore {
  enum DeletionSQL {
    /// Makes a browser unreachable and its name free. No name in the API has a control character.
    static let hide = "UPDATE browsers SET name = chr(1) || id::text, hidden = 2 WHERE id = $1 AND hidden IS NULL"
    static let hidden = "SELECT id FROM browsers WHERE hidden = 2"
    static let remove = "DELETE FROM browsers WHERE id = $1 AND hidden = 2"
    /// Only the last transaction of a connection is read, within seconds.
    static let removeWriters = "DELETE FROM writers WHERE used_at < now() - interval '1 day'"
  }

  /// Makes the browser unreachable, and then removes its rows, which takes longer. The next start removes the remains of a failure.
  package func delete(_ browser: BrowserID) async throws {
    try await submit(to: writer(of: browser), locking: [browser.number]) { transaction in
      transaction.run(DeletionSQL.hide, [browser.number])
      transaction.forget(browser.number)
    }.answer()
    try await removeRows(of: browser.number)
  }

  private func removeRows(of hidden: Int64) async throws {
    try await submit(to: keeper) { transaction in
      for sql in BrowserTables.remove + [DeletionSQL.remove] { transaction.run(sql, [hidden]) }
    }.answer()
  }

  /// Removes the remains of earlier processes.
  func removeRemains() async throws {
    let remains = try await view { try $0.rows(DeletionSQL.hidden, [], of: "browsers") { try $0.integer() } }
    for id in remains { try await removeRows(of: id) }
    try await submit(to: keeper) { $0.run(DeletionSQL.removeWriters) }.answer()
  }
}
