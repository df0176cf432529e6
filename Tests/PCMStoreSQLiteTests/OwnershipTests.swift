import Foundation
import PCMCore
import PCMStore
import Testing

@testable import PCMStoreSQLite

/// One process at a time uses the file at a path, and it acknowledges only what is in that file.
@Suite struct OwnershipTests {
  private let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
  }

  private static func newBrowser(in store: SQLiteStore) async throws -> BrowserID {
    try await store.create(
      NewBrowser(name: "one", seed: "s", clockMode: .manual, state: BrowserState(now: .earliest))
    ).id
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

  @Test("A database with a second name is not opened by a second store", arguments: [true, false])
  func secondName(isSymbolic: Bool) async throws {
    let store = try folder.open()
    let other = folder.path + "/other.sqlite"
    if isSymbolic {
      _ = try folder.link("other.sqlite", to: folder.database)
    } else {
      try FileManager.default.linkItem(atPath: folder.database, toPath: other)
    }
    let error = #expect(throws: StoreError.self) { try SQLiteStore(path: other) }
    #expect(error?.description.contains(isSymbolic ? "is in use" : "hard links") == true, "\(error?.description ?? "")")
    try await store.close()
  }

  @Test("Two links to a file that does not exist yet lead to one database, whose path is in errors")
  func linksToAMissingFile() async throws {
    let first = try folder.link("first.sqlite", to: "browsers.sqlite")
    let second = try folder.link("second.sqlite", to: first)
    let store = try SQLiteStore(path: second)
    for path in [first, second, folder.database] {
      let error = #expect(throws: StoreError.self) { try SQLiteStore(path: path) }
      #expect(error == .unavailable("\(folder.database) is in use: one process at a time may open it"))
    }
    try await store.checkWritable()
    #expect(store.file.logSize > 0)
    let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
    #expect(names.filter { !$0.hasPrefix("browsers.sqlite") }.sorted() == ["first.sqlite", "second.sqlite"])
    #expect(SymbolicLink.destination(of: second) == first)
    try FileManager.default.removeItem(atPath: folder.database + "-wal")
    await #expect(throws: StoreError.missingFile(path: folder.database)) { try await store.checkWritable() }
  }

  @Test("A store whose link leads to another file later rejects writes")
  func redirectedLink() async throws {
    let link = try folder.link("link.sqlite", to: "browsers.sqlite")
    let store = try SQLiteStore(path: link)
    try FileManager.default.removeItem(atPath: link)
    try Data().write(to: URL(fileURLWithPath: link))
    await #expect(throws: StoreError.missingFile(path: folder.database)) { try await store.checkWritable() }
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

  @Test("A store whose database is truncated rejects writes")
  func truncatedFile() async throws {
    let store = try folder.open()
    try Data().write(to: URL(fileURLWithPath: folder.database))
    await #expect(throws: StoreError.missingFile(path: folder.database)) { try await store.checkWritable() }
  }

  @Test("Without its folder, a store rejects writes, and with the folder at its place it continues")
  func movedFolder() async throws {
    let store = try folder.open()
    let browser = try await Self.newBrowser(in: store)
    let missing = StoreError.missingFile(path: folder.database)
    try FileManager.default.moveItem(atPath: folder.path, toPath: folder.path + "-moved")
    defer { try? FileManager.default.removeItem(atPath: folder.path + "-moved") }
    await #expect(throws: missing) { try await store.checkWritable() }
    await #expect(throws: missing) { try await store.write(browser) { try $0.append(.sample(), at: .earliest).sequence } }

    try FileManager.default.createDirectory(atPath: folder.path, withIntermediateDirectories: false)
    await #expect(throws: missing) { try await store.checkWritable() }
    try FileManager.default.removeItem(atPath: folder.path)

    try FileManager.default.moveItem(atPath: folder.path + "-moved", toPath: folder.path)
    #expect(try await store.write(browser) { try $0.append(.sample(), at: .earliest).sequence } == 1)
    try await store.close()
  }

  @Test("A store rejects writes without any of its files", arguments: ["", "-wal", "-owner"])
  func removedFile(suffix: String) async throws {
    let store = try folder.open()
    try FileManager.default.removeItem(atPath: folder.database + suffix)
    await #expect(throws: StoreError.missingFile(path: folder.database)) { try await store.checkWritable() }
  }

  @Test("A commit during which the folder is moved is neither acknowledged nor denied, and nothing follows it")
  func moveDuringACommit() async throws {
    let store = try folder.open()
    let browser = try await Self.newBrowser(in: store)
    let (path, moved, file) = (folder.path, folder.path + "-moved", folder.database)
    defer { try? FileManager.default.removeItem(atPath: moved) }
    await #expect(throws: StoreError.uncertainCommit(path: file)) {
      try await store.write(browser) { rows in
        try rows.append(.sample(), at: .earliest)
        try? FileManager.default.moveItem(atPath: path, toPath: moved)
      }
    }
    await #expect(throws: StoreError.lostFile(path: file)) { try await store.checkWritable() }

    try FileManager.default.moveItem(atPath: moved, toPath: path)
    await #expect(throws: StoreError.lostFile(path: file)) { try await store.checkWritable() }
    await #expect(throws: StoreError.lostFile(path: file)) {
      try await store.write(browser) { try $0.append(.sample(), at: .earliest).sequence }
    }
    try await store.close()
    let again = try folder.open()
    #expect(try await again.read(browser) { try $0.events(after: 0, limit: 9).map(\.sequence) } == [1])
    try await again.checkWritable()
    try await again.close()
  }

  @Test("No write is acknowledged when the folder is removed during its transaction or an earlier one")
  func removalDuringACommit() async throws {
    let store = try folder.open()
    let browser = try await Self.newBrowser(in: store)
    let (path, file) = (folder.path, folder.database)
    let errors = await withTaskGroup { group in
      for _ in 0..<3 {
        group.addTask {
          await #expect(throws: StoreError.self) {
            try await store.write(browser) { rows in
              try rows.append(.sample(), at: .earliest)
              try? FileManager.default.removeItem(atPath: path)
            }
          }
        }
      }
      return await group.reduce(into: Set()) { $0.insert($1) }
    }
    #expect(errors.contains(.uncertainCommit(path: file)))
    #expect(errors.isSubset(of: [.uncertainCommit(path: file), .lostFile(path: file)]))
  }

  #if os(Linux)
    @Test("Where a process may not listen, a path is not locked, and not in use either")
    func failedListen() throws {
      let file = folder.database
      let unlocked = try PathLock(path: file, listen: { _ in -1 })
      // The name is not taken.
      let locked = try PathLock(path: file)
      #expect(throws: StoreError.self) { try PathLock(path: file) }
      unlocked.release()
      locked.release()
    }

    @Test("A second store cannot open a folder that was created again while the first is open")
    func recreatedFolder() async throws {
      let first = try folder.open()
      try FileManager.default.removeItem(atPath: folder.path)
      try FileManager.default.createDirectory(atPath: folder.path, withIntermediateDirectories: false)
      let link = folder.path + "-link"
      try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: folder.path)
      defer { try? FileManager.default.removeItem(atPath: link) }
      for path in [folder.database, link + "/browsers.sqlite"] {
        let error = #expect(throws: StoreError.self) { try SQLiteStore(path: path) }
        #expect(error == .unavailable("\(folder.database) is in use: one process at a time may open it"))
      }
      #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).isEmpty)
      try await first.close()
      try await folder.open().checkWritable()
    }

    /// Any user can take the name, because it is computed from public facts.
    @Test("An error names the process of another user that has the path, and what to do")
    func otherUser() async throws {
      let first = try folder.open()
      let process = ProcessInfo.processInfo.processIdentifier
      for (user, text) in [
        (getuid(), "is in use: one process at a time may open it"),
        (getuid() + 1, "is in use by process \(process) of another user (\(getuid())); it has to end first"),
      ] {
        let error = #expect(throws: StoreError.self) { try PathLock(path: folder.database, user: user) }
        #expect(error == .unavailable("\(folder.database) \(text)"))
      }
      try await first.close()
      try PathLock(path: folder.database).release()
    }
  #endif
}
