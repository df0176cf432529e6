import Foundation
import GRDB
import PCMStore

/// The open file: owned by this process, with the tables of this version, and configured to survive a power loss.
struct DatabaseFile: Sendable {
  let pool: DatabasePool
  /// The path without symbolic links, so all links to a file are one database.
  let path: String
  private let owner: OwnerLock
  /// The file as it was opened.
  private let identity: FileStatus.Identity?

  /// - Parameter name: The path, which may have symbolic links.
  init(path name: String) throws {
    if FileStatus(name) == nil { try Self.create(name) }
    path = FileStatus.resolved(name)
    do {
      try Self.check(path)
      owner = try OwnerLock(path: path)
      // A process that ended while it marked the file left a journal, whose rollback removes the mark.
      if FileStatus(path)?.size == 0 || FileStatus(path + "-journal") != nil { try Self.mark(path) }
      var configuration = Configuration()
      configuration.busyMode = .timeout(5)
      configuration.label = "pcm-store"
      pool = try DatabasePool(path: path, configuration: configuration)
      try pool.writeWithoutTransaction(Self.makeDurable)
      try Self.createTables(pool, path: path)
      identity = FileStatus(path)?.identity
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

  /// Throws `StoreError.missingFile` when the file is no longer at its path. SQLite continues to write to a file that was removed
  /// or moved.
  func checkPresence() throws(StoreError) {
    guard FileStatus(path)?.identity == identity else { throw .missingFile(path: path) }
  }

  /// The size of the write-ahead log in bytes; 0 when it is missing.
  var logSize: Int { FileStatus(Self.logFile(of: path))?.size ?? 0 }

  /// The size of the log that readers, which checkpoints do not wait for, may cause.
  static let largestLog = 33_554_432

  /// The path of the write-ahead log of a database, whose path has no symbolic links.
  private static func logFile(of path: String) -> String { path + "-wal" }

  /// Creates an empty file with permissions for its owner only. SQLite uses the same permissions for its other files.
  private static func create(_ path: String) throws(StoreError) {
    let folder = URL(fileURLWithPath: path).deletingLastPathComponent().path
    guard FileStatus(folder)?.isFolder == true else {
      throw .unavailable("cannot open \(path): the folder \(folder) does not exist")
    }
    guard FileStatus.createFile(path) else { throw .unavailable("cannot open \(path): the file cannot be created") }
  }

  /// Rejects a file that is not the service's.
  private static func check(_ path: String) throws(StoreError) {
    // Opening a pipe would wait for its writer.
    guard let status = FileStatus(path), status.isRegular else {
      let isFolder = FileStatus(path)?.isFolder == true
      throw .unavailable("cannot open \(path): it is \(isFolder ? "a folder" : "not a readable file")")
    }
    // The log would be discarded.
    guard status.size > 0 || (FileStatus(logFile(of: path))?.size ?? 0) == 0 else {
      throw .unavailable(
        "cannot open \(path): it is missing or empty, but \(logFile(of: path)) contains changes of it; restore both, or remove both"
      )
    }
    try FileOrigin.check(path)
  }

  /// Identifies a new file in its header. The pool writes to a log, so the header would lack the identifier after a crash.
  private static func mark(_ path: String) throws {
    let queue = try DatabaseQueue(path: path)
    try queue.writeWithoutTransaction { try $0.execute(sql: "PRAGMA application_id = \(FileOrigin.applicationID)") }
    try queue.close()
  }

  /// Creates the tables of a new file. The checkpoint writes their version to the header.
  private static func createTables(_ pool: DatabasePool, path: String) throws {
    let isNew = try pool.write { try Schema.prepare($0, path: path) }
    if isNew { _ = try pool.writeWithoutTransaction { try $0.checkpoint(.truncate) } }
  }

  /// Sets `synchronous` to FULL and verifies it: DatabasePool uses NORMAL, which may lose acknowledged commits in a power
  /// loss.
  ///
  /// The page cache holds the upper levels of the indexes of a million clicks. With 4,000 pages between checkpoints instead
  /// of 1,000, frequently changing pages are written less often. A log that became larger is truncated to these pages.
  private static func makeDurable(_ database: Database) throws {
    try database.execute(sql: "PRAGMA synchronous = FULL")
    try database.execute(sql: "PRAGMA cache_size = -32000")
    try database.execute(sql: "PRAGMA wal_autocheckpoint = 4000")
    try database.execute(sql: "PRAGMA journal_size_limit = 16384000")
    let level = try Int.fetchOne(database, sql: "PRAGMA synchronous")
    let journal = try String.fetchOne(database, sql: "PRAGMA journal_mode")
    guard level == 2, journal == "wal" else {
      throw StoreError.unavailable("the database cannot be made durable here: write-ahead logging is refused")
    }
  }
}
