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
    "Commits reach the disk: what the writer's connection is set to",
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
    #expect(try await store.read(record.id) { try $0.earliestDeviceRows(limit: 9) } == [row])
    #expect(try await store.read(record.id) { try $0.earliestPostbacks(limit: 9) } == [.sample])
    let details = try await store.read(record.id) { try $0.events(after: 0, limit: 9).map(\.detail) }
    #expect(details.map(\.text) == [String(decoding: BrowserEvent.sample().json, as: UTF8.self)])
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

  @Test("A file from before there were tokens is taken over, rows and all")
  func olderSchema() async throws {
    let raw = try DatabaseQueue(path: folder.database)
    try Schema.migrator.migrate(raw, upTo: "tables")
    try await raw.write { database in
      try database.execute(
        sql: """
          INSERT INTO browsers VALUES (1, 'old', '', 'manual', 1, 0, 0, 'webkit', 'wellKnown', 0, NULL, '{}');
          INSERT INTO clicks VALUES (1, 0, 1, 'news.example', 'shop.example', 'a', 4, 0, NULL, NULL);
          """)
    }
    try raw.close()
    let store = try folder.open()
    let old = try #require(try await store.browsers().first)
    #expect(try await store.read(old.id) { try $0.state().settings.reportURL } == .wellKnown)
    let click = try await store.read(old.id) { try $0.clicks(in: .table, after: 0, limit: 2) }
    #expect(click.map(\.click.sourceID) == [4] && click.map(\.click.token) == [nil])
    #expect((old.createdAt, old.incarnation) == (.earliest, "row-1"))
    #expect(try await store.read(old.id) { try $0.journalEnding() } == .unknownBeginning)
    try await store.close()
  }

  /// Opens a file that an earlier version wrote, with a browser.
  ///
  /// - Parameters:
  ///   - migration: The last migration of that version.
  ///   - rows: Statements that insert other rows.
  private func openOlderFile(upTo migration: String, _ rows: String = "") async throws -> SQLiteStore {
    let raw = try DatabaseQueue(path: folder.database)
    try Schema.migrator.migrate(raw, upTo: migration)
    try await raw.write { database in
      try database.execute(
        sql: """
          INSERT INTO browsers (id, name, seed, clock_mode, measurement_enabled, private_browsing, debug_mode,
            delivery_policy, report_url, now, draws)
          VALUES (1, 'old', '', 'manual', 1, 0, 0, 'webkit', 'well-known', 0, '{}');
          \(rows)
          """)
    }
    try raw.close()
    return try folder.open()
  }

  @Test("An app from before devices is kept, with the values that a device reads missing, and its platform")
  func appsOfAnOlderSchema() async throws {
    let store = try await openOlderFile(
      upTo: "counts of attempts",
      """
      INSERT INTO apps (browser, bundle, report_endpoint, endpoint_problem, is_mac_catalyst, findings, item_identifier)
      VALUES (1, 'com.example.mac', NULL, NULL, 1, '[]', NULL),
        (1, 'com.example.old', 'https://a.example', NULL, 0, '[]', 7);
      """)
    let old = try #require(try await store.browsers().first)
    let app = AppRecord(
      bundleIdentifier: "com.example.old", reportEndpoint: "https://a.example", endpointError: nil, findings: "[]",
      itemIdentifier: 7)
    let mac = AppRecord(
      bundleIdentifier: "com.example.mac", reportEndpoint: nil, endpointError: nil, build: AppBuild(platform: .macCatalyst),
      findings: "[]")
    #expect(try await store.read(old.id) { try $0.apps() } == [mac, app])
    #expect(app.adAttribution == nil && app.build == AppBuild(sdk: nil, signing: .store, platform: .iPhoneOrIPad))
    let new = AppRecord(
      bundleIdentifier: "com.example.old", reportEndpoint: nil, endpointError: nil, findings: "[]",
      adAttribution: #"{"a":1}"#)
    try await store.write(old.id) { try $0.save(new) }
    #expect(try await store.read(old.id) { try $0.app("com.example.old") } == new)
  }

  @Test("A browser from before there were devices has none, and receives one")
  func browsersWithoutDevices() async throws {
    let store = try await openOlderFile(upTo: "attribution of app installs")
    let old = try #require(try await store.browsers().first)
    for kind in DeviceRow.Kind.allCases {
      #expect(try await store.read(old.id) { try $0.deviceRows(kind, after: "", limit: 9) }.isEmpty)
    }
    #expect(try await store.read(old.id) { try $0.postbacks(in: nil, after: 0, limit: 9) }.isEmpty)
    try await store.write(old.id) { rows in
      try rows.save(DeviceRow(.device, "", value: "{}"))
      try rows.save(Postback.sample)
    }
    #expect(try await store.read(old.id) { try $0.deviceRow(DeviceRow.Key(.device, "")) }?.value == "{}")
    #expect(try await store.read(old.id) { try $0.postback(1) } == .sample)
  }

  @Test("The signed text of an ad of an older file has a row, and a damaged ad does not prevent the start")
  func signedTextsOfAnOlderSchema() async throws {
    let store = try await openOlderFile(
      upTo: "builds of apps",
      """
      INSERT INTO device_rows (browser, kind, name, value, changes_at)
      VALUES (1, 3, 'impression-1', '{"view":{},"jws":"a.b.c","endedAt":null}', 5), (1, 3, 'impression-2', '{"view":{}}', NULL);
      PRAGMA ignore_check_constraints = 1;
      INSERT INTO device_rows (browser, kind, name, value) VALUES (1, 3, 'impression-3', 'damaged');
      """)
    let old = try #require(try await store.browsers().first)
    let views = try await store.read(old.id) { try $0.deviceRows(.view, after: "", limit: 2) }
    #expect(
      views == [
        DeviceRow(.view, "impression-1", value: #"{"view":{},"endedAt":null}"#, changesAt: Instant(milliseconds: 5)),
        DeviceRow(.view, "impression-2", value: #"{"view":{}}"#),
      ])
    let damaged = try await store.read(old.id) { try $0.deviceRow(DeviceRow.Key(.view, "impression-3")) }
    #expect(damaged == DeviceRow(.view, "impression-3", value: "damaged"))
    let texts = try await store.read(old.id) { try $0.deviceRows(.signedText, after: "", limit: 9) }
    #expect(texts == [DeviceRow(.signedText, "impression-1", value: #"{"jws":"a.b.c"}"#)])
  }

  @Test("A log from before decisions kept their rules is taken over, and new decisions keep theirs")
  func logWithoutRules() async throws {
    let raw = try DatabaseQueue(path: folder.database)
    try Schema.migrator.migrate(raw, upTo: "tokens")
    let detail = #"{"via":"link-click","destinationSite":null,"reasons":[],"decision":{"saw":{"userGesture":true}}}"#
    try await raw.write { database in
      try database.execute(
        sql: "INSERT INTO browsers VALUES (1, 'old', '', 'manual', 1, 0, 0, 'webkit', 'wellKnown', 0, NULL, '{}')")
      try database.execute(sql: "INSERT INTO events VALUES (1, 1, 0, 'click-discarded', ?)", arguments: [detail])
    }
    try raw.close()
    var store = try folder.open()
    let old = try #require(try await store.browsers().first)
    #expect(try await store.read(old.id) { try $0.events(after: 0, limit: 2).map(\.detail.text) } == [detail])
    let decision = RecordedDecision(rules: Sample.rules, inputs: [])
    try await store.write(old.id) { rows in
      _ = try rows.append(
        .clickDiscarded(ClickDiscarded(origin: .linkClick, destination: nil, reasons: [], decision: decision)), at: .earliest)
    }
    try await store.close()

    store = try folder.open()
    #expect(try await store.read(old.id) { try $0.ruleList(Sample.rules.id) } == Sample.rules)
  }

  @Test("The log of an older file is indexed when it is opened, as if it had been written today")
  func logWithoutIndex() async throws {
    // The first event introduces the record of its own number.
    let events = [Sample.events[1]] + Sample.events.filter { !Sample.deviceEvents.contains($0) }
    let raw = try DatabaseQueue(path: folder.database)
    try Schema.migrator.migrate(raw, upTo: "rules of decisions")
    try await raw.write { database in
      try database.execute(
        sql: "INSERT INTO browsers VALUES (1, 'old', '', 'manual', 1, 0, 0, 'webkit', 'wellKnown', 0, NULL, '{}')")
      for (index, event) in events.enumerated() {
        try database.execute(
          sql: "INSERT INTO events VALUES (1, ?, 0, ?, ?)",
          arguments: [index + 1, event.kind.rawValue, Self.olderDetail(event)])
      }
    }
    try raw.close()
    let (old, newFolder) = (try folder.open(), try TemporaryFolder())
    let new = try newFolder.open()
    let browser = try await new.create(
      NewBrowser(name: "new", seed: "", clockMode: .manual, state: BrowserState(now: .earliest)))
    try await new.write(browser.id) { rows in
      for event in events { try rows.append(event, at: .earliest) }
    }
    let rows = try await Self.index(of: old)
    #expect(try await rows == Self.index(of: new))
    #expect(rows.count > 50)
    let (older, newer) = (try await Self.events(in: old), try await Self.events(in: new))
    #expect(older.map(\.detail.text) == newer.map(\.detail.text), "details are under the names of today")
  }

  private static func events(in store: SQLiteStore) async throws -> [LogEvent] {
    let browser = try #require(try await store.browsers().first)
    return try await store.read(browser.id) { try $0.events(after: 0, limit: 1_000) }
  }

  /// Returns the detail of an event under the names of version 0.1.
  private static func olderDetail(_ event: BrowserEvent) -> String {
    var names = [
      ("clickId", "click"), ("attributionId", "attribution"), ("reportId", "report"), ("sourceReportId", "sourceReport"),
      ("destinationReportId", "destinationReport"), ("successorId", "by"), ("sourceIdentifier", "sourceID"),
      ("keyId", "keyID"), ("requestSequence", "request"), ("triggeringEventId", "triggeringEvent"), ("reportIds", "reports"),
      ("clickCount", "clicks"), ("attributionCount", "attributions"), ("reportCount", "reports"), ("eventCount", "count"),
    ]
    var detail = String(decoding: event.json, as: UTF8.self)
    if detail.contains("\"requestSequence\":") { names.append(("recipient", "party")) }
    for (name, older) in names { detail = detail.replacing("\"\(name)\":", with: "\"\(older)\":") }
    detail = detail.replacing(/"triggering-event-([0-9]+)"/) { $0.1 }
    return detail.replacing("\"via\":\"ephemeral-click\"", with: "\"via\":\"slot\"")
      .replacing("\"well-known\"", with: "\"wellKnown\"")
  }

  @Test("The index of an older log is completed with the ephemeral clicks that triggering events lost")
  func logWithLostClicks() async throws {
    let raw = try DatabaseQueue(path: folder.database)
    try Schema.migrator.migrate(raw, upTo: "retention of the log")
    try await raw.write { database in
      try database.execute(
        sql: """
          INSERT INTO browsers (id, name, seed, clock_mode, measurement_enabled, private_browsing, debug_mode,
            delivery_policy, report_url, now, draws)
          VALUES (1, 'old', '', 'manual', 1, 0, 0, 'webkit', 'wellKnown', 0, '{}')
          """)
      for (index, code) in ["held-click-mismatch", "held-click-expired", "other-app"].enumerated() {
        let detail = """
          {"data":12,"priority":0,"sourceSite":"a.example","destinationSite":"b.example","reasons":\
          [{"code":"\(code)","detail":""}],"triggeringEvent":null,"decision":{"saw":{"heldClick":"click-1030"}}}
          """
        try database.execute(
          sql: "INSERT INTO events VALUES (1, ?, 0, 'trigger-unmatched', ?)", arguments: [2_000 + index, detail])
      }
    }
    try raw.close()
    let store = try folder.open()
    let old = try #require(try await store.browsers().first)
    let found = try await store.read(old.id) { try $0.events(EventFilter(about: "click-1030"), after: 0, limit: 9) }
    #expect(found.map(\.sequence) == [2_000, 2_001])
  }

  private static func index(of store: SQLiteStore) async throws -> [String] {
    try await store.file.pool.read { database in
      try String.fetchAll(
        database,
        sql:
          "SELECT browser || ' ' || block || ' ' || sequence || ' ' || subject FROM event_subjects ORDER BY browser, sequence, subject"
      )
    }
  }

  @Test("A file of a newer version is refused and left as it is")
  func newerSchema() async throws {
    try await folder.open().close()
    let raw = try DatabaseQueue(path: folder.database)
    try await raw.write { try $0.execute(sql: "INSERT INTO grdb_migrations VALUES ('from the future')") }
    try raw.close()
    for _ in 0..<2 {
      #expect(throws: StoreError.newerSchema(path: folder.database)) { try folder.open() }
    }
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
    let circle = try folder.link("two.sqlite", to: "one.sqlite")
    for (path, reason) in [
      (missing, "the folder \(folder.path)/gone does not exist"), (circle, "its symbolic links form a circle"),
    ] {
      #expect(throws: StoreError.unavailable("cannot open \(path): \(reason)")) { try SQLiteStore(path: path) }
    }
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).count == 3)
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
