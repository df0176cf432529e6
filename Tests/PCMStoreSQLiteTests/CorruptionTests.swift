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
      ("UPDATE browsers SET delivery_policy = 'maybe'", "browsers", "delivery_policy"),
      ("UPDATE browsers SET draws = '{\"token\":\"three\"}'", "browsers", "value"),
      ("UPDATE browsers SET now = -1", "browsers", "now"), ("UPDATE browsers SET labels = '[]'", "browsers", "labels"),
      ("UPDATE browsers SET idle_timeout = 1", "browsers", "idle_timeout"),
      ("UPDATE browsers SET timer = 9223372036854775807", "browsers", "timer"),
      ("UPDATE browsers SET log_maximum_count = -9223372036854775808", "browsers", "log_maximum_count"),
      ("UPDATE browsers SET log_maximum_age = -9223372036854775808", "browsers", "log_maximum_age"),
      ("UPDATE clicks SET made_at = 9223372036854775807", "clicks", "made_at"),
      ("UPDATE clicks SET id = -9223372036854775808", "clicks", "id"),
      ("UPDATE reports SET due_at = -1", "reports", "due_at"),
      ("UPDATE reports SET retry_at = 9223372036854775807", "reports", "retry_at"),
      ("UPDATE reports SET attribution = -1", "reports", "attribution"),
      ("UPDATE events SET at = -3", "events", "at"),
      ("UPDATE events SET sequence = 9223372036854775807", "events", "sequence"),
    ])
  func corruptRow(sql: String, table: String, column: String) async throws {
    let folder = try TemporaryFolder()
    let store = try folder.open()
    let browser = try await store.create(
      NewBrowser(name: "one", seed: "s", clockMode: .manual, state: BrowserState(now: .earliest))
    ).id
    try await store.write(browser) { rows in
      try rows.save(
        Report(
          id: 1, attribution: 1, session: .normal, key: .sample, recipient: .source, url: "", body: "", dueAt: .latest))
      try rows.save(KeptClick(id: 1, click: Click(key: .sample, sourceID: 9, clickedAt: .earliest)), in: .table)
      try rows.append(.sample(), at: .earliest)
    }
    try await store.file.pool.write { try $0.execute(sql: sql) }
    let message = "a row of the table \(table) cannot be read back: its \(column) is not valid"
    await #expect(throws: StoreError.unavailable(message)) {
      try await store.read(browser) { rows in
        _ = try rows.state()
        _ = try rows.report(1)
        _ = try rows.clicks(in: .table, after: .min, limit: 9)
        _ = try rows.clicks(in: .table, madeBefore: .latest)
        _ = try rows.events(after: 0, limit: 9)
      }
    }
  }

  @Test("A browser whose clock mode cannot be read makes the list an error")
  func corruptBrowser() async throws {
    let folder = try TemporaryFolder()
    let store = try folder.open()
    _ = try await store.create(
      NewBrowser(name: "one", seed: "s", clockMode: .manual, state: BrowserState(now: .earliest)))
    try await store.file.pool.write { try $0.execute(sql: "UPDATE browsers SET clock_mode = 'sundial'") }
    let message = "a row of the table browsers cannot be read back: its clock_mode is not valid"
    await #expect(throws: StoreError.unavailable(message)) { try await store.browsers() }
  }
}
