import PCMCore
import PCMStore
import Testing

extension StoreContract {
  static let keptRequestChecks = [
    Check("a kept request comes back with its answer, and the next one with its key replaces it") { store in
      let browser = try await store.newBrowser()
      let answered = request("a key", "201 /v1/ä\n{\"detail\":\"ä 🎯\"}")
      let plain = request("other", "[]")
      for expected in [request("a key"), answered, plain] {
        try await store.write(browser) { try $0.saveRequest(expected, trimmingTo: wide) }
        #expect(try await store.seen(browser) { try $0.row(IdempotencyRecord.self, expected.key) } == expected)
      }
      #expect(try await store.seen(browser) { try $0.row(IdempotencyRecord.self, "a key") } == answered)
      #expect(try await store.seen(browser) { try $0.row(IdempotencyRecord.self, "A KEY") } == nil)
    },
    Check("one browser's kept requests are not another's, and go with their browser") { store in
      let (left, right) = (try await store.newBrowser("left"), try await store.newBrowser("right"))
      for browser in [left, right] {
        let kept = request("same", "\(browser.number)")
        try await store.write(browser) { try $0.saveRequest(kept, trimmingTo: wide) }
      }
      #expect(try await store.seen(left) { try $0.row(IdempotencyRecord.self, "same")?.answer } == "\(left.number)")
      try await store.delete(left)
      #expect(try await store.seen(right) { try $0.row(IdempotencyRecord.self, "same")?.answer } == "\(right.number)")
      let again = try await store.newBrowser("left")
      #expect(try await store.seen(again) { try $0.row(IdempotencyRecord.self, "same") } == nil)
    },
    Check("a body that throws leaves the kept requests as they were, with those it replaced and removed") { store in
      let browser = try await store.newBrowser()
      let before = (0..<4).map { request("\($0)", second: Int64($0)) }
      try await store.write(browser) { rows in
        for kept in before { try rows.saveRequest(kept, trimmingTo: wide) }
      }
      await #expect(throws: Refusal()) {
        try await store.write(browser) { rows in
          try rows.saveRequest(request("3", "{}", second: 3), trimmingTo: wide)
          try rows.saveRequest(request("4", second: 4), trimmingTo: limits(count: 2))
          #expect(try keys(rows) == ["3", "4"])
          throw Refusal()
        }
      }
      #expect(
        try await store.seen(browser) { rows in try before.map { try rows.row(IdempotencyRecord.self, $0.key) } } == before)
      try await store.write(browser) { try $0.saveRequest(request("4", second: 4), trimmingTo: limits(count: 4)) }
      #expect(try await store.seen(browser, keys) == ["1", "2", "3", "4"])
    },
    Check("beyond a number, the oldest requests go first, and of one instant those of the lower keys") { store in
      let browser = try await store.newBrowser()
      for (key, second) in [("5", 5), ("2", 3), ("1", 3), ("0", 9), ("4", 1), ("3", 3)] as [(String, Int64)] {
        try await store.write(browser) { try $0.saveRequest(request(key, second: second), trimmingTo: limits(count: 4)) }
      }
      #expect(try await store.seen(browser, keys) == ["0", "2", "3", "5"])
      try await store.write(browser) { try $0.saveRequest(request("6", second: 0), trimmingTo: limits(count: 1)) }
      #expect(try await store.seen(browser, keys) == ["6"], "the request itself stays, although it is the oldest")
    },
    Check("beyond a number of bytes, as many of the oldest requests go as are needed") { store in
      let browser = try await store.newBrowser()
      func save(_ key: String, _ second: Int64, bytes: Int) async throws {
        let body = "\"\(String(repeating: "x", count: bytes - 2 - key.utf8.count - digest.utf8.count))\""
        let kept = request(key, body, second: second)
        #expect(kept.countedSize == bytes)
        try await store.write(browser) { try $0.saveRequest(kept, trimmingTo: limits(bytes: 1_000)) }
      }
      for (second, key) in ["0", "1", "2", "3", "4"].enumerated() { try await save(key, Int64(second), bytes: 200) }
      #expect(try await store.seen(browser, keys) == ["0", "1", "2", "3", "4"])
      try await save("1", 1, bytes: 100)
      try await save("5", 5, bytes: 100)
      #expect(try await store.seen(browser, keys) == ["0", "1", "2", "3", "4", "5"], "a replaced request counts once")
      try await save("6", 6, bytes: 301)
      #expect(try await store.seen(browser, keys) == ["3", "4", "5", "6"])
      try await save("7", 7, bytes: 5_000)
      #expect(try await store.seen(browser, keys) == ["7"], "the request itself stays, whatever its size")
    },
    Check("requests that arrived by an instant go with the next one, in whatever order they were kept") { store in
      let browser = try await store.newBrowser()
      for (key, second) in [("3", 30), ("1", 10), ("2", 20)] as [(String, Int64)] {
        try await store.write(browser) { try $0.saveRequest(request(key, second: second), trimmingTo: wide) }
      }
      for (second, kept) in [(9, ["0", "1", "2", "3"]), (10, ["0", "2", "3"]), (29, ["0", "3"])] as [(Int64, [String])] {
        try await store.write(browser) { rows in
          try rows.saveRequest(request("0", second: 40), trimmingTo: limits(expiry: second))
        }
        #expect(try await store.seen(browser, keys) == kept)
      }
    },
    Check("a query with U+0000, which no row contains, finds nothing") { store in
      let browser = try await store.newBrowser()
      try await store.write(browser, everything)
      #expect(try await store.seen(browser) { try $0.row(IdempotencyRecord.self, "a\u{0}") } == nil)
      #expect(try await store.seen(browser) { try $0.row(AppRecord.self, "com.example.app\u{0}") } == nil)
      let filter = EventFilter(about: "\u{0}")
      #expect(try await store.seen(browser) { try $0.indexedEvents(filter, in: 0, after: 0, limit: 9) }.isEmpty)
    },
    Check("the keys of the oldest requests are listed by arrival and then by key") { store in
      let browser = try await store.newBrowser()
      for (key, second) in [("3", 30), ("2", 10), ("1", 10)] as [(String, Int64)] {
        try await store.write(browser) { try $0.saveRequest(request(key, second: second), trimmingTo: wide) }
      }
      func oldest(_ second: Int64?, _ limit: Int) async throws -> [String] {
        let until = second.map { Sample.noon + .seconds($0) }
        return try await store.seen(browser) { try $0.keysOfKeptRequests(until: until, limit: limit) }
      }
      #expect(try await oldest(nil, 9) == ["1", "2", "3"])
      #expect(try await oldest(nil, 1) == ["1"])
      #expect(try await oldest(nil, 0) == [])
      #expect(try await oldest(29, 9) == ["1", "2"])
      #expect(try await oldest(10, 9) == ["1", "2"])
      #expect(try await oldest(9, 9) == [])
    },
    Check("the request that creates a browser is kept with it, and outlives it") { store in
      var new = NewBrowser(name: "one", seed: "s", clockMode: .manual, state: BrowserState(now: Sample.noon))
      let kept = request("k", "{}")
      #expect(try await store.keptCreation("k") == nil)
      new.creation = IdempotentCreation(request: kept, limits: limits(count: 2))
      let record = try await store.create(new)
      #expect(try await store.keptCreation("k") == kept)
      #expect(try await store.seen(record.id) { try $0.row(IdempotencyRecord.self, "k") } == nil)
      new.creation = IdempotentCreation(request: request("l"), limits: wide)
      await expect(.browserExists(name: "one")) { [new] in _ = try await store.create(new) }
      #expect(try await store.keptCreation("l") == nil)
      try await store.delete(record.id)
      #expect(try await store.keptCreation("k") == kept)
      for number in 1...2 {
        var other = NewBrowser(name: "\(number)", seed: "s", clockMode: .manual, state: BrowserState(now: Sample.noon))
        other.creation = IdempotentCreation(request: request("\(number)", second: 50), limits: limits(count: 2))
        _ = try await store.create(other)
      }
      #expect(try await store.keptCreation("k") == nil)
      #expect(try await store.keptCreation("1") != nil)
    },
    Check("of creations and copies with the same request, the first takes effect, until it is too old") { store in
      func browser(_ name: String, _ creation: IdempotentCreation) -> NewBrowser {
        var new = NewBrowser(name: name, seed: "s", clockMode: .manual, state: BrowserState(now: Sample.noon))
        new.creation = creation
        return new
      }
      let creation = IdempotentCreation(request: request("k", "{}"), limits: wide)
      let one = try await store.create(browser("one", creation))
      await expect(.keptAlready) { _ = try await store.create(browser("two", creation)) }
      let copy = BrowserCopy(name: "copy", createdAt: Sample.noon, incarnation: "i", creation: creation)
      await expect(.keptAlready) { _ = try await store.fork(one.id, as: copy) }
      #expect(try await store.browsers() == [one])
      #expect(try await store.keptCreation("k") == creation.request)
      let late = IdempotentCreation(request: request("k", "[]", second: 60), limits: limits(expiry: 0))
      _ = try await store.create(browser("two", late))
      #expect(try await store.keptCreation("k") == late.request)
      #expect(try await store.browsers().map(\.name) == ["one", "two"])
    },
  ]

  private static let digest = "digest"
  private static let wide = limits()

  private static func request(_ key: String, _ answer: String? = nil, second: Int64 = 0) -> IdempotencyRecord {
    IdempotencyRecord(key: key, digest: digest, receivedAt: Sample.noon + .seconds(second), answer: answer)
  }

  /// - Parameter expiry: in seconds behind noon.
  private static func limits(count: Int = 1_000, bytes: Int = 1 << 20, expiry: Int64 = -1) -> IdempotencyLimits {
    IdempotencyLimits(maximumCount: count, maximumBytes: bytes, expiry: Sample.noon + .seconds(expiry))
  }

  /// The keys of one digit of the kept requests.
  @Sendable private static func keys(_ rows: any BrowserReader) throws -> [String] {
    try (0...9).map(String.init).filter { try rows.row(IdempotencyRecord.self, $0) != nil }
  }
}
