import Foundation
import PCMStore
import Testing

@testable import PCMStoreSQLite

/// One process at a time uses a file.
@Suite struct OwnershipTests {
  private let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
  }

  @Test("An error of the owner file names it and its removal, and without it the file opens")
  func brokenOwnerFile() async throws {
    let file = folder.database + "-owner"
    try FileManager.default.createDirectory(atPath: file, withIntermediateDirectories: false)
    let asFolder = #expect(throws: StoreError.self) { try folder.open() }
    #expect(asFolder == .brokenOwnerFile(path: file, reason: "it is a folder"))
    try FileManager.default.removeItem(atPath: file)

    try Data(String(repeating: "garbage ", count: 1_000).utf8).write(to: URL(fileURLWithPath: file))
    let garbage = #expect(throws: StoreError.self) { try folder.open() }
    #expect(garbage == .brokenOwnerFile(path: file, reason: "file is not a database"))
    let text = garbage?.description ?? ""
    #expect(text.contains("the owner file \(file) cannot be locked") && text.contains("remove it"))
    try FileManager.default.removeItem(atPath: file)
    try await folder.open().checkWritable()
  }

  @Test("A link to a database is the same database, which a second store does not open", arguments: [true, false])
  func link(toAFile exists: Bool) async throws {
    if exists { try await folder.open().close() }
    let link = try folder.link("link.sqlite", to: "browsers.sqlite")
    let store = try SQLiteStore(path: link)
    for path in [link, folder.database] {
      let error = #expect(throws: StoreError.self) { try SQLiteStore(path: path) }
      #expect(error == .unavailable("\(folder.database) is in use: one process at a time may open it"))
    }
    try await store.checkWritable()
    try await store.close()
  }

  @Test("A log without its database is not discarded, also when a link leads to the database", arguments: [true, false])
  func logWithoutDatabase(isEmpty: Bool) throws {
    let log = folder.database + "-wal"
    try Data("changes".utf8).write(to: URL(fileURLWithPath: log))
    if isEmpty { try Data().write(to: URL(fileURLWithPath: folder.database)) }
    for path in [folder.database, try folder.link("link.sqlite", to: folder.database)] {
      let error = #expect(throws: StoreError.self) { try SQLiteStore(path: path) }
      #expect(error?.description.contains("\(log) contains changes of it") == true, "\(error?.description ?? "")")
    }
    #expect(try Data(contentsOf: URL(fileURLWithPath: log)) == Data("changes".utf8))
  }

  @Test("A store notices that its folder is missing or another one, and that it is back")
  func movedFolder() async throws {
    let store = try folder.open()
    let missing = StoreError.missingFile(path: folder.database)
    try FileManager.default.moveItem(atPath: folder.path, toPath: folder.path + "-moved")
    defer { try? FileManager.default.removeItem(atPath: folder.path + "-moved") }
    await #expect(throws: missing) { try await store.checkWritable() }

    try FileManager.default.createDirectory(atPath: folder.path, withIntermediateDirectories: false)
    try Data().write(to: URL(fileURLWithPath: folder.database))
    await #expect(throws: missing) { try await store.checkWritable() }
    try FileManager.default.removeItem(atPath: folder.path)

    try FileManager.default.moveItem(atPath: folder.path + "-moved", toPath: folder.path)
    try await store.checkWritable()
    try await store.close()
  }
}
