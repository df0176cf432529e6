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
      ("UPDATE reports SET state = 'lost'", "reports", "state"),
      ("UPDATE reports SET recipient = ''", "reports", "recipient"),
      ("UPDATE browsers SET settings = '{\"deliveryPolicy\":\"maybe\"}'", "browsers", "settings"),
      ("UPDATE browsers SET settings = '{'", "browsers", "settings"),
      ("UPDATE browsers SET draws = '{\"token\":\"three\"}'", "browsers", "draws"),
      ("PRAGMA ignore_check_constraints = 1; UPDATE browsers SET draws = '{'", "browsers", "draws"),
      ("UPDATE apps SET findings = '['", "apps", "findings"),
      ("UPDATE apps SET sdk = '18,2'", "apps", "sdk"), ("UPDATE apps SET signing = 'none'", "apps", "signing"),
      ("UPDATE apps SET platform = 'ipados'", "apps", "platform"),
      ("UPDATE apps SET ad_attribution = '{'", "apps", "ad_attribution"),
      ("UPDATE sites SET behavior = '{'", "sites", "behavior"),
      ("UPDATE sites SET positions = ''", "sites", "positions"),
      ("UPDATE browsers SET now = -1", "browsers", "now"), ("UPDATE browsers SET labels = '[]'", "browsers", "labels"),
      ("UPDATE browsers SET idle_timeout = 1", "browsers", "idle_timeout"),
      ("UPDATE browsers SET journal_bytes = -1", "browsers", "journal_bytes"),
      ("UPDATE browsers SET journal_ending = 'soon'", "browsers", "journal_ending"),
      ("UPDATE browsers SET timer = 9223372036854775807", "browsers", "timer"),
      ("UPDATE browsers SET due_at = -1", "browsers", "due_at"),
      ("UPDATE browsers SET fence = -1", "browsers", "fence"),
      ("UPDATE browsers SET settings = '{\"logRetention\":{\"maximumCount\":-1}}'", "browsers", "settings"),
      ("UPDATE clicks SET made_at = 9223372036854775807", "clicks", "made_at"),
      ("UPDATE clicks SET id = -9223372036854775808", "clicks", "id"),
      ("UPDATE reports SET due_at = -1", "reports", "due_at"),
      ("UPDATE reports SET retry_at = 9223372036854775807", "reports", "retry_at"),
      ("UPDATE reports SET attribution = -1", "reports", "attribution"),
      ("UPDATE device_rows SET kind = 7", "device_rows", "kind"),
      ("PRAGMA ignore_check_constraints = 1; UPDATE device_rows SET value = CAST(x'22FF22' AS TEXT)", "device_rows", "value"),
      ("UPDATE device_rows SET changes_at = -1", "device_rows", "changes_at"),
      ("UPDATE postbacks SET conversion = -1", "postbacks", "conversion"),
      ("UPDATE postbacks SET impression = 9223372036854775807", "postbacks", "impression"),
      ("UPDATE postbacks SET framework = 'SKAdNetwork'", "postbacks", "framework"),
      ("PRAGMA ignore_check_constraints = 1; UPDATE postbacks SET sequence_index = 3", "postbacks", "sequence_index"),
      ("UPDATE postbacks SET recipient = 'source'", "postbacks", "recipient"),
      ("UPDATE postbacks SET due_at = -1", "postbacks", "due_at"),
      ("UPDATE postbacks SET state = 'lost'", "postbacks", "state"),
      ("UPDATE postbacks SET retry_at = 9223372036854775807", "postbacks", "retry_at"),
      ("UPDATE postbacks SET attempt_count = -1", "postbacks", "attempt_count"),
      ("UPDATE events SET at = -3", "events", "at"),
      ("UPDATE events SET sequence = 9223372036854775807", "events", "sequence"),
      ("PRAGMA ignore_check_constraints = 1; UPDATE events SET sequence = -5", "events", "sequence"),
      ("UPDATE events SET detail = 'garbage'", "events", "detail"),
      ("UPDATE events SET detail = CAST(x'22FF22' AS TEXT)", "events", "detail"),
      ("UPDATE events SET detail = char(65279) || detail", "events", "detail"),
      ("UPDATE apps SET endpoint_problem = CAST(x'66FF' AS TEXT)", "apps", "endpoint_problem"),
      ("UPDATE reports SET body = 'gar\"bage'", "reports", "body"),
      ("UPDATE reports SET attempts = 'garbage'", "reports", "attempts"),
      ("UPDATE reports SET attempts = '{}' || char(30) || '{'", "reports", "attempts"),
      ("UPDATE reports SET state = 'delivered', retry_at = 5", "reports", "retry_at"),
      ("UPDATE postbacks SET body = 'garbage'", "postbacks", "body"),
      ("UPDATE postbacks SET attempts = 'garbage'", "postbacks", "attempts"),
      ("UPDATE postbacks SET state = 'failed', retry_at = 5, next_at = NULL", "postbacks", "retry_at"),
      ("UPDATE postbacks SET state = 'delivered'", "postbacks", "next_at"),
      ("UPDATE postbacks SET next_at = NULL", "postbacks", "next_at"),
      ("UPDATE attributions SET next_due = 5", "attributions", "next_due"),
      ("UPDATE kept_requests SET received_at = -1", "kept_requests", "received_at"),
      ("UPDATE kept_requests SET answer = CAST(x'66FF' AS TEXT)", "kept_requests", "answer"),
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
    let error = UnreadableRow(table: table, row: row ?? "", column: column)
    await #expect(throws: StoreError.unreadable(error)) {
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
        _ = try rows.row(KeptRequest.self, "1")
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
    try rows.keep(
      KeptRequest(key: key, digest: "d", receivedAt: .earliest, answer: "{}"),
      within: KeptRequestLimits(maximumCount: 9, maximumBytes: 99, expiry: Instant(milliseconds: -1)))
  }

  @Test("A damaged request that is too old or beyond the limits is removed by the next one")
  func corruptOldRequest() async throws {
    let folder = try TemporaryFolder()
    let store = try folder.open()
    let browser = try await store.create(
      NewBrowser(name: "one", seed: "s", clockMode: .manual, state: BrowserState(now: .earliest))
    ).id
    for (count, expiry) in [(9, Instant(milliseconds: 1)), (1, Instant(milliseconds: -1))] {
      try await store.write(browser) { try Self.keepRequest("old", in: $0) }
      try await store.file.pool.write { database in
        try database.execute(sql: "UPDATE kept_requests SET answer = CAST(x'66FF' AS TEXT) WHERE key = 'old'")
      }
      let next = KeptRequest(key: "next", digest: "d", receivedAt: Instant(milliseconds: 2), answer: "{}")
      try await store.write(browser) { rows in
        try rows.keep(next, within: KeptRequestLimits(maximumCount: count, maximumBytes: 99, expiry: expiry))
        #expect(try rows.keysOfKeptRequests(until: nil, limit: 9) == ["next"])
      }
    }
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
    await #expect(throws: StoreError.unreadable(UnreadableRow(table: table, row: "1", column: "size"))) {
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
    #expect(try await store.unreadableBrowsers().isEmpty)
    try await store.file.pool.write {
      try $0.execute(sql: "UPDATE browsers SET clock_mode = 'sundial' WHERE name = 'one'")
    }
    let row = UnreadableRow(table: "browsers", row: "\(browser.id.number)", column: "clock_mode")
    #expect("\(row)" == "row \(browser.id.number) of the table browsers is not readable: its clock_mode is not valid")
    #expect(try await store.unreadableBrowsers() == [UnreadableBrowser(id: browser.id, name: "one", row: row)])
    #expect(try await store.browsers() == [other])
    await #expect(throws: StoreError.unreadable(row)) { try await store.browser(named: "one") }
    await #expect(throws: StoreError.browserExists(name: "one")) { try await store.create(new) }
    try await store.delete(browser.id)
    #expect(try await store.unreadableBrowsers().isEmpty)
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
    let row = UnreadableRow(table: "browsers", row: "\(browser.id.number)", column: "name")
    #expect(try await store.unreadableBrowsers() == [UnreadableBrowser(id: browser.id, name: nil, row: row)])
    #expect(try await store.browsers() == [other])
    try await store.delete(browser.id)
    #expect(try await store.unreadableBrowsers().isEmpty)
    try await store.close()
  }
}
