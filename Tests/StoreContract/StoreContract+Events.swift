import PCMCore
import PCMStore
import Testing

extension StoreContract {
  static let eventChecks = [
    Check("events are numbered from 1 and come back as they were appended") { store in
      let browser = try await store.newBrowser()
      #expect(try await store.seen(browser) { try $0.nextSequence() } == 1)
      let appended = try await store.write(browser) { rows in
        let details: [JSON] = [["z": 1, "a": ["nested": "ä\n\"🎯\""]], .null, .verbatim("[1, 2]")]
        return try details.enumerated().map { index, detail in
          try rows.append(.attributed, at: Sample.noon + .seconds(Int64(index)), detail)
        }
      }
      #expect(appended.map(\.sequence) == [1, 2, 3])
      #expect(appended.map(\.detail.text) == ["{\"z\":1,\"a\":{\"nested\":\"ä\\n\\\"🎯\\\"\"}}", "null", "[1, 2]"])
      #expect(try await store.seen(browser) { try $0.events(after: 0, limit: 9) } == appended)
      #expect(try await store.seen(browser) { try $0.nextSequence() } == 4)
    },
    Check("every kind of event is kept") { store in
      let browser = try await store.newBrowser()
      try await store.write(browser) { rows in
        for kind in EventKind.allCases { try rows.append(kind, at: Sample.noon, [:]) }
      }
      let kinds = try await store.seen(browser) { try $0.events(after: 0, limit: 99).map(\.kind) }
      #expect(kinds == EventKind.allCases)
    },
    Check("events are read from a cursor, as many as asked for") { store in
      let browser = try await store.newBrowser()
      try await store.write(browser) { rows in
        for _ in 1...5 { try rows.append(.attributed, at: Sample.noon, [:]) }
      }
      for (cursor, limit, expected) in [
        (0, 0, []), (0, 1, [1]), (0, 9, [1, 2, 3, 4, 5]), (3, 9, [4, 5]), (2, 2, [3, 4]), (5, 9, []), (99, 9, []),
        (-5, 1, [1]), (.max, .max, []), (0, -1, []),
      ] as [(Int64, Int, [Int64])] {
        let found = try await store.seen(browser) { try $0.events(after: cursor, limit: limit).map(\.sequence) }
        #expect(found == expected, "behind \(cursor), at most \(limit)")
      }
    },
    Check("each browser numbers its own events") { store in
      let (left, right) = (try await store.newBrowser("left"), try await store.newBrowser("right"))
      for browser in [left, right, left] {
        try await store.write(browser) { _ = try $0.append(.attributed, at: Sample.noon, [:]) }
      }
      #expect(try await store.seen(left) { try $0.nextSequence() } == 3)
      #expect(try await store.seen(right) { try $0.nextSequence() } == 2)
    },
  ]
}
