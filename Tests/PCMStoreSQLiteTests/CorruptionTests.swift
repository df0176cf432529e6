import GRDB
import PCMCore
import PCMStore
import Testing

@testable import PCMStoreSQLite

@Suite struct CorruptionTests {
  @Test(
    "A row that cannot be read back is an error that names the table and the column",
    arguments: [
      ("UPDATE events SET kind = 'tap'", "events", "kind"),
      ("UPDATE browsers SET settings = '{'", "browsers", "settings"),
      ("UPDATE browsers SET draws = '{\"token\":\"three\"}'", "browsers", "value"),
      ("PRAGMA ignore_check_constraints = 1; UPDATE browsers SET draws = '{'", "browsers", "draws"),
      ("UPDATE browsers SET timer = 9223372036854775807", "browsers", "timer"),
      ("UPDATE clicks SET id = -9223372036854775808", "clicks", "id"),
      ("UPDATE events SET sequence = 9223372036854775807", "events", "sequence"),
      ("UPDATE events SET detail = CAST(x'22FF22' AS TEXT)", "events", "detail"),
      ("UPDATE reports SET attempts = '{}' || char(30) || '{'", "reports", "attempts"),
      ("UPDATE postbacks SET state = 'delivered'", "postbacks", "next_at"),
      ("UPDATE attributions SET next_due = 5", "attributions", "next_due"),
      ("UPDATE kept_requests SET received_at = -1", "kept_requests", "received_at"),
    ])
  func corruptRow(sql: String, table: String, column: String) async throws {
    let folder = try TemporaryFolder()
    let store = try folder.open()
    let browser = try await store.create(
      NewBrowser(name: "one", seed: "s", clockMode: .manual, state: BrowserState(now: .earliest))
    ).id
    try await store.write(browser) { rows in
      try rows.fill()
      try Self.keepRequest("1", in: rows)
    }
    let row = try await store.file.pool.writeWithoutTransaction { database in
      try database.execute(sql: sql)
      // The test may have changed the number of the row.
      return try String.fetchOne(database, sql: "SELECT CAST(\(Self.keys[table] ?? "") AS TEXT) FROM \(table)")
    }
    // A position of a random stream is read as a row, whose name it has.
    let error = StoreError.unreadable(table: table, row: column == "value" ? "token" : row ?? "", column: column)
    await #expect(throws: error) {
      try await store.read(browser) { rows in
        _ = try rows.state()
        _ = try rows.row(Report.self, 1)
        _ = try rows.clicks(in: .table, after: .min, limit: 9)
        _ = try rows.clicks(in: .table, madeBefore: .latest)
        _ = try rows.events(after: 0, limit: 9)
        _ = try rows.apps()
        _ = try rows.sites()
        _ = try rows.rows(DeviceRow.Query.earliest(limit: 9))
        _ = try rows.row(Postback.self, 1)
        _ = try rows.attributions(in: .normal, after: .min, limit: 9)
        _ = try rows.row(IdempotencyRecord.self, "1")
        _ = try rows.nextSequence()
      }
    }
  }

  /// The columns that identify a row of a browser.
  private static let keys = [
    "browsers": "id", "events": "sequence", "reports": "id", "clicks": "id", "apps": "bundle", "sites": "host",
    "device_rows": "name", "postbacks": "id", "attributions": "id", "kept_requests": "key",
  ]

  private static func keepRequest(_ key: String, in rows: any BrowserWriter) throws {
    try rows.saveRequest(
      IdempotencyRecord(key: key, digest: "d", receivedAt: .earliest, answer: "{}"),
      trimmingTo: IdempotencyLimits(maximumCount: 9, maximumBytes: 99, expiry: Instant(milliseconds: -1)))
  }

  @Test(
    "A size that no row has is an error that names the row, and not an overflow of the sum",
    arguments: [
      ("UPDATE kept_requests SET size = 4611686018427387904", "kept_requests"),
      ("UPDATE kept_requests SET size = -1", "kept_requests"),
    ])
  func corruptSize(sql: String, table: String) async throws {
    let folder = try TemporaryFolder()
    let first = try folder.open()
    let browser = try await first.create(
      NewBrowser(name: "one", seed: "s", clockMode: .manual, state: BrowserState(now: .earliest))
    ).id
    try await first.write(browser) { try Self.addSizes($0) }
    try await first.close()
    try folder.edit(sql)

    let store = try folder.open()
    await #expect(throws: StoreError.unreadable(table: table, row: "1", column: "size")) {
      try await store.write(browser) { try Self.addSizes($0) }
    }
    try await store.close()
  }

  /// Adds two rows to the table with sizes.
  private static func addSizes(_ rows: any BrowserWriter) throws {
    for key in ["1", "2"] {
      try keepRequest(key, in: rows)
    }
  }

  @Test("An unreadable browser is not in the list, keeps its name, and can be deleted")
  func corruptBrowser() async throws {
    let folder = try TemporaryFolder()
    let store = try folder.open()
    let new = NewBrowser(name: "one", seed: "s", clockMode: .manual, state: BrowserState(now: .earliest))
    let browser = try await store.create(new)
    let other = try await store.create(
      NewBrowser(name: "other", seed: "s", clockMode: .manual, state: BrowserState(now: .earliest)))
    try await store.file.pool.write {
      try $0.execute(sql: "UPDATE browsers SET clock_mode = 'sundial' WHERE name = 'one'")
    }
    let error = StoreError.unreadable(table: "browsers", row: "\(browser.id.number)", column: "clock_mode")
    #expect("\(error)" == "row \(browser.id.number) of the table browsers is not readable: its clock_mode is not valid")
    let unreadable = UnreadableBrowser(id: browser.id, name: "one", error: error)
    #expect(try await store.allBrowsers() == [.failure(unreadable), .success(other)])
    await #expect(throws: error) { try await store.browser(named: "one") }
    await #expect(throws: StoreError.browserExists(name: "one")) { try await store.create(new) }
    try await store.delete(browser.id)
    #expect(try await store.create(new).name == "one")
  }

  @Test("A browser whose name is damaged is unreadable, has no name, and can be deleted; others are not affected")
  func corruptName() async throws {
    let folder = try TemporaryFolder()
    let first = try folder.open()
    let state = BrowserState(now: .earliest)
    let browser = try await first.create(NewBrowser(name: "one", seed: "s", clockMode: .manual, state: state))
    let other = try await first.create(NewBrowser(name: "other", seed: "s", clockMode: .manual, state: state))
    try await first.close()
    // SQLite checks the types of a strict table when it writes, not when it reads.
    try folder.edit(
      """
      PRAGMA writable_schema = ON;
      UPDATE sqlite_schema SET sql = replace(sql, 'STRICT', '') WHERE name = 'browsers'
      """)
    try folder.edit("UPDATE browsers SET name = x'FF' WHERE name = 'one'")

    let store = try folder.open()
    let error = StoreError.unreadable(table: "browsers", row: "\(browser.id.number)", column: "name")
    let unreadable = UnreadableBrowser(id: browser.id, name: nil, error: error)
    #expect(try await store.allBrowsers() == [.failure(unreadable), .success(other)])
    try await store.delete(browser.id)
    #expect(try await store.allBrowsers() == [.success(other)])
    try await store.close()
  }
}
