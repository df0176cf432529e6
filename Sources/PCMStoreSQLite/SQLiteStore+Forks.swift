import GRDB
import PCMCore
package import PCMStore

extension SQLiteStore {
  enum ForkSQL {
    /// Creates a browser that is hidden until its copy is complete. The state is written after it, as for a new browser.
    static let begin = """
      INSERT INTO browsers (name, created_at, incarnation, seed, clock_mode, start, initial_settings, hidden)
      SELECT ?2, ?3, ?4, seed, clock_mode, start, initial_settings, 1 FROM browsers WHERE id = ?1
      """
    static let finish = "UPDATE browsers SET hidden = NULL WHERE id = ?"
  }

  /// Copies a long log in several transactions, with other writes in between. The last one makes the copy visible. A copy that a
  /// failure or the end of the process interrupts is removed.
  package func fork(_ browser: BrowserID, as copy: BrowserCopy) async throws -> BrowserRecord {
    let original = browser.number
    var (id, record) = try await submit { database, cache in
      try Self.begin(copy, of: original, in: database, cache)
    }.answer()
    do {
      while true {
        if let record { return record }
        record = try await submit { [id] database, cache in
          // It may have been deleted since the previous step.
          guard try SQLiteBrowser(database: database, id: original).exists() else { return .failure(.unknownBrowser) }
          return .success(try Self.advance(copy, id, of: original, in: database, cache))
        }.answer()
      }
    } catch {
      // The failure of the copy is the answer. If the deletion also fails, the next start removes the rest.
      try? await delete(BrowserID(id))
      throw error
    }
  }

  /// Creates the copy, and copies the first rows. Returns its number, and its record if it is complete.
  private static func begin(
    _ copy: BrowserCopy, of original: Int64, in database: Database, _ cache: WriterCache
  ) throws -> Result<(Int64, BrowserRecord?), StoreError> {
    try copy.createdAt.requireStorable()
    guard let rows = try cache.browser(original, in: database) else { return .failure(.unknownBrowser) }
    guard try database.row(BrowserSQL.named, [copy.name], of: "browsers", { try $0.integer() }) == nil else {
      return .failure(.browserExists(name: copy.name))
    }
    guard try !cache.service(in: database).hasKept(copy.creation) else { return .failure(.keptAlready) }
    guard try hasRoom(upTo: copy.maximumCount, in: database) else { return .failure(.tooManyBrowsers) }
    try database.run(ForkSQL.begin, [original, copy.name, copy.createdAt, copy.incarnation])
    let id = database.lastInsertedRowID
    // The state in the cache may not be in the table yet.
    try SQLiteBrowser(database: database, id: id).store(try rows.state().ofCopy)
    return .success((id, try advance(copy, id, of: original, in: database, cache)))
  }

  /// Copies the next rows. Returns the record of the copy if it is complete.
  private static func advance(
    _ copy: BrowserCopy, _ id: Int64, of original: Int64, in database: Database, _ cache: WriterCache
  ) throws -> BrowserRecord? {
    guard try BrowserTable.copyRows(of: original, to: id, in: database) else { return nil }
    try database.run(ForkSQL.finish, [id])
    guard let record = try database.row(BrowserSQL.record, [id], of: "browsers", { try $0.browserRecord() }) else {
      throw StoreError.unknownBrowser
    }
    try saveCreationRequest(copy.creation, in: database, cache)
    return record
  }
}
