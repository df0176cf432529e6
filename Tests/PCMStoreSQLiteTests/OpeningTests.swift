import Foundation
import GRDB
import PCMCore
import PCMStore
import StoreContract
import Testing

@testable import PCMStoreSQLite

@Suite struct OpeningTests {
  private let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
  }

  @Test(
    "Commits reach the disk: the settings of the writer's connection",
    arguments: [
      ("synchronous", "2"), ("journal_mode", "wal"), ("foreign_keys", "1"), ("busy_timeout", "5000"),
      ("wal_autocheckpoint", "4000"), ("journal_size_limit", "16384000"),
    ])
  func durability(setting: String, expected: String) async throws {
    let store = try folder.open()
    let value = try await store.file.pool.writeWithoutTransaction { database in
      try Row.fetchOne(database, sql: "PRAGMA \(setting)").map { String(describing: $0[0] as DatabaseValue) }
    }
    #expect(value?.replacing("\"", with: "") == expected)
  }

  @Test("The file is for its owner's eyes only", arguments: ["", "-wal", "-shm"])
  func permissions(suffix: String) async throws {
    let store = try folder.open()
    try await store.checkWritable()
    let attributes = try FileManager.default.attributesOfItem(atPath: folder.database + suffix)
    #expect(attributes[.posixPermissions] as? Int == 0o600)
  }

  @Test("A file whose first start ended before its mark was durable is the service's at the next starts, too")
  func interruptedMark() async throws {
    var store = try folder.open()
    try await store.close()
    // The journal of a transaction in an empty file: SQLite rolls the file back to no pages.
    var journal: [UInt8] = [0xD9, 0xD5, 0x05, 0xF9, 0x20, 0xA1, 0x63, 0xD7]
    for number: UInt32 in [0, 0, 0, 512, 4_096] { journal += withUnsafeBytes(of: number.bigEndian, Array.init) }
    journal += [UInt8](repeating: 0, count: 512 - journal.count)
    try Data(journal).write(to: URL(fileURLWithPath: folder.database + "-journal"))
    store = try folder.open()
    let new = NewBrowser(name: "one", seed: "s", clockMode: .manual, state: BrowserState(now: .earliest))
    _ = try await store.create(new)
    try await store.close()
    store = try folder.open()
    #expect(try await store.browsers().map(\.name) == ["one"])
  }

  @Test("Everything comes back after the file was closed and opened again, and numbers go on")
  func reopening() async throws {
    var store = try folder.open()
    let new = NewBrowser(
      name: "one", seed: "s", clockMode: .manual, state: BrowserState(now: .earliest, draws: ["token": 3]),
      createdAt: .latest, incarnation: "first")
    let record = try await store.create(new)
    let gone = try await store.create(NewBrowser(name: "gone", seed: "", clockMode: .real, state: new.state))
    let click = KeptClick(id: 1, click: Click(key: .sample, sourceID: 9, clickedAt: .latest))
    let row = DeviceRow(.device, "", value: #"{"a":1}"#, changesAt: .latest)
    try await store.write(record.id) { rows in
      try rows.save(click, in: .ephemeral)
      try rows.save(row)
      try rows.save(Postback.sample)
      try rows.append(.sample(), at: .earliest)
    }
    try await store.delete(gone.id)
    try await store.close()

    store = try folder.open()
    #expect(try await store.browsers() == [record])
    #expect(try await store.read(record.id) { try $0.state() } == new.state)
    #expect(try await store.read(record.id) { try $0.click(.sample, in: .ephemeral) } == click)
    #expect(try await store.read(record.id) { try $0.rows(DeviceRow.Query.earliest(limit: 9)) } == [row])
    #expect(try await store.read(record.id) { try $0.rows(Postback.Query.earliest(limit: 9)) } == [.sample])
    let details = try await store.read(record.id) { try $0.events(after: 0, limit: 9).map(\.detail) }
    #expect(details.map(\.text) == [String(decoding: AppRegistered.sample().json, as: UTF8.self)])
    #expect(try await store.write(record.id) { try $0.append(.sample(), at: .latest).sequence } == 2)
    #expect(try await store.create(NewBrowser(name: "new", seed: "", clockMode: .real, state: new.state)).id != gone.id)
  }

  @Test("Numbers go on after the beginning of a log was removed and the file was opened again")
  func reopeningShortenedLog() async throws {
    var store = try folder.open()
    let browser = try await store.create(
      NewBrowser(name: "one", seed: "s", clockMode: .manual, state: BrowserState(now: .earliest)))
    try await store.write(browser.id) { rows in
      for _ in 1...LogBlock.size { try rows.append(.sample(), at: .earliest) }
      try rows.removeEvents(before: .max)
    }
    try await store.close()

    store = try folder.open()
    #expect(try await store.read(browser.id) { try $0.events(after: 0, limit: 9).map(\.sequence) } == [LogBlock.size])
    #expect(try await store.write(browser.id) { try $0.append(.sample(), at: .earliest).sequence } == LogBlock.size + 1)
    let rest = try await store.file.pool.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM event_subjects") }
    #expect(rest == 2)
  }

  @Test("A second opener is refused while the first lives, and let in after it has closed")
  func secondOpener() async throws {
    let first = try folder.open()
    let message = "\(folder.database) is in use: one process at a time may open it"
    #expect(throws: StoreError.unavailable(message)) { try folder.open() }
    try await first.checkWritable()
    try await first.close()
    try await folder.open().checkWritable()
  }

  @Test("A missing folder and a folder in the file's place are refused with a sentence")
  func wrongPaths() throws {
    let missing = folder.path + "/missing/browsers.sqlite"
    #expect(
      throws: StoreError.unavailable(
        "cannot open \(missing): the folder \(folder.path)/missing does not exist")
    ) { try SQLiteStore(path: missing) }
    #expect(throws: StoreError.unavailable("cannot open \(folder.path): it is a folder")) {
      try SQLiteStore(path: folder.path)
    }
  }

  @Test("A link to a missing folder and links in a circle are errors")
  func wrongLinks() throws {
    let missing = try folder.link("missing.sqlite", to: "gone/browsers.sqlite")
    _ = try folder.link("one.sqlite", to: "two.sqlite")
    for path in [missing, try folder.link("two.sqlite", to: "one.sqlite")] {
      #expect(throws: StoreError.unavailable("cannot open \(path): the file cannot be created")) { try SQLiteStore(path: path) }
    }
  }
}

extension Postback {
  static let sample = Postback(
    id: 1, conversion: 2, impression: 3, framework: .skadnetwork, sequenceIndex: 1, didWin: true, recipient: .adNetwork,
    adNetworkIdentifier: "example.skadnetwork", bundleIdentifier: "com.example.app", url: "https://ads.example/", body: "{}",
    message: OutgoingMessage(dueAt: .latest))
}

extension ClickKey {
  static let sample = ClickKey(
    source: Site("social.example"), destination: Site("shop.example"), bundleIdentifier: "com.example.app")
}
