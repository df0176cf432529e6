import Foundation
import GRDB
import PCMStore

/// The open file: owned by this process, with the tables of this version, and configured to survive a power loss.
struct DatabaseFile: Sendable {
  let pool: DatabasePool
  /// The path without symbolic links. The locks, the log, and errors use it, so all links to a file are one database.
  let path: String
  private let pathLock: PathLock
  private let owner: OwnerLock
  private let logPath: String
  /// The files as they were opened.
  private let files: [(path: String, identity: FileStatus.Identity)]

  /// - Parameter name: The path, which may have symbolic links, also one to a file that does not exist yet.
  init(path name: String) throws {
    path = try Self.location(of: name)
    pathLock = try PathLock(path: path)
    do {
      try Self.prepare(path)
      owner = try OwnerLock(path: path)
      if FileStatus(path)?.size == 0 { try Self.mark(path) }
      var configuration = Configuration()
      configuration.busyMode = .timeout(5)
      configuration.label = "pcm-store"
      pool = try DatabasePool(path: path, configuration: configuration)
      try pool.writeWithoutTransaction(Self.makeDurable)
      try Self.createTables(pool, path: path)
      logPath = Self.logFile(of: path)
      // A link that leads to another file later is noticed, too.
      files = [name, logPath, OwnerLock.file(of: path)].compactMap { path in
        FileStatus(path).map { (path, $0.identity) }
      }
    } catch {
      pathLock.release()
      guard let error = error as? DatabaseError else { throw error }
      throw StoreError.unavailable("cannot open \(path): \(error.message ?? "unknown error")")
    }
  }

  /// Checkpoints the log first, because the readers, which are closed last, cannot. If that fails, the log stays next to the
  /// file, and the next opening reads it.
  func close() throws {
    defer { pathLock.release() }
    _ = try? pool.writeWithoutTransaction { try $0.checkpoint(.truncate) }
    try pool.close()
    try owner.close()
  }

  /// Whether all files are at their paths, and the database is not empty. SQLite would continue to write to a file that was
  /// removed, moved, or truncated. A call takes about a microsecond for each file.
  var isPresent: Bool {
    files.allSatisfy { FileStatus($0.path)?.identity == $0.identity } && FileStatus(path)?.size != 0
  }

  /// The size of the write-ahead log in bytes; 0 when it is missing.
  var logSize: Int { FileStatus(logPath)?.size ?? 0 }

  /// The size of the log that readers, which checkpoints do not wait for, may cause.
  static let largestLog = 33_554_432

  /// Throws `StoreError.missingFile` when a file is no longer at its path.
  func checkPresence() throws(StoreError) {
    guard isPresent else { throw .missingFile(path: path) }
  }

  /// Returns the path without symbolic links. The file may be missing, also at the end of a link. Its folder must exist.
  private static func location(of path: String) throws(StoreError) -> String {
    guard FileStatus(path) == nil else { return FileStatus.resolved(path) }
    let target = SymbolicLink.target(of: path)
    guard SymbolicLink.destination(of: target) == nil else {
      throw .unavailable("cannot open \(path): its symbolic links form a circle")
    }
    let url = URL(fileURLWithPath: target)
    let folder = url.deletingLastPathComponent().path
    guard FileStatus(folder)?.isFolder == true else {
      throw .unavailable("cannot open \(path): the folder \(folder) does not exist")
    }
    return FileStatus.resolved(folder) + "/" + url.lastPathComponent
  }

  /// The path of the write-ahead log of a database, whose path has no symbolic links.
  private static func logFile(of path: String) -> String { path + "-wal" }

  /// Rejects a file that is not the service's, or creates the file with permissions for its owner only. SQLite uses the same
  /// permissions for its other files.
  private static func prepare(_ path: String) throws(StoreError) {
    let status = FileStatus(path)
    // The log would be discarded.
    guard status.map({ $0.size > 0 }) ?? false || (FileStatus(logFile(of: path))?.size ?? 0) == 0 else {
      throw .unavailable(
        "cannot open \(path): it is missing or empty, but \(logFile(of: path)) contains changes of it; restore both, or remove both"
      )
    }
    guard let status else {
      guard FileManager.default.createFile(atPath: path, contents: nil, attributes: [.posixPermissions: 0o600]) else {
        throw .unavailable("cannot open \(path): the file cannot be created")
      }
      return
    }
    guard !status.isFolder else { throw .unavailable("cannot open \(path): it is a folder") }
    // A process that opens the file by another name would use another log.
    guard status.linkCount == 1 else {
      throw .unavailable(
        "cannot open \(path): the file has \(status.linkCount) names (hard links); copy it, and remove the link")
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
