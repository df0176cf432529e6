import Dispatch
import PCMCore
import PCMStore
import PostgresSupport
import StoreContract
import Synchronization
import Testing

@testable import PCMStorePostgres

extension PostgresTests {
  @Suite struct CommitTests {
    @Test("Writes that wait share commits")
    func groups() async throws {
      try await PostgresTests.withStore { store in
        let browser = try await store.create(.sample("one")).id
        let before = store.commitCount
        let writes = (0..<500).map { _ in store.submit(browser) { try $0.append(Sample.event(), at: .latest).sequence } }
        var numbers: [Int64] = []
        for write in writes { numbers.append(try await write.answer()) }
        #expect(numbers == Array(1...500))
        #expect(store.commitCount - before < 50)
      }
    }

    @Test("Writes that share a commit send their changes together, and read a row once")
    func roundTrips() async throws {
      let schema = PostgresTests.newSchema()
      let browser = try await PostgresTests.withStore(in: schema) { store in
        let browser = try await store.create(.sample("one")).id
        try await store.write(browser) { try $0.save(Self.click(0), in: .table) }
        return browser
      }
      let proxy = try CuttingProxy(to: PostgresCluster.folder())
      defer { proxy.close() }
      try await PostgresTests.withStore(in: schema, folder: proxy.folder) { store in
        let isReady = DispatchSemaphore(value: 0)
        defer { isReady.signal() }
        let (started, start) = AsyncStream.makeStream(of: Void.self)
        let busy = store.submit(browser) { _ in
          start.finish()
          isReady.waitForAll()
        }
        for await _ in started {}
        let writes = (1...50).map { number in
          store.submit(browser) { rows in
            let click = Self.click(number)
            #expect(try rows.clicks(in: .table, madeBefore: click.click.clickedAt).isEmpty)
            try rows.save(click, in: .table)
            return try [0, number].allSatisfy { try rows.click(Self.click($0).click.key, in: .table) == Self.click($0) }
          }
        }
        let count = Atomic<Int>(0)
        proxy.arm { piece in
          if !piece.isRequest { count.add(1, ordering: .relaxed) }
          return false
        }
        isReady.signal()
        try await busy.answer()
        for write in writes { #expect(try await write.answer()) }
        proxy.arm(nil)
        #expect(count.load(ordering: .relaxed) < 40)
      }
    }

    private static func click(_ number: Int) -> KeptClick {
      let key = ClickKey(source: Site("\(number).example"), destination: Site("shop.example"), bundleIdentifier: "")
      return KeptClick(id: Int64(number), click: Click(key: key, sourceID: 1, clickedAt: .earliest))
    }

    @Test("Of writes that share a commit, a write that the database rejects fails alone")
    func rejection() async throws {
      try await PostgresTests.withStore { store in
        let browser = try await store.create(.sample("one")).id
        let writes = (1...50).map { number in
          store.submit(browser) { rows in
            // The position of another row.
            let key = ClickKey(source: Site("\(number).example"), destination: Site("shop.example"), bundleIdentifier: "")
            let click = Click(key: key, sourceID: 1, clickedAt: .latest, nonce: nil, reportEndpoint: nil, token: nil)
            try rows.save(KeptClick(id: number == 25 ? 1 : Int64(number), click: click), in: .table)
            return try rows.append(Sample.event(), at: .latest).sequence
          }
        }
        var failures: [String] = []
        for write in writes {
          do { _ = try await write.answer() } catch { failures.append("\(error)") }
        }
        #expect(failures == ["duplicate key value violates unique constraint \"clicks_pkey\" (23505)"])
        #expect(try await store.read(browser) { try $0.events(after: 0, limit: 99).map(\.sequence) } == Array(1...49))
      }
    }

    @Test(
      "A write whose connection is lost takes effect once",
      arguments: [("SAVEPOINT", true, 2), ("INSERT INTO events", true, 2), ("COMMIT", true, 2), ("COMMIT", false, 1)])
    func lostConnection(at text: String, isRequest: Bool, expected: Int) async throws {
      let schema = PostgresTests.newSchema()
      let browser = try await PostgresTests.withStore(in: schema) { try await $0.create(.sample("one")).id }
      let proxy = try CuttingProxy(to: PostgresCluster.folder())
      defer { proxy.close() }
      try await PostgresTests.withStore(in: schema, folder: proxy.folder) { store in
        let runs = Atomic<Int>(0)
        proxy.arm { $0.isRequest == isRequest && $0.contains(text) }
        let count = try await store.write(browser) { rows in
          try rows.append(Sample.event(), at: .latest)
          runs.add(1, ordering: .relaxed)
          return try rows.events(after: 0, limit: 9).count
        }
        #expect(count == 1)
        #expect(runs.load(ordering: .relaxed) == expected)
        #expect(try await store.read(browser) { try $0.events(after: 0, limit: 9).count } == 1)
      }
    }

    @Test("Random transactions whose connections are lost take effect once")
    func lostConnections() async throws {
      let proxy = try CuttingProxy(to: PostgresCluster.folder())
      defer { proxy.close() }
      try await PostgresTests.withStore(folder: proxy.folder) { store in
        let cuts = Counter()
        let failures = try await StoreContract.survivesFailures(of: store, seed: 1, rounds: 40) { step in
          let pieces = Counter()
          proxy.arm { _ in
            // A small transaction has about ten pieces.
            guard pieces.next() == step / 4 + 1 else { return false }
            return cuts.next() > 0
          }
        } work: {
          proxy.arm(nil)
          return false
        }
        #expect(failures == 0)
        #expect(cuts.next() > 10)
      }
    }

    @Test("The error of a commit whose outcome cannot be read says so, claims are abandoned, and the next write continues")
    func unknownOutcome() async throws {
      let schema = PostgresTests.newSchema()
      let browser = try await PostgresTests.withStore(in: schema) { try await $0.create(.sample("one")).id }
      let proxy = try CuttingProxy(to: PostgresCluster.folder())
      defer { proxy.close() }
      try await PostgresTests.withStore(in: schema, folder: proxy.folder) { store in
        let instance = store.instance
        proxy.arm { piece in
          let isReached = !piece.isRequest && piece.contains("COMMIT")
          if isReached { proxy.refuse(true) }
          return isReached
        }
        let error = await #expect(throws: StoreError.self) {
          try await store.write(browser) { _ = try $0.append(Sample.event(), at: .latest) }
        }
        if case .unknownOutcome? = error {} else { Issue.record("\(error.map { "\($0)" } ?? "no error")") }
        proxy.refuse(false)
        try await store.lease.renew()
        #expect(store.instance > instance && store.mayAct)
        let next = try await store.write(browser) { try $0.append(Sample.event(), at: .latest) }
        #expect(next.sequence == 2)
      }
    }

