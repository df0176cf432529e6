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
      try rows.append(.sample(), at: .earliest)
    }
    try await store.file.pool.write { try $0.execute(sql: sql) }
    let message = "a row of the table \(table) cannot be read back: its \(column) is not valid"
    await #expect(throws: StoreError.unavailable(message)) {
      try await store.read(browser) { rows in
        _ = try rows.state()
        _ = try rows.report(1)
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
