import PCMCore
import PCMStore
import Testing

@testable import PCMStorePostgres

/// The reports of changes to other instances that share the tables.
extension PostgresTests {
  @Suite struct NotificationTests {
    private func withStores(_ body: (PostgresStore, PostgresStore) async throws -> Void) async throws {
      let schema = PostgresTests.newSchema()
      try await PostgresTests.withStore(in: schema) { left in
        try await PostgresTests.withStore(in: schema) { right in try await body(left, right) }
      }
    }

    private func newBrowser(_ name: String, in store: PostgresStore) async throws -> BrowserID {
      try await store.create(NewBrowser(name: name, seed: "s", clockMode: .manual, state: BrowserState(now: .earliest))).id
    }

    /// Returns the browsers of the next reports, until one of them is there.
    private func reports(to store: PostgresStore, until browser: BrowserID) async -> Set<BrowserID> {
      var reported: Set<BrowserID> = []
      for await changed in store.changes {
        reported.formUnion(changed)
        if reported.contains(browser) { break }
      }
      return reported
    }

    @Test("The writes and the deletions of an instance are reported to the others, and not to itself")
    func changes() async throws {
      try await withStores { left, right in
        let (mine, others) = (try await newBrowser("mine", in: left), try await newBrowser("others", in: left))
        try await left.write(mine) { _ in }
        try await right.write(others) { _ in }
        #expect(await reports(to: right, until: mine) == [mine])
        #expect(await reports(to: left, until: others) == [others])
        try await left.delete(mine)
        #expect(await reports(to: right, until: mine) == [mine])
      }
    }

    @Test("More changes than a notification has are all reported")
    func manyBrowsers() async throws {
      try await withStores { left, right in
        var browsers: [BrowserID] = []
        for number in 0..<400 { browsers.append(try await newBrowser("\(number)", in: left)) }
        let writes = browsers.map { left.submit($0) { _ in } }
        for write in writes { try await write.answer() }
        var missing = Set(browsers)
        for await changed in right.changes {
          missing.subtract(changed)
          if missing.isEmpty { break }
        }
        #expect(missing.isEmpty)
      }
    }

    @Test("Changes are reported again after the connection was lost")
    func lostConnection() async throws {
      try await withStores { left, right in
        let browser = try await newBrowser("one", in: left)
        // The last statement of an instance that has only listened so far.
        let end = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query = 'LISTEN ' || current_schema()"
        let endedCount = try await left.submit(to: left.keeper) { try $0.change(end, []).affectedCount }.answer()
        #expect(endedCount == 2)
        let writing = Task {
          while !Task.isCancelled { try await left.write(browser) { _ in } }
        }
        #expect(await reports(to: right, until: browser) == [browser])
        writing.cancel()
        _ = await writing.result
      }
    }
  }
}