    @Test(
      "The number of an open transaction is read after its end, also when it is the first of its connection",
      arguments: [true, false])
    func openTransaction(isFirst: Bool) async throws {
      try await PostgresTests.withStores { left, right in
        let (begin, find) = (CommitLoop.WriterSQL.begin, CommitLoop.WriterSQL.number)
        if !isFirst { try await left.submit(to: left.keeper) { $0.run(begin, ["writer", 6]) }.answer() }
        let (started, start) = AsyncStream.makeStream(of: Void.self)
        let isAwaited = DispatchSemaphore(value: 0)
        defer { isAwaited.signal() }
        let open = left.submit(to: left.keeper) { transaction in
          _ = try transaction.change(begin, ["writer", 7])
          start.finish()
          isAwaited.waitForAll()
        }
        for await _ in started {}
        let isRead = Atomic(false)
        let reading = right.submit(to: right.keeper) { transaction in
          defer { isRead.store(true, ordering: .relaxed) }
          return try transaction.change(find, ["writer"]).map(of: "writers") { try $0.integer() }
        }
        let waiting = "SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query = $1"
        var isWaiting = false
        while !isWaiting, !isRead.load(ordering: .relaxed) {
          isWaiting = try await right.view { try $0.row(waiting, [find], of: "") { try $0.integer() } } != 0
        }
        isAwaited.signal()
        try await open.answer()
        #expect(try await reading.answer() == [7])
      }
    }

    @Test("The server keeps no statements of transactions that failed")
    func failedPreparations() async throws {
      try await PostgresTests.withStore { store in
        let fail = "DO 'BEGIN RAISE EXCEPTION ''refused''; END'"
        for _ in 1...5 {
          let write = store.submit(to: store.keeper) { $0.run(fail) }
          await #expect(throws: StoreError.self) { try await write.answer() }
        }
        let count = "SELECT count(*) FROM pg_prepared_statements WHERE statement = $1"
        let found = try await store.submit(to: store.keeper) { try $0.row(count, [fail], of: "") { try $0.integer() } }.answer()
        #expect(found == 0)
      }
    }

    @Test("A full disk is an error of the write")
    func fullDisk() async throws {
      try await PostgresTests.withStore { store in
        let write = store.submit(to: store.creator) { $0.run("DO 'BEGIN RAISE EXCEPTION USING ERRCODE = ''disk_full''; END'") }
        await #expect(throws: StoreError.full) { try await write.answer() }
        try await store.checkWritable()
      }
    }

