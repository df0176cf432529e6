import GRDB
package import PCMStore

extension SQLiteStore {
  enum DeletionSQL {
    /// Makes a browser unreachable and its name free. No name in the API has a control character.
    static let hide = "UPDATE browsers SET name = char(1) || id, hidden = 2 WHERE id = ? AND hidden IS NOT 2"
    static let hidden = "SELECT id FROM browsers WHERE hidden > 0 LIMIT 1"
    static let remove = "DELETE FROM browsers WHERE id = ?"
  }

  /// Removes a long log in several transactions, with other writes in between. The first one makes the browser unreachable. A
  /// repetition, or the next start, removes the remains of a failure or of an ended process.
  package func delete(_ browser: BrowserID) async throws {
    var isRemoved = false
    while !isRemoved {
      isRemoved = try await submit { database, cache in
        cache.forget(browser.number)
        return .success(try Self.remove(browser.number, in: database))
      }.answer()
    }
  }

  /// Removes the remains of an earlier process: the rest of deleted browsers, and incomplete copies. On a full disk, they stay hidden
  /// until the next start.
  func removeRemains() {
    try? file.pool.writeWithoutTransaction { database in
      while let id = try database.row(DeletionSQL.hidden, [], of: "browsers", { try $0.integer() }) {
        try database.inTransaction {
          _ = try Self.remove(id, in: database)
          return .commit
        }
      }
    }
  }

  /// Removes the next rows of a browser, and then the browser. Until then, it is hidden. Returns whether it is removed.
  ///
  /// The rows come first: on a full disk, later steps need their space.
  private static func remove(_ id: Int64, in database: Database) throws -> Bool {
    let isEmpty = try BrowserTable.removeRows(of: id, in: database)
    try database.run(isEmpty ? DeletionSQL.remove : DeletionSQL.hide, [id])
    return isEmpty
  }
}
