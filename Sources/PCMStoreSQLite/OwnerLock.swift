import GRDB
import PCMStore

/// A lock that prevents a second process from opening the database, whose single writer caches rows.
///
/// It is the file lock of an empty SQLite database next to the real one, held until `close` or the end of the process. The
/// kernel releases it however the process ends, so it is never stale. An exclusive lock on the real file would block its own
/// readers.
struct OwnerLock: Sendable {
  private let queue: DatabaseQueue

  /// - Parameter path: The path of the database without symbolic links.
  init(path: String) throws(StoreError) {
    let file = Self.file(of: path)
    guard FileStatus(file)?.isFolder != true else { throw .brokenOwnerFile(path: file, reason: "it is a folder") }
    do {
      queue = try DatabaseQueue(path: file)
      try queue.writeWithoutTransaction { database in
        try database.execute(sql: "PRAGMA locking_mode = EXCLUSIVE")
        try database.inTransaction(.exclusive) { .commit }
      }
    } catch let error as DatabaseError where error.resultCode == .SQLITE_BUSY {
      throw .unavailable("\(path) is in use: one process at a time may open it")
    } catch let error as DatabaseError where error.resultCode == .SQLITE_FULL {
      throw .unavailable("cannot open \(path): the disk is full")
    } catch {
      throw .brokenOwnerFile(path: file, reason: (error as? DatabaseError)?.message ?? "it is not readable")
    }
  }

  /// The path of the owner file of a database, whose path has no symbolic links.
  static func file(of path: String) -> String { path + "-owner" }

  func close() throws { try queue.close() }
}
