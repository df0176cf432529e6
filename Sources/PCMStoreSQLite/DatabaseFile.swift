import Foundation
import GRDB
import PCMStore

/// The opened file: owned by this process, migrated, and set to survive a loss of power.
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

  /// Moves the log into the file first, since the readers are closed last and could not. If that fails, the log stays
  /// beside the file and the next opening reads it.
  func close() throws {
    _ = try? pool.writeWithoutTransaction { try $0.checkpoint(.truncate) }
    try pool.close()
    try owner.close()
  }

  /// Names the usual mistakes, and creates the file so that nobody else can read it; SQLite gives its other files the
  /// same permissions.
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

  /// DatabasePool sets `synchronous` to NORMAL when it opens the file, which may lose acknowledged commits with the
  /// power; hence FULL afterwards, and a look at what is really in force.
  ///
  /// The page cache holds the upper levels of the indexes of a million clicks; 4,000 pages between checkpoints instead
  /// of 1,000 write a page that changes often less often.
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
