import GRDB
package import PCMStore

extension SQLiteStore {
  enum DeletionSQL {
    /// Makes a browser unreachable and its name free. No name in the API has a control character.
    static let hide = "UPDATE browsers SET name = char(1) || id, hidden = 2 WHERE id = ? AND hidden IS NOT 2"
    /// Turns the incomplete copies of an earlier process into deleted browsers.
    static let abandonCopies = "UPDATE browsers SET name = char(1) || id, hidden = 2 WHERE hidden = 1"
    static let nextDeleted = "SELECT id FROM browsers WHERE hidden = 2 ORDER BY id LIMIT 1"
    static let remove = "DELETE FROM browsers WHERE id = ?"
    static let plain = [hide, abandonCopies, nextDeleted, remove]
  }

  /// Returns when the browser is unreachable. The rows of a large one are removed afterward.
  package func delete(_ browser: BrowserID) async throws {
    let isRemoved = try await submit(to: browser.number) { database, cache in
      cache.forget(browser.number)
      return .success(try Self.remove(browser.number, work: BrowserTable.firstStep, in: database))
    }.answer()
    if !isRemoved { removeDeletedBrowsers() }
  }

  /// Removes what an earlier process left: the rest of deleted browsers, and incomplete copies. Does not wait for it.
  func removeRemains() {
    // Before all other writes, so that their names are free and no copy of this process is affected.
    queue.add(
      QueuedWrite { database in
        try PreparedStatement(DeletionSQL.abandonCopies, [], in: database).execute()
        return {}
      }, to: SQLiteBrowser.service)
    removeDeletedBrowsers()
  }

  /// Removes all deleted browsers, also those whose removal failed. What is left after a failure is removed after the next
  /// deletion, or the next start.
  private func removeDeletedBrowsers() {
    steps.add(
      SteppedWrite { database in
        let next = try PreparedStatement(DeletionSQL.nextDeleted, [], in: database).rows(of: "browsers") { try $0.integer() }
        guard let id = next.first else { return {} }
        _ = try Self.remove(id, work: BrowserTable.step, in: database)
        return nil
      } fail: { _ in
      })
  }

  /// Removes the next rows of a browser, and then the browser. Until then, it is hidden. Returns whether it is removed.
  ///
  /// The rows come first: on a full disk, what follows needs their space.
  private static func remove(_ id: Int64, work: Int, in database: Database) throws -> Bool {
    let isEmpty = try BrowserTable.removeRows(of: id, work: work, in: database)
    try PreparedStatement(isEmpty ? DeletionSQL.remove : DeletionSQL.hide, [id], in: database).execute()
    return isEmpty
  }
}