    @Test("A statement that takes too long is an error of the write, which stores nothing")
    func statementTimeout() async throws {
      try await PostgresTests.withStore { store in
        let browser = try await store.create(.sample("one")).id
        let write = store.submit(to: store.writer(of: browser), locking: [browser.number]) { transaction in
          try transaction.browser(browser.number)?.append(Sample.event(), at: .latest)
          for sql in ["SET LOCAL statement_timeout = 1", "SELECT pg_sleep(60)"] { transaction.run(sql) }
        }
        let text = "canceling statement due to statement timeout (57014)"
        await #expect(throws: StoreError.unavailable(text)) { try await write.answer() }
        #expect(try await store.write(browser) { try $0.append(Sample.event(), at: .latest).sequence } == 1)
      }
    }

    @Test("A damaged row of a browser is an error of its transactions only")
    func damagedRow() async throws {
      try await PostgresTests.withStore { store in
        // The first and the third have one connection.
        var browsers: [BrowserID] = []
        for name in ["one", "two", "three"] { browsers.append(try await store.create(.sample(name)).id) }
        let (damaged, other) = (browsers[0], browsers[2])
        let damage = "UPDATE browsers SET draws = '[]' WHERE id = $1"
        try await store.submit(to: store.keeper) { $0.run(damage, [damaged.number]) }.answer()
        let writes = [damaged, other].map { store.submit($0) { try $0.append(Sample.event(), at: .latest).sequence } }
        let error = StoreError.unreadable(table: "browsers", row: "\(damaged.number)", column: "draws")
        await #expect(throws: error) { try await writes[0].answer() }
        #expect(try await writes[1].answer() == 1)
        await #expect(throws: error) { try await store.read(damaged) { try $0.state() } }
      }
    }

    @Test(
      "A transaction with which another one interferes is repeated, with a limit",
      arguments: [("40001", 1, 2), ("40001", 9, 3), ("40P01", 1, 2), ("40P01", 9, 3), ("55P03", 1, 2), ("55P03", 9, 3)])
    func conflict(_ code: String, _ failures: Int, _ expected: Int) async throws {
      try await PostgresTests.withStore { store in
        let browser = try await store.create(.sample("one")).id
        let runs = Atomic<Int>(0)
        let write = store.submit(to: store.writer(of: browser), locking: [browser.number]) { transaction in
          try transaction.browser(browser.number)?.append(Sample.event(), at: .latest)
          guard runs.add(1, ordering: .relaxed).newValue <= failures else { return }
          transaction.run("DO 'BEGIN RAISE EXCEPTION USING MESSAGE = ''interference'', ERRCODE = ''\(code)''; END'")
        }
        if failures < expected {
          try await write.answer()
        } else {
          await #expect(throws: StoreError.unavailable("interference (\(code))")) { try await write.answer() }
        }
        #expect(runs.load(ordering: .relaxed) == expected)
        #expect(try await store.read(browser) { try $0.nextSequence() } == (failures < expected ? 2 : 1))
      }
    }

    @Test("A session that the server has ended between transactions is replaced, and its knowledge of the tables is forgotten")
    func endedSessions() async throws {
      try await PostgresTests.withStore { store in
        let browser = try await store.create(.sample("one")).id
        let event = try #require(Sample.events.first { $0.decision != nil })
        try await store.write(browser) { _ = try $0.append(event, at: .latest) }
        let find = "SELECT pg_backend_pid()::bigint"
        let process = try await store.submit(to: store.writer(of: browser)) { transaction in
          try transaction.row(find, [], of: "") { try $0.integer() }
        }.answer()
        // Waits for the end.
        let terminate = "SELECT count(*) FROM pg_terminate_backend($1::bigint::int, 10000)"
        _ = try await store.view { try $0.rows(terminate, [process], of: "") { try $0.integer() } }
        // As after the failover to a standby without the last commits.
        try await store.submit(to: store.keeper) { $0.run("DELETE FROM rule_lists") }.answer()
        try await store.write(browser) { _ = try $0.append(event, at: .latest) }
        #expect(try await store.read(browser) { try $0.nextSequence() } == 3)
        #expect(try await store.read(browser) { try $0.ruleList(Sample.rules.id) } == Sample.rules)
      }
    }
  }
}

private final class Counter: Sendable {
  private let count = Atomic<Int>(0)

  /// Returns the next number, from 1.
  func next() -> Int { count.add(1, ordering: .relaxed).newValue }
}
