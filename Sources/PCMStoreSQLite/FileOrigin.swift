import Foundation
import PCMStore

/// Distinguishes the service's files from files of other programs and versions.
///
/// It reads the header, and not with SQLite, which would change the files next to a database in order to read it.
enum FileOrigin {
  /// `PRAGMA application_id`: PCMB in ASCII.
  static let applicationID: Int32 = 0x5043_4D42

  /// Throws `StoreError.foreignFile` or `StoreError.otherVersion`. An empty file becomes a new database. A file with version 0
  /// is accepted: its tables are in the write-ahead log, or do not exist yet.
  static func check(_ path: String) throws(StoreError) {
    guard let header = FileHandle(forReadingAtPath: path).flatMap({ try? $0.read(upToCount: 100) ?? Data() }).map(Array.init)
    else { throw .unavailable("cannot open \(path): it is not a readable file") }
    guard !header.isEmpty else { return }
    guard header.count == 100, header.starts(with: "SQLite format 3\0".utf8), number(at: 68, of: header) == applicationID else {
      throw .foreignFile(path: path)
    }
    let version = Int(number(at: 60, of: header))
    guard [0, Schema.version].contains(version) else {
      throw .otherVersion(path: path, found: version, expected: Schema.version)
    }
  }

  /// Returns a number of the header of a SQLite file (section 1.3 of its format).
  private static func number(at offset: Int, of header: [UInt8]) -> Int32 {
    Int32(bitPattern: header[offset..<offset + 4].reduce(0) { $0 << 8 | UInt32($1) })
  }
}
