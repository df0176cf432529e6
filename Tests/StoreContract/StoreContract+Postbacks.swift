import PCMCore
import PCMStore
import Testing

extension StoreContract {
  static let postbackChecks = [
    Check("a postback comes back as it was, byte for byte") { store in
      let (browser, other) = (try await store.newBrowser(), try await store.newBrowser("other"))
      let postbacks = [
        Sample.postback(1),
        Sample.postback(
          2, retryAt: Sample.noon, attempts: ["{ \"status\" : 503,\n\"text\":\"ä\\u0000 🧾\" }", "{}"],
          attemptCount: 7),
        Postback(
          id: 1 << 62, conversion: 1 << 62, impression: 0, framework: .skadnetwork, sequenceIndex: 0, didWin: true,
          recipient: .adNetwork, adNetworkIdentifier: "", bundleIdentifier: "'; --", url: "e\u{301}\n\u{1E}", body: "{}",
          message: OutgoingMessage(state: .superseded, dueAt: .latest)),
      ]
      try await store.write(browser) { rows in for postback in postbacks { try rows.save(postback) } }
      for postback in postbacks {
        let found = try #require(try await store.seen(browser) { try $0.row(Postback.self, postback.id) })
        #expect(found == postback)
        #expect(texts(found) == texts(postback))
        #expect(try await store.seen(other) { try $0.row(Postback.self, postback.id) } == nil)
      }
      #expect(try await store.seen(browser) { try $0.row(Postback.self, 3) } == nil)
    },
    Check("a postback replaces the one with its number, in every order") { store in
      let browser = try await store.newBrowser()
      let sent = Sample.postback(1, state: .delivered, attempts: ["{}"])
      try await store.write(browser) { rows in
        try rows.save(Sample.postback(1, retryAt: Sample.noon))
        try rows.save(sent)
      }
      #expect(try await store.seen(browser) { try $0.postbacks(in: nil, after: 0, limit: 9) } == [sent])
      #expect(try await store.seen(browser) { try $0.postbacks(in: .scheduled, after: 0, limit: 9) }.isEmpty)
      #expect(try await store.seen(browser) { try $0.postbacks(in: .delivered, after: 0, limit: 9) } == [sent])
      #expect(try await store.seen(browser) { try $0.rows(Postback.Query.earliest(limit: 9)) }.isEmpty)
    },
    Check("a removed postback is in no list, and a removal that was rolled back changed nothing") { store in
      let browser = try await store.newBrowser()
      let (first, second) = (Sample.postback(1), Sample.postback(2, state: .failed))
      try await store.write(browser) { rows in for postback in [first, second] { try rows.save(postback) } }
      await #expect(throws: Refusal()) {
        try await store.write(browser) { rows in
          for number in [1, 2] as [Int64] { try rows.remove(Postback.self, number) }
          throw Refusal()
        }
      }
      #expect(try await store.seen(browser) { try $0.postbacks(in: nil, after: 0, limit: 9) } == [first, second])
      #expect(try await store.seen(browser) { try $0.rows(Postback.Query.earliest(limit: 9)) } == [first])
      try await store.write(browser) { rows in for number in [1, 3] as [Int64] { try rows.remove(Postback.self, number) } }
      #expect(try await store.seen(browser) { try $0.row(Postback.self, 1) } == nil)
      #expect(try await store.seen(browser) { try $0.postbacks(in: nil, after: 0, limit: 9) } == [second])
      #expect(try await store.seen(browser) { try $0.postbacks(in: .scheduled, after: 0, limit: 9) }.isEmpty)
      #expect(try await store.seen(browser) { try $0.rows(Postback.Query.earliest(limit: 9)) }.isEmpty)
    },
    Check("postbacks are listed by number from a cursor, of one state or of all") { store in
      let browser = try await store.newBrowser()
      try await store.write(browser) { rows in
        for number in [30, 10, 20, 50, 40] as [Int64] { try rows.save(Sample.postback(number)) }
      }
      for (cursor, limit, expected) in pages {
        for state in [nil, Postback.State.scheduled] {
          let ids = try await store.seen(browser) { try $0.postbacks(in: state, after: cursor, limit: limit).map(\.id) }
          #expect(ids == expected, "after \(cursor), at most \(limit)")
        }
      }
      #expect(try await store.seen(browser) { try $0.postbacks(in: .failed, after: 0, limit: 9) }.isEmpty)
    },
    Check("each state lists its own postbacks, and only those that are scheduled wait") { store in
      let browser = try await store.newBrowser()
      try await store.write(browser) { rows in
        for (index, state) in Postback.State.allCases.enumerated() {
          try rows.save(Sample.postback(Int64(index), state: state, retryAt: state == .scheduled ? Sample.noon : nil))
        }
      }
      for (index, state) in Postback.State.allCases.enumerated() {
        let ids = try await store.seen(browser) { try $0.postbacks(in: state, after: -1, limit: 9).map(\.id) }
        #expect(ids == [Int64(index)], "\(state)")
      }
      #expect(try await store.seen(browser) { try $0.rows(Postback.Query.earliest(limit: 9)).map(\.state) } == [.scheduled])
    },
    Check("the earliest postbacks come by their next attempt, then by number") { store in
      let browser = try await store.newBrowser()
      @Sendable func postback(
        _ number: Int64, dueAt due: Int64, retryAt: Int64? = nil, _ state: Postback.State = .scheduled
      ) -> Postback {
        Sample.postback(
          number, state: state, dueAt: Sample.noon + .seconds(due), retryAt: retryAt.map { Sample.noon + .seconds($0) })
      }
      try await store.write(browser) { rows in
        for postback in [
          postback(4, dueAt: 5), postback(3, dueAt: 1, retryAt: 5), postback(2, dueAt: 2, .sending), postback(1, dueAt: 9),
        ] { try rows.save(postback) }
      }
      for (limit, expected) in [(0, []), (1, [3]), (2, [3, 4]), (9, [3, 4, 1]), (-1, [])] as [(Int, [Int64])] {
        #expect(try await store.seen(browser) { try $0.rows(Postback.Query.earliest(limit: limit)).map(\.id) } == expected)
      }
      try await store.write(browser) { rows in
        try rows.save(postback(3, dueAt: 1, .delivered))
        try rows.save(postback(1, dueAt: 0))
        try rows.save(postback(2, dueAt: 2, retryAt: 8))
      }
      #expect(try await store.seen(browser) { try $0.rows(Postback.Query.earliest(limit: 9)).map(\.id) } == [1, 4, 2])
    },
  ]

  /// Returns the bytes of a postback's texts.
  private static func texts(_ postback: Postback) -> [[UInt8]] {
    let texts =
      [postback.adNetworkIdentifier, postback.bundleIdentifier, postback.url, postback.body] + postback.attempts.map(\.text)
    return texts.map { Array($0.utf8) }
  }
}
