import GRDB
import PCMStore

/// Keeps a second process away from the database, whose one writer caches what it has read.
///
/// It is the file lock of an empty SQLite database beside the real one, held until `close` or the end of the process:
/// the kernel releases it whatever way the process ends, so nothing stale remains. The real file cannot be locked like
/// this itself, since exclusive locking would keep its own readers out.
struct OwnerLock: Sendable {
  private let queue: DatabaseQueue

  init(path: String) throws {
    do {
      queue = try DatabaseQueue(path: path + "-owner")
      try queue.writeWithoutTransaction { database in
        try database.execute(sql: "PRAGMA locking_mode = EXCLUSIVE")
        try database.inTransaction(.exclusive) { .commit }
      }
    } catch let error as DatabaseError where error.resultCode == .SQLITE_BUSY {
      throw StoreError.unavailable("\(path) is in use: one process at a time may open it")
    }
  }

  func close() throws { try queue.close() }
}
