import Foundation
import GRDBSQLite
import PCMStore

#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// Distinguishes the service's files from those of other programs and of newer versions. It changes no file, and creates none
/// next to the examined one.
enum FileOrigin {
  /// `PRAGMA application_id`: PCMB in ASCII. `PRAGMA user_version` is the number of migrations.
  static let applicationID: Int32 = 0x5043_4D42

  /// Throws `StoreError.foreignFile` or `StoreError.newerSchema`. An empty file is a new one.
  static func check(_ path: String, version: Int) throws(StoreError) {
    guard let header = header(of: path) else { throw .unavailable("cannot open \(path): it is not a readable file") }
    guard !header.bytes.isEmpty else { return }
    guard header.isSQLite else { throw .foreignFile(path: path) }
    switch header.applicationID {
    case applicationID:
      guard header.version <= version else { throw .newerSchema(path: path) }
    case 0:
      guard isFromEarlierVersion(path) else { throw .foreignFile(path: path) }
    default: throw .foreignFile(path: path)
    }
  }

  /// The header of a SQLite file (section 1.3 of its format).
  private struct Header {
    let bytes: [UInt8]

    var isSQLite: Bool { bytes.count == Self.size && bytes.starts(with: "SQLite format 3\0".utf8) }
    var applicationID: Int32 { number(at: 68) }
    var version: Int32 { number(at: 60) }

    private func number(at offset: Int) -> Int32 {
      Int32(bitPattern: bytes[offset..<offset + 4].reduce(0) { $0 << 8 | UInt32($1) })
    }

    static let size = 100
  }

  private static func header(of path: String) -> Header? {
    // Opening a pipe would wait for its writer.
    guard FileStatus(path)?.isRegular == true, let file = FileHandle(forReadingAtPath: path) else { return nil }
    defer { try? file.close() }
    guard let bytes = try? file.read(upToCount: Header.size) ?? Data() else { return nil }
    return Header(bytes: Array(bytes))
  }

  /// Earlier versions set no identifier, so their tables identify them.
  private static func isFromEarlierVersion(_ path: String) -> Bool {
    // Without the write-ahead log: SQLite would create or change the files next to this one to read it.
    let tables = tables(at: path, "?immutable=1")
    if let tables, !tables.isEmpty { return areOurs(tables) }
    guard FileStatus(path + "-wal").map({ $0.size > 0 }) ?? false else { return tables != nil }
    // A process that ended before its first checkpoint left all tables in the log, and both files are small.
    var template = Array((FileManager.default.temporaryDirectory.path + "/pcm-browser-XXXXXX").utf8CString)
    let created = template.withUnsafeMutableBufferPointer { name in
      name.baseAddress.flatMap { mkdtemp($0) }.map { String(cString: $0) }
    }
    guard let folder = created else { return false }
    defer { try? FileManager.default.removeItem(atPath: folder) }
    do {
      for suffix in ["", "-wal"] {
        try FileManager.default.copyItem(atPath: path + suffix, toPath: folder + "/copy" + suffix)
      }
    } catch {
      return false
    }
    return Self.tables(at: folder + "/copy").map(areOurs) ?? false
  }

  /// The table of the migrations comes first, and the others follow in one transaction.
  private static func areOurs(_ tables: Set<String>) -> Bool {
    tables.isSubset(of: ["grdb_migrations"]) || tables.isSuperset(of: ["grdb_migrations", "browsers", "probe"])
  }

  /// Returns the names of the tables of a file; nil when it is damaged.
  private static func tables(at path: String, _ parameters: String = "") -> Set<String>? {
    let uri = URL(fileURLWithPath: path).absoluteString + parameters
    var connection: OpaquePointer?
    defer { sqlite3_close(connection) }
    guard sqlite3_open_v2(uri, &connection, SQLITE_OPEN_READONLY | SQLITE_OPEN_URI, nil) == SQLITE_OK else { return nil }
    let sql = "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'"
    var statement: OpaquePointer?
    defer { sqlite3_finalize(statement) }
    guard sqlite3_prepare_v2(connection, sql, -1, &statement, nil) == SQLITE_OK else { return nil }
    var names: Set<String> = []
    while true {
      switch sqlite3_step(statement) {
      case SQLITE_ROW: if let name = sqlite3_column_text(statement, 0) { names.insert(String(cString: name)) }
      case SQLITE_DONE: return names
      default: return nil
      }
    }
  }
}
