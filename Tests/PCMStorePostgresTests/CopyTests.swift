import Foundation
import PCMCore
import PCMStore
import PCMStoreSQLite
import StoreContract
import Testing

@testable import PCMStorePostgres

extension PostgresTests {
  @Suite struct CopyTests {
    /// Adds browsers with rows in all tables, and one without.
    private static func fill(_ store: any Store) async throws {
      let limits = IdempotencyLimits(maximumCount: 9, maximumBytes: 999, expiry: .earliest)
      let request = IdempotencyRecord(key: "key", digest: "digest", receivedAt: .latest, answer: "{}")
      var new = NewBrowser.sample("one")
      new.creation = IdempotentCreation(request: request, limits: limits)
      _ = try await store.create(new) { rows in
        try StoreContract.fill(rows)
        try rows.saveRequest(request, trimmingTo: limits)
        for _ in 1...1_500 { try rows.append(Sample.event(), at: .latest) }
      }
      _ = try await store.create(.sample("two"))
    }

    /// Returns the rows of all browsers and of the service, by table.
    private static func rows(of store: any CopiedStore) async throws -> [CopiedRow] {
      var found: [CopiedRow] = []
      for browser in try await store.browsers() {
        found.append(try await store.row(of: browser.id))
        for table in CopiedTable.ofBrowser {
          let rows = try await store.rows(of: table, browser.id, after: nil, limit: .max)
          #expect(!rows.isEmpty || browser.name == "two", "\(table.name)")
          found += rows
        }
      }
      for table in CopiedTable.ofService {
        let rows = try await store.rows(of: table, nil, after: nil, limit: .max)
        #expect(!rows.isEmpty, "\(table.name)")
        found += rows
      }
      return found
    }

    @Test("Browsers are copied from a file, and back to another one, with all their rows")
    func roundTrip() async throws {
      let folder = FileManager.default.temporaryDirectory.path + "/pcm-copy-\(UUID().uuidString)"
      try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
      defer { try? FileManager.default.removeItem(atPath: folder) }
      let (first, last) = (try SQLiteStore(path: "\(folder)/first"), try SQLiteStore(path: "\(folder)/last"))
      try await Self.fill(first)
      let expected = try await Self.rows(of: first)
      let schema = PostgresTests.newSchema()
      try await PostgresTests.withStore(in: schema) { store in
        // A copy that was interrupted.
        _ = try await store.addHidden(first.row(of: first.browsers()[0].id))
        #expect(try await store.browsers().isEmpty)
        #expect(try await !store.isEmpty())
      }
      try await PostgresTests.withStore(in: schema) { store in
        let progress = try await StoreCopy(from: first, to: store).run()
        #expect((progress.browserCount, progress.copiedBrowserCount) == (2, 2))
        #expect(progress.rowCounts.values.reduce(2, +) == expected.count)
        #expect(try await Self.rows(of: store) == expected)
        _ = try await StoreCopy(from: store, to: last).run()
        #expect(try await Self.rows(of: last) == expected)

        // The log continues.
        let (original, copy) = (try await first.browsers()[0].id, try await store.browsers()[0].id)
        let next = try await first.write(original) { try $0.append(Sample.event(), at: .latest) }
        #expect(try await store.write(copy) { try $0.append(Sample.event(), at: .latest) } == next)
        #expect(try await store.create(.sample("three")).name == "three")
      }
      for store in [first, last] { try await store.close() }
    }

    @Test("A copy is refused while an instance uses the source or the target")
    func livingInstance() async throws {
      let (used, free) = (PostgresTests.newSchema(), PostgresTests.newSchema())
      try await PostgresTests.withStore(in: used) { instance in
        try await PostgresTests.withStore(in: used) { store in
          try await PostgresTests.withStore(in: free) { other in
            let text = "another instance of pcm-browser uses \(store.address); stop it, and repeat the copy"
            for (source, target) in [(store, other), (other, store)] {
              await #expect(throws: StoreError.unavailable(text)) { _ = try await StoreCopy(from: source, to: target).run() }
            }
            try await instance.close()
            #expect(try await StoreCopy(from: store, to: other).run().copiedBrowserCount == 0)
          }
        }
      }
    }

    @Test("A copy makes nothing visible when an instance started in the meantime", arguments: [false, true])
    func startedInstance(_ isTarget: Bool) async throws {
      let schemas = [PostgresTests.newSchema(), PostgresTests.newSchema()]
      try await PostgresTests.withStore(in: schemas[0]) { source in
        try await PostgresTests.withStore(in: schemas[1]) { target in
          _ = try await source.create(.sample("one"))
          _ = try await target.addHidden(source.row(of: source.browsers()[0].id))
          try await PostgresTests.withStore(in: schemas[isTarget ? 1 : 0]) { _ in }
          await #expect(throws: StoreError.self) {
            if isTarget { try await target.finishCopy([]) } else { try await source.requireSoleUse() }
          }
          #expect(try await target.browsers().isEmpty)
        }
      }
    }

    @Test("A claim of an instance is abandoned in a copy, where another one has its number")
    func claim() async throws {
      try await PostgresTests.withStore { source in
        try await PostgresTests.withStore { target in
          var state = BrowserState(now: .earliest)
          state.dueAt = .earliest
          _ = try await source.create(NewBrowser(name: "one", seed: "s", clockMode: .real, state: state))
          try #require(try await source.claimDue(by: .latest, limit: 9).count == 1)
          try #require(source.instance == target.instance)
          _ = try await StoreCopy(from: source, to: target).run()
          #expect(try await target.claimAbandoned(limit: 9).map(\.name) == ["one"])
        }
      }
    }

    @Test("A copy knows every table, and all of their columns")
    func tables() async throws {
      let sql = """
        SELECT table_name::text, column_name::text FROM information_schema.columns WHERE table_schema = current_schema()
        """
      let found = try await PostgresTests.withStore { store in
        try await store.view { try $0.rows(sql, [], of: "") { "\(try $0.text()).\(try $0.text())" } }
      }
      let further =
        ["id", "hidden", "next_sequence", "last_event_at"].map { "browsers.\($0)" }
        // The shared data of instances ends with them.
        + ["browser", "kind", "value"].map { "instance_rows.\($0)" }
        + ["instances.id", "instances.lease_until", "version.version", "writers.name", "writers.number", "writers.used_at"]
      let known = ([CopiedTable.browsers] + CopiedTable.ofBrowser + CopiedTable.ofService).flatMap { table in
        (table.columns + (table.hasBrowser && table != .browsers ? ["browser"] : [])).map { "\(table.name).\($0)" }
      }
      #expect(Set(found) == Set(known + further))
    }
  }
}
