import PCMCore
import PCMStore
import Synchronization
import Testing

extension StoreContract {
  static let orderChecks = [
    Check("transactions take effect in the order of their submission, without waiting for each other") { store in
      let browser = try await store.newBrowser()
      let writes = (0..<200).map { number in
        store.submit(browser) { try $0.append(Sample.event(Int64(number)), at: Sample.noon) }
      }
      var answers: [LogEvent] = []
      for write in writes { answers.append(try await write.answer()) }
      #expect(answers.map(\.sequence) == Array(1...200))
      let details = try await store.seen(browser) { try $0.events(after: 0, limit: 999).map(\.detail.text) }
      #expect(details == (0..<200).map { String(decoding: Sample.event($0).json, as: UTF8.self) })
    },
    Check("a body sees the rows of the bodies before it in each run, and runs once unless a transaction is rolled back") {
      store in
      let browser = try await store.newBrowser()
      try await store.write(browser) { try $0.save(Sample.click(1, Sample.key("1.example")), in: .table) }
      let (runs, complete) = (Count(), Count())
      let writes = (2...50 as ClosedRange<Int64>).map { number in
        store.submit(browser) { rows in
          runs.add()
          let isFound = try rows.click(Sample.key("\(number - 1).example"), in: .table)?.id == number - 1
          let isListed = try rows.clicks(in: .table, after: 0, limit: 99).map(\.id) == Array(1..<number)
          if isFound, isListed { complete.add() }
          try rows.save(Sample.click(number, Sample.key("\(number).example")), in: .table)
        }
      }
      for write in writes { try await write.answer() }
      #expect(runs.value == 49)
      #expect(complete.value == 49)
    },
    Check("creations take effect in the order of the calls, and so do the writes of a browser in between") { store in
      let browser = try await store.newBrowser()
      let answers = try await Caller().call(60) { number -> Int64 in
        if number.isMultiple(of: 2) { return try await store.newBrowser("\(number)").number }
        return try await store.write(browser) { try $0.append(Sample.event(), at: Sample.noon).sequence }
      }
      let created = stride(from: 0, to: 60, by: 2).map { answers[$0] }
      #expect(created == created.sorted())
      #expect(stride(from: 1, to: 60, by: 2).map { answers[$0] } == Array(1...30))
    },
    Check("a write called before its browser's deletion takes effect, and one called after is refused") { store in
      let browser = try await store.newBrowser()
      let outcomes = try await Caller().call(3) { number -> StoreError? in
        do {
          if number == 1 {
            try await store.delete(browser)
          } else {
            try await store.write(browser) { _ in }
          }
          return nil
        } catch let error as StoreError {
          return error
        }
      }
      #expect(outcomes == [nil, nil, .unknownBrowser])
    },
    Check("a state that is saved by many in turn is the last one's") { store in
      let browser = try await store.newBrowser()
      _ = try await Caller().call(100) { number in
        try await store.write(browser) { rows in
          var state = try rows.state()
          state.now = state.now + .seconds(1)
          state.draws["token", default: 0] += 1
          try rows.save(state)
        }
      }
      let expected = BrowserState(now: Sample.noon + .seconds(100), draws: ["token": 100])
      #expect(try await store.seen(browser) { try $0.state() } == expected)
    },
    Check("a read sees every write that was acknowledged before it") { store in
      let browser = try await store.newBrowser()
      await withTaskGroup { group in
        for number in 1...40 as ClosedRange<Int64> {
          group.addTask {
            let key = Sample.key("\(number).example")
            let saved = try? await store.write(browser) { rows in
              try rows.save(Sample.click(number, key), in: .table)
              return try rows.append(Sample.event(), at: Sample.noon).sequence
            }
            let seen = try? await store.read(browser) { rows in
              (try rows.click(key, in: .table)?.id, try rows.nextSequence())
            }
            #expect(seen?.0 == number)
            #expect(seen?.1 ?? 0 > saved ?? .max)
          }
        }
      }
    },
  ]

  /// Starts calls in order without waiting for one before the next.
  private actor Caller {
    func call<Answer: Sendable>(
      _ count: Int, _ body: @escaping @Sendable (Int) async throws -> Answer
    ) async throws -> [Answer] {
      let tasks = (0..<count).map { number in
        Task {
          // Isolated to this actor, which starts its tasks in the order of their creation.
          started += 1
          return try await body(number)
        }
      }
      var answers: [Answer] = []
      for task in tasks { answers.append(try await task.value) }
      return answers
    }

    private var started = 0
  }

  static let closingChecks = [
    Check("closing waits for the writes that were handed over; every later call is refused") { store in
      let browser = try await store.newBrowser()
      let answers = try await Caller().call(21) { number -> Int64 in
        if number == 20 {
          try await store.close()
          return 0
        }
        return try await store.write(browser) { try $0.append(Sample.event(), at: Sample.noon).sequence }
      }
      #expect(answers == Array(1...20) + [0])
      await expect(.closed) { _ = try await store.browsers() }
      await expect(.closed) { _ = try await store.newBrowser("late") }
      await expect(.closed) { try await store.delete(browser) }
      await expect(.closed) { try await store.write(browser) { _ in } }
      await expect(.closed) { try await store.read(browser) { _ in } }
      await expect(.closed) { try await store.checkWritable() }
      await expect(.closed) { try await store.close() }
    }
  ]
}

private final class Count: Sendable {
  private let count = Atomic<Int>(0)

  var value: Int { count.load(ordering: .relaxed) }

  func add() { count.add(1, ordering: .relaxed) }
}
