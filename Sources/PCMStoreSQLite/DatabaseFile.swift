import Foundation
import GRDB
import PCMStore

/// The open file: owned by this process, migrated, and configured to survive a power loss.
struct DatabaseFile: Sendable {
  let pool: DatabasePool
  private let owner: OwnerLock

  init(path: String) throws {
    do {
      try Self.prepare(path)
      owner = try OwnerLock(path: path)
      var configuration = Configuration()
      configuration.busyMode = .timeout(5)
      configuration.label = "pcm-store"
      pool = try DatabasePool(path: path, configuration: configuration)
      try pool.writeWithoutTransaction(Self.makeDurable)
      let migrator = Schema.migrator
      guard try !pool.read(migrator.hasBeenSuperseded) else { throw StoreError.newerSchema(path: path) }
      try migrator.migrate(pool)
    } catch let error as DatabaseError {
      throw StoreError.unavailable("cannot open \(path): \(error.message ?? "unknown error")")
    }
  }

  /// Checkpoints the log first, because the readers, which are closed last, cannot. If that fails, the log stays next to the
  /// file, and the next opening reads it.
  func close() throws {
    _ = try? pool.writeWithoutTransaction { try $0.checkpoint(.truncate) }
    try pool.close()
    try owner.close()
  }

  /// Reports common mistakes, and creates the file with permissions for its owner only. SQLite uses the same permissions for
  /// its other files.
  private static func prepare(_ path: String) throws {
    let files = FileManager()
    let folder = URL(fileURLWithPath: path).deletingLastPathComponent().path
    var isFolder: ObjCBool = false
    guard files.fileExists(atPath: folder, isDirectory: &isFolder), isFolder.boolValue else {
      throw StoreError.unavailable("cannot open \(path): the folder \(folder) does not exist")
    }
    guard files.fileExists(atPath: path, isDirectory: &isFolder) else {
      guard files.createFile(atPath: path, contents: nil, attributes: [.posixPermissions: 0o600]) else {
        throw StoreError.unavailable("cannot open \(path): the file cannot be created")
      }
      return
    }
    guard !isFolder.boolValue else { throw StoreError.unavailable("cannot open \(path): it is a folder") }
  }

  /// Sets `synchronous` to FULL and verifies it: DatabasePool uses NORMAL, which may lose acknowledged commits in a power
  /// loss.
  ///
  /// The page cache holds the upper levels of the indexes of a million clicks. With 4,000 pages between checkpoints instead
  /// of 1,000, frequently changing pages are written less often.
  private static func makeDurable(_ database: Database) throws {
    try database.execute(sql: "PRAGMA synchronous = FULL")
    try database.execute(sql: "PRAGMA cache_size = -32000")
    try database.execute(sql: "PRAGMA wal_autocheckpoint = 4000")
    let level = try Int.fetchOne(database, sql: "PRAGMA synchronous")
    let journal = try String.fetchOne(database, sql: "PRAGMA journal_mode")
    guard level == 2, journal == "wal" else {
      throw StoreError.unavailable("the database cannot be made durable here: write-ahead logging is refused")
    }
  }
}
