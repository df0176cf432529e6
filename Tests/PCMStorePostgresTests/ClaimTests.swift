import Dispatch
import NIOConcurrencyHelpers
import PCMCore
import PCMStore
import PostgresSupport
import StoreContract
import Testing

@testable import PCMStorePostgres

/// Claims of instances that share the tables, and their leases.
extension PostgresTests {
  @Suite struct ClaimTests {
    private func newBrowser(_ name: String, in store: PostgresStore) async throws -> BrowserRecord {
      var state = BrowserState(now: .earliest)
      state.dueAt = .earliest
      return try await store.create(NewBrowser(name: name, seed: "seed", clockMode: .real, state: state))
    }

    private func claim(of browser: BrowserRecord, in store: PostgresStore) async throws -> Claim {
      try await store.read(browser.id) { try $0.state().claim }
    }

    @Test("Two instances that claim at the same time claim each browser once")
    func parallelClaims() async throws {
      try await PostgresTests.withStores { left, right in
        #expect(left.instance != right.instance)
        var browsers: Set<BrowserRecord> = []
        for number in 0..<100 { browsers.insert(try await newBrowser("\(number)", in: left)) }
        var claimed = try await withThrowingTaskGroup(of: [BrowserRecord].self) { group in
          for store in [left, right] {
            group.addTask {
              var claimed: [BrowserRecord] = []
              while true {
                let next = try await store.claimDue(by: .latest, limit: 7)
                if next.isEmpty { return claimed }
                claimed += next
              }
            }
          }
          return try await group.reduce(into: []) { $0 += $1 }
        }
        // The browsers that the other instance had locked.
        claimed += try await left.claimDue(by: .latest, limit: 100)
        #expect(claimed.count == 100 && Set(claimed) == browsers)
        let instances = [left.instance, right.instance]
        for browser in browsers {
          let owner = try await claim(of: browser, in: left).instance
          #expect(owner.map(instances.contains) == true)
        }
      }
    }

    @Test("A claim does not wait for a browser that another transaction has locked")
    func lockedBrowser() async throws {
      try await PostgresTests.withStores { left, right in
        let (one, two) = (try await newBrowser("one", in: left), try await newBrowser("two", in: left))
        let (started, start) = AsyncStream.makeStream(of: Void.self)
        let isClaimed = DispatchSemaphore(value: 0)
        defer { isClaimed.signal() }
        let write = left.submit(one.id) { _ in
          start.finish()
          isClaimed.waitForAll()
        }
        for await _ in started {}
        #expect(try await right.claimDue(by: .latest, limit: 9) == [two])
        isClaimed.signal()
        try await write.answer()
        #expect(try await right.claimDue(by: .latest, limit: 9) == [one])
      }
    }

    @Test("The claims of an instance are taken over when it has closed its store")
    func closedInstance() async throws {
      let schema = PostgresTests.newSchema()
      try await PostgresTests.withStore(in: schema) { right in
        let browser = try await PostgresTests.withStore(in: schema) { left in
          let browser = try await newBrowser("one", in: left)
          try #require(try await left.claimDue(by: .latest, limit: 9) == [browser])
          #expect(try await right.claimAbandoned(limit: 9).isEmpty)
          return browser
        }
        #expect(try await right.claimAbandoned(limit: 9) == [browser])
        #expect(try await claim(of: browser, in: right).instance == right.instance)
        #expect(try await right.claimAbandoned(limit: 9).isEmpty)
      }
    }

    @Test("The claims of an instance whose lease has ended are taken over")
    func endedLease() async throws {
      try await PostgresTests.withStore { store in
        let browser = try await newBrowser("one", in: store)
        let register = "INSERT INTO instances (lease_until) VALUES (now() - interval '1 s') RETURNING id"
        let ended = try await store.submit(to: store.keeper) { transaction in
          try transaction.change(register, []).map(of: "instances") { try $0.integer() }
        }.answer()
        try await store.write(browser.id) { rows in
          var state = try rows.state()
          state.claim.instance = ended.first
          try rows.save(state)
        }
        try await store.lease.renew()
        #expect(try await store.claimAbandoned(limit: 9) == [browser])
      }
    }

    @Test("An instance whose lease has ended is ready when it is renewed, and otherwise says why it is not")
    func readiness() async throws {
      let uptime = NIOLockedValueBox(Duration.zero)
      let address = try PostgresAddress(PostgresCluster.address())
      let store = try await PostgresStore(
        address, schema: PostgresTests.newSchema(), uptime: { uptime.withLockedValue(\.self) })
      uptime.withLockedValue { $0 = .seconds(8) }
      #expect(!store.mayAct)
      try await store.checkWritable()
      #expect(store.mayAct)
      try await store.submit(to: store.keeper) { $0.run("DROP TABLE instances") }.answer()
      uptime.withLockedValue { $0 = .seconds(16) }
      let text = "the lease of this instance ended; it sends nothing until the store responds"
      await #expect(throws: StoreError.notReady(text)) { try await store.checkWritable() }
      try await store.close()
    }

    @Test("An instance whose clock differs from the server's is not ready")
    func wrongClock() async throws {
      let address = try PostgresAddress(PostgresCluster.address())
      let store = try await PostgresStore(address, schema: PostgresTests.newSchema(), wallClock: { .earliest })
      let error = await #expect(throws: StoreError.self) { try await store.checkWritable() }
      let text = error.map { "\($0)" } ?? ""
      #expect(text.hasPrefix("the clock of this machine differs by "))
      #expect(text.hasSuffix(" s from that of PostgreSQL; synchronize it"))
      try await store.close()
    }

    @Test(
      "The time of a renewal is no difference of the clocks",
      arguments: [(0, 10), (5, 5), (20, 0), (22, -2)] as [(Int64, Int64)])
    func skew(_ before: Int64, _ after: Int64) {
      let time = Instant.earliest + .minutes(1)
      let skew = Lease.skew(of: time, from: time - .seconds(before), to: time + .seconds(after))
      #expect(skew == .seconds(max(-before, -after, 0)))
    }

    @Test("The claims of an instance that was the only one are taken over")
    func soleInstance() async throws {
      try await PostgresTests.withStore { store in
        let browser = try await newBrowser("one", in: store)
        let sole = MemoryStore().instance
        try await store.write(browser.id) { rows in
          var state = try rows.state()
          state.claim.instance = sole
          try rows.save(state)
        }
        #expect(try await store.claimAbandoned(limit: 9) == [browser])
      }
    }

    @Test("An instance that others have ended loses its claims, and goes on under another number")
    func endedInstance() async throws {
      try await PostgresTests.withStores { left, right in
        let browser = try await newBrowser("one", in: left)
        try #require(try await left.claimDue(by: .latest, limit: 9) == [browser])
        let number = left.instance
        try await right.submit(to: right.keeper) { $0.run(Lease.LeaseSQL.remove, [number]) }.answer()
        try await left.lease.renew()
        #expect(left.instance > number && left.mayAct)
        #expect(try await right.claimAbandoned(limit: 9) == [browser])
        try await left.lease.renew()
        #expect(try await left.claimAbandoned(limit: 9).isEmpty)
      }
    }
  }
}
