import Dispatch
import PCMCore
import PCMStore
import StoreContract
import Synchronization
import Testing

@testable import PCMStorePostgres

/// Two stores with the same tables, as two instances of the service have.
extension PostgresTests {
  @Suite struct InstanceTests {
    @Test("Writes of two instances to a browser take effect one after the other, and the log has no gap")
    func writes() async throws {
      try await PostgresTests.withStores { left, right in
        let browser = try await left.create(.sample("one")).id
        let writes = (0..<200).map { number in
          (number.isMultiple(of: 2) ? left : right).submit(browser) { rows in
            var state = try rows.state()
            state.draws["token", default: 0] += 1
            try rows.save(state)
            return try rows.append(Sample.event(), at: .latest).sequence
          }
        }
        var numbers: [Int64] = []
        for write in writes { numbers.append(try await write.answer()) }
        #expect(numbers.sorted() == Array(1...200))
        #expect(try await left.read(browser) { try $0.state().draws } == ["token": 200])
        #expect(left.commitCount + right.commitCount < 200)
      }
    }

    @Test("Writes that share a commit read the other instance's changes since the last commit")
    func changedRows() async throws {
      try await PostgresTests.withStores { left, right in
        let browser = try await left.create(.sample("one")).id
        let key = ClickKey(source: Site("news.example"), destination: Site("shop.example"), bundleIdentifier: "")
        for number in 1...9 as ClosedRange<Int64> {
          let kept = KeptClick(id: number, click: Click(key: key, sourceID: 1, clickedAt: .earliest + .seconds(10 - number)))
          let isRemoved = number.isMultiple(of: 3)
          try await right.write(browser) { rows in
            if isRemoved { try rows.removeClick(key, in: .table) } else { try rows.save(kept, in: .table) }
          }
          let reads = (0..<20).map { _ in
            left.submit(browser) { rows in
              let old = try rows.clicks(in: .table, madeBefore: kept.click.clickedAt + .seconds(1))
              return [try rows.click(key, in: .table)] + old
            }
          }
          for read in reads { #expect(try await read.answer() == (isRemoved ? [nil] : [kept, kept])) }
        }
      }
    }

    @Test("An instance that stops in a write does not block the others, and its write takes effect once when it goes on")
    func stoppedInstance() async throws {
      try await PostgresTests.withStores { left, right in
        let browser = try await left.create(.sample("one")).id
        let (started, start) = AsyncStream.makeStream(of: Void.self)
        let hasOtherWritten = DispatchSemaphore(value: 0)
        defer { hasOtherWritten.signal() }
        let stopped = left.submit(browser) { rows in
          let event = try rows.append(Sample.event(), at: .latest)
          if event.sequence == 1 {
            start.finish()
            hasOtherWritten.waitForAll()
          }
          return event.sequence
        }
        for await _ in started {}
        #expect(try await right.write(browser) { try $0.append(Sample.event(), at: .latest).sequence } == 1)
        hasOtherWritten.signal()
        #expect(try await stopped.answer() == 2)
        #expect(try await left.read(browser) { try $0.events(after: 0, limit: 9).map(\.sequence) } == [1, 2])
      }
    }

    @Test("A browser that one instance has locked does not delay the writes of the other to further browsers")
    func skippedBrowser() async throws {
      try await PostgresTests.withStores { left, right in
        // The browsers have one connection, which is busy until two writes wait for it.
        var browsers: [BrowserID] = []
        for name in ["busy", "unused", "locked", "unused too", "free"] {
          browsers.append(try await left.create(.sample(name)).id)
        }
        let (isLocked, isReady) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        defer { for semaphore in [isLocked, isReady] { semaphore.signal() } }
        let (started, start) = AsyncStream.makeStream(of: Void.self)
        let locking = left.submit(browsers[2]) { rows in
          start.finish()
          isLocked.waitForAll()
          return try rows.append(Sample.event(), at: .latest).sequence
        }
        for await _ in started {}
        let busy = right.submit(browsers[0]) { _ in isReady.waitForAll() }
        let waiting = (1...2).map { _ in right.submit(browsers[2]) { try $0.append(Sample.event(), at: .latest).sequence } }
        let free = right.submit(browsers[4]) { try $0.append(Sample.event(), at: .latest).sequence }
        isReady.signal()
        try await busy.answer()
        #expect(try await free.answer() == 1)
        isLocked.signal()
        #expect(try await locking.answer() == 1)
        for (write, number) in zip(waiting, 2...3) { #expect(try await write.answer() == number) }
      }
    }

    @Test("A browser of one instance is deleted by the other")
    func deletion() async throws {
      try await PostgresTests.withStores { left, right in
        let browser = try await left.create(.sample("one")).id
        try await left.write(browser) { _ in }
        try await right.delete(browser)
        await #expect(throws: StoreError.unknownBrowser) { try await left.write(browser) { _ in } }
        #expect(try await left.create(.sample("one")).id != browser)
      }
    }

    @Test("A copy of a browser to which another instance writes is complete")
    func copyDuringWrites() async throws {
      try await PostgresTests.withStores { left, right in
        let original = try await left.create(.sample("one")).id
        let isDone = Atomic(false)
        async let writing: Void = {
          while !isDone.load(ordering: .relaxed) {
            let writes = (0..<20).map { _ in left.submit(original) { _ = try $0.append(Sample.event(), at: .latest) } }
            for write in writes { try await write.answer() }
          }
        }()
        var copies: [BrowserID] = []
        for number in 1...20 {
          let copy = BrowserCopy(name: "copy \(number)", createdAt: .earliest, incarnation: "i")
          copies.append(try await right.fork(original, as: copy).id)
        }
        isDone.store(true, ordering: .relaxed)
        try await writing
        for copy in copies {
          let (last, next) = try await right.read(copy) {
            (try $0.events(after: 0, limit: .max).map(\.sequence).last ?? 0, try $0.nextSequence())
          }
          #expect(last + 1 == next)
        }
      }
    }

    @Test("The name of a copy under way is taken, without waiting for the copy")
    func reservedName() async throws {
      try await PostgresTests.withStores { left, right in
        let original = try await left.create(.sample("one")).id
        let begin = PostgresStore.ForkSQL.copy
        let (started, start) = AsyncStream.makeStream(of: Void.self)
        let isRefused = DispatchSemaphore(value: 0)
        defer { isRefused.signal() }
        let copy = left.submit(to: left.keeper) { transaction in
          _ = try transaction.change(begin, [original.number, "copy", 0, "incarnation"])
          start.finish()
          isRefused.waitForAll()
        }
        for await _ in started {}
        await #expect(throws: StoreError.browserExists(name: "copy")) { _ = try await right.create(.sample("copy")) }
        isRefused.signal()
        try await copy.answer()
        await #expect(throws: StoreError.browserExists(name: "copy")) { _ = try await right.create(.sample("copy")) }
      }
    }
  }
}
