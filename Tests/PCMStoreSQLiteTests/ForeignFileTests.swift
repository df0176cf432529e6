import Foundation
import GRDB
import PCMStore
import Testing

@testable import PCMStoreSQLite

/// The store opens its own files only, and leaves others and those next to them unchanged, byte for byte.
@Suite struct ForeignFileTests {
  private let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
  }

  /// A program that writes a SQLite file.
  enum Program: CaseIterable {
    case plain, withLog, withLogOfAnInterruptedProcess, withIdentifier, withMigrations

    func write(to path: String) throws {
      let queue = try DatabaseQueue(path: path)
      try queue.writeWithoutTransaction { database in
        if self == .withLog || self == .withLogOfAnInterruptedProcess {
          try database.execute(sql: "PRAGMA journal_mode = WAL")
        }
        if self == .withIdentifier { try database.execute(sql: "PRAGMA application_id = 252006674") }
        if self == .withMigrations {
          try database.execute(
            sql: "CREATE TABLE grdb_migrations (identifier TEXT); INSERT INTO grdb_migrations VALUES ('tables')")
        }
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

  @Test("A file of a later version is rejected and not changed")
  func laterVersion() async throws {
    try await folder.open().close()
    let raw = try DatabaseQueue(path: folder.database)
    try await raw.writeWithoutTransaction { database in
      let version = try #require(try Int.fetchOne(database, sql: "PRAGMA user_version"))
      try database.execute(sql: "PRAGMA user_version = \(version + 1)")
      try database.checkpoint(.truncate)
    }
    try raw.close()
    try expectUnchanged(after: .newerSchema(path: folder.database))
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

  @Test("The header identifies a new file before the first checkpoint, and an older file from its first opening on")
  func identifier() async throws {
    let store = try folder.open()
    #expect(try header() == expectedHeader)
    try await store.close()
    let raw = try DatabaseQueue(path: folder.database)
    try await raw.writeWithoutTransaction { database in
      try database.execute(sql: "PRAGMA application_id = 0; PRAGMA user_version = 0")
      try database.checkpoint(.truncate)
    }
    try raw.close()
    #expect(try header() == [0, 0])
    let older = try folder.open()
    #expect(try header() == expectedHeader)
    try await older.close()
  }

  private let expectedHeader = [0x5043_4D42, Int32(Schema.migrator.migrations.count)]

  /// The numbers at offsets 68 and 60 of the file.
  private func header() throws -> [Int32] {
    let bytes = Array(try Data(contentsOf: URL(fileURLWithPath: folder.database)).prefix(100))
    return [68, 60].map { offset in
      Int32(bitPattern: bytes[offset..<offset + 4].reduce(0) { $0 << 8 | UInt32($1) })
    }
  }

  @Test(
    "An older file of a process that ended before its first checkpoint is opened, also through a link",
    arguments: [nil, "tables"], [false, true])
  func olderFileWithLog(migration: String?, isLinked: Bool) async throws {
    let path = folder.path + "/left"
    let raw = try DatabaseQueue(path: path)
    try await raw.writeWithoutTransaction { database in
      try database.execute(sql: "PRAGMA journal_mode = WAL; PRAGMA wal_autocheckpoint = 0")
    }
    if let migration {
      try Schema.migrator.migrate(raw, upTo: migration)
      try await raw.write { database in
        try database.execute(
          sql: "INSERT INTO browsers VALUES (1, 'old', '', 'manual', 1, 0, 0, 'webkit', 'wellKnown', 0, NULL, '{}')")
      }
    }
    for suffix in migration == nil ? [""] : ["", "-wal"] {
      try FileManager.default.copyItem(atPath: path + suffix, toPath: folder.database + suffix)
    }
    try raw.close()
    let link = try folder.link("link.sqlite", to: folder.database)
    let store = try SQLiteStore(path: isLinked ? link : folder.database)
    #expect(try await store.browsers().map(\.name) == (migration == nil ? [] : ["old"]))
    try await store.close()
  }
}
