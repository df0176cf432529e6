import Foundation
import GRDB
import PCMStore
import Testing

@testable import PCMStoreSQLite

/// The store only opens its own files. Other files, and the files next to them, stay unchanged byte for byte.
@Suite struct ForeignFileTests {
  private let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
  }

  /// A program that writes a SQLite file.
  enum Program: CaseIterable {
    case plain, withLog, withLogOfAnInterruptedProcess, withIdentifier

    func write(to path: String) throws {
      let queue = try DatabaseQueue(path: path)
      try queue.writeWithoutTransaction { database in
        if self == .withLog || self == .withLogOfAnInterruptedProcess {
          try database.execute(sql: "PRAGMA journal_mode = WAL")
        }
        if self == .withIdentifier { try database.execute(sql: "PRAGMA application_id = 252006674") }
        try database.execute(sql: "CREATE TABLE notes (text TEXT); INSERT INTO notes VALUES ('mine')")
        if self == .withLogOfAnInterruptedProcess {
          for suffix in ["", "-wal"] {
            try FileManager.default.copyItem(atPath: path + suffix, toPath: path + ".left" + suffix)
          }
        }
      }
      try queue.close()
      guard self == .withLogOfAnInterruptedProcess else { return }
      for suffix in ["", "-wal"] {
        try? FileManager.default.removeItem(atPath: path + suffix)
        try FileManager.default.moveItem(atPath: path + ".left" + suffix, toPath: path + suffix)
      }
    }
  }

  @Test("A database of another program is rejected and not changed", arguments: Program.allCases)
  func otherProgram(_ program: Program) throws {
    try program.write(to: folder.database)
    try expectUnchanged(after: .foreignFile(path: folder.database))
  }

  @Test("A file that is no database, or only the beginning of one, is rejected and not changed")
  func noDatabase() throws {
    for text in [String(repeating: "no database ", count: 1_000), "SQLite format 3\0", "x"] {
      try Data(text.utf8).write(to: URL(fileURLWithPath: folder.database))
      try expectUnchanged(after: .foreignFile(path: folder.database))
    }
  }

  @Test("A file of another version is rejected and not changed", arguments: [Schema.version + 1, 1_000_000, -1])
  func otherVersion(_ version: Int) async throws {
    try await folder.open().close()
    let raw = try DatabaseQueue(path: folder.database)
    try await raw.writeWithoutTransaction { database in
      try database.execute(sql: "PRAGMA user_version = \(version)")
      try database.checkpoint(.truncate)
    }
    try raw.close()
    let error = StoreError.otherVersion(path: folder.database, found: version, expected: Schema.version)
    try expectUnchanged(after: error)
    #expect("\(error)".hasPrefix("\(folder.database) has version \(version), "))
  }

  private func expectUnchanged(after error: StoreError) throws {
    let before = try contents()
    #expect(throws: error) { try folder.open() }
    #expect(try contents() == before)
  }

  /// All files of the folder.
  private func contents() throws -> [String: Data] {
    let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
    return try Dictionary(
      uniqueKeysWithValues: names.map { ($0, try Data(contentsOf: URL(fileURLWithPath: "\(folder.path)/\($0)"))) })
  }

  @Test("The header identifies a new file before the first checkpoint")
  func identifier() async throws {
    let store = try folder.open()
    #expect(try header() == [0x5043_4D42, Int32(Schema.version)])
    try await store.close()
  }

  /// The numbers at offsets 68 and 60 of the file.
  private func header() throws -> [Int32] {
    let bytes = Array(try Data(contentsOf: URL(fileURLWithPath: folder.database)).prefix(100))
    return [68, 60].map { offset in
      Int32(bitPattern: bytes[offset..<offset + 4].reduce(0) { $0 << 8 | UInt32($1) })
    }
  }

  @Test("A file whose process ended while it created the tables is opened", arguments: [false, true])
  func unfinishedFile(hasTables: Bool) async throws {
    let path = folder.path + "/left"
    let raw = try DatabaseQueue(path: path)
    try await raw.writeWithoutTransaction { database in
      try database.execute(sql: "PRAGMA application_id = \(FileOrigin.applicationID)")
      try database.execute(sql: "PRAGMA journal_mode = WAL; PRAGMA wal_autocheckpoint = 0")
    }
    if hasTables { _ = try await raw.write { try Schema.prepare($0, path: path) } }
    for suffix in hasTables ? ["", "-wal"] : [""] {
      try FileManager.default.copyItem(atPath: path + suffix, toPath: folder.database + suffix)
    }
    try raw.close()
    #expect(try header() == [FileOrigin.applicationID, 0])
    let store = try folder.open()
    try await store.checkWritable()
    try await store.close()
  }
}
