import Foundation
import PCMStore

/// Distinguishes the service's files from those of other programs and of other versions. It changes no file, and creates none
/// next to the examined one.
enum FileOrigin {
  /// `PRAGMA application_id`: PCMB in ASCII.
  static let applicationID: Int32 = 0x5043_4D42

  /// Throws `StoreError.foreignFile` or `StoreError.otherVersion`. An empty file is a new one, and one without a version has
  /// its tables in the write-ahead log, or none.
  static func check(_ path: String) throws(StoreError) {
    guard let header = header(of: path) else { throw .unavailable("cannot open \(path): it is not a readable file") }
    guard !header.bytes.isEmpty else { return }
    guard header.isSQLite, header.applicationID == applicationID else { throw .foreignFile(path: path) }
    guard [0, Schema.version].contains(Int(header.version)) else {
      throw .otherVersion(path: path, found: Int(header.version), expected: Schema.version)
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
}
