import PCMCore
import PCMStore
import Testing

@testable import PCMStorePostgres

extension PostgresTests {
  @Suite struct QueryPlanTests {
    /// Without a few statements that concern all browsers: the list, the counts, and the start and the end of a copy. Also without most
    /// statements about claims and instances: there are few rows.
    private static let statements =
      TableSQL.tables.flatMap { statements(of: $0.table) } + states + events + PostgresBrowser.sql.all + browsers
      + copies

    private static let locks = [PostgresBrowser.StateSQL.lock, PostgresBrowser.StateSQL.lockFree]

    private static let states =
      [
        PostgresBrowser.StateSQL.find, PostgresBrowser.StateSQL.update, CommitLoop.WriterSQL.begin, CommitLoop.WriterSQL.number,
      ] + locks

    private static let events = [
      PostgresBrowser.EventSQL.remove, PostgresBrowser.EventSQL.removeFromIndex, PostgresBrowser.EventSQL.saveRuleList,
      insertion(PostgresBrowser.EventSQL.append), insertion(PostgresBrowser.EventSQL.index),
    ]

    private static let browsers =
      [
        PostgresStore.BrowserSQL.create, PostgresStore.BrowserSQL.find, PostgresStore.BrowserSQL.findByName,
        PostgresStore.BrowserSQL.listed, PostgresStore.ForkSQL.exists, PostgresStore.ForkSQL.copy,
        PostgresStore.DeletionSQL.hide, PostgresStore.DeletionSQL.hidden, PostgresStore.DeletionSQL.remove,
        PostgresStore.ChangeSQL.nextSequences, PostgresStore.ClaimSQL.next, PostgresStore.ClaimSQL.due,
        Lease.LeaseSQL.renew, Lease.LeaseSQL.remove,
      ] + BrowserTables.remove

    private static let copies =
      CopiedTable.ofBrowser.flatMap { table in
        [true, false].map { PostgresStore.CopySQL.select(table, isFirst: $0) }
      } + [PostgresStore.CopySQL.browser]

    /// The statements that rows of a table use.
    private static func statements(of table: RowTable) -> [String] {
      let (sql, isGrouped) = (TableSQL(table), table.group.map(table.key.contains) ?? true)
      return [sql.find, sql.after, insertion(sql.save), sql.remove] + [isGrouped ? sql.removeAll : sql.afterInAll]
        + (table.hasTimesOfGroups ? [sql.before, sql.oldest] : [])
        + (table.times.isEmpty || table.hasTimesOfGroups && table.group != nil ? [] : [sql.earliest])
        + (table.hasSizes ? [sql.total] : [])
        + (table.columnNames.contains("destination") ? [sql.naming] : []) + (table.hasOrderOfKeys ? [sql.from] : [])
    }

    /// The statement that inserts one row.
    private static func insertion(_ insertion: RowInsertion) -> String { insertion.statements.last?.sql ?? "" }

    /// Fills each table with rows of 100 browsers.
    private static func fill(_ store: PostgresStore) async throws {
      let events = ["sequence INTEGER", "at INTEGER", "kind TEXT", "detail TEXT"]
      let subjects = ["block INTEGER", "subject TEXT", "sequence INTEGER"]
      let tables =
        TableSQL.tables.map { ($0.table.name, $0.table.columns) } + [("events", events), ("event_subjects", subjects)]
      try await store.submit(to: store.keeper) { transaction in
        for (name, columns) in tables {
          let values = columns.map { $0.contains(" INTEGER") ? "n" : "'text ' || n" }.joined(separator: ", ")
          transaction.run("INSERT INTO \(name) SELECT n % 100 + 1, \(values) FROM generate_series(1, 10000) AS n")
        }
        transaction.run(
          """
          INSERT INTO browsers (name, created_at, incarnation, seed, clock_mode, start, initial_settings)
          SELECT n::text, 0, '', '', 'real', 0, '{}' FROM generate_series(1, 10000) AS n
          """)
        transaction.run("INSERT INTO writers SELECT n::text, n, now() FROM generate_series(1, 10000) AS n")
        transaction.run("INSERT INTO rule_lists SELECT n::text, '' FROM generate_series(1, 10000) AS n")
      }.answer()
    }

    private static func plan(of sql: String, in store: PostgresStore) async throws -> [String] {
      let count = (1...30).last { sql.contains("$\($0)") } ?? 0
      let values = count == 0 ? "" : "(\(Array(repeating: "NULL", count: count).joined(separator: ", ")))"
      return try await store.view { transaction in
        transaction.run("PREPARE planned AS \(sql)")
        let plan = try transaction.rows("EXPLAIN EXECUTE planned\(values)", [], of: "") { try $0.text() }
        _ = try transaction.change("DEALLOCATE planned", [])
        return plan
      }
    }

    /// Expects that a row with a key is found by the index of the key: others contain all rows of a browser.
    private static func expectKeyIndexes(in store: PostgresStore) async throws {
      for statements in TableSQL.tables.map({ TableSQL($0.table) }) {
        let index = statements.table.primaryKey == statements.table.key ? "_pkey on" : "_key on"
        for sql in [statements.find, statements.remove] + (statements.table.hasOrderOfKeys ? [statements.from] : []) {
          let lines = try await plan(of: sql, in: store)
          #expect(lines.contains { $0.contains(index) }, "\(sql): \(lines)")
        }
      }
    }

    /// Expects that no statement reads a whole table or sorts its rows, except the few rows of a lock.
    private static func expectIndexes(in store: PostgresStore) async throws {
      try await expectKeyIndexes(in: store)
      for sql in statements {
        let plan = try await plan(of: sql, in: store)
        #expect(!plan.contains { $0.contains("Seq Scan") }, "\(sql): \(plan)")
        #expect(!plan.contains { $0.contains("Sort") } || locks.contains(sql), "\(sql): \(plan)")
        // A scan without a condition reads the whole index. The index of hidden browsers has no others.
        let scans = plan.count { $0.contains("Index Scan") || $0.contains("Index Only Scan") }
        let conditions = plan.count { $0.contains("Index Cond") }
        #expect(scans == conditions || sql == PostgresStore.DeletionSQL.hidden, "\(sql): \(plan)")
        #expect(scans > 0 || sql.contains("VALUES") || sql == PostgresStore.BrowserSQL.create, "\(sql): \(plan)")
      }
    }

    @Test("No statement reads a whole table or sorts its rows, with and without statistics")
    func usesAnIndex() async throws {
      let schema = PostgresTests.newSchema()
      try await PostgresTests.withStore(in: schema) { store in
        try await Self.expectKeyIndexes(in: store)
        try await Self.fill(store)
        try await Self.expectIndexes(in: store)
        let name = "SELECT string_agg(format('%I', tablename), ', ') FROM pg_tables WHERE schemaname = current_schema()"
        let tables = try await store.view { try $0.row(name, [], of: "") { try $0.text() } }
        try await store.submit(to: store.keeper) { $0.run("ANALYZE \(tables ?? "")") }.answer()
      }
      try await PostgresTests.withStore(in: schema) { try await Self.expectIndexes(in: $0) }
    }
  }
}
