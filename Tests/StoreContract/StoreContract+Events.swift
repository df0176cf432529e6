import PCMCore
import PCMStore
import Testing

extension StoreContract {
  static let eventChecks = [
    Check("events are numbered from 1 and come back as they were appended") { store in
      let browser = try await store.newBrowser()
      #expect(try await store.seen(browser) { try $0.nextSequence() } == 1)
      let appended = try await store.write(browser) { rows in
        try (1...3).map { try rows.append(Sample.event($0), at: Sample.noon + .seconds($0)) }
      }
      #expect(appended.map(\.sequence) == [1, 2, 3])
      #expect(appended.map(\.detail.text) == (1...3).map { String(decoding: Sample.event($0).json, as: UTF8.self) })
      #expect(try await store.seen(browser) { try $0.events(after: 0, limit: 9) } == appended)
      #expect(try await store.seen(browser) { try $0.nextSequence() } == 4)
    },
    Check("the times of a log never go back, also across transactions and a rollback") { store in
      let browser = try await store.newBrowser()
      #expect(try await store.seen(browser) { try $0.lastEventAt() } == nil)
      let first = try await store.write(browser) { rows in
        try [20, 10, 30].map { try rows.append(Sample.event(), at: Sample.noon + .seconds($0)).at }
      }
      #expect(first == [20, 20, 30].map { Sample.noon + .seconds($0) })
      await #expect(throws: Refusal()) {
        try await store.write(browser) { rows in
          try rows.append(Sample.event(), at: Sample.noon + .days(1))
          throw Refusal()
        }
      }
      #expect(try await store.seen(browser) { try $0.lastEventAt() } == Sample.noon + .seconds(30))
      let later = try await store.write(browser) { rows in
        try [29, 31].map { try rows.append(Sample.event(), at: Sample.noon + .seconds($0)) }
      }
      #expect(later.map(\.at) == [30, 31].map { Sample.noon + .seconds($0) })
      #expect(try await store.seen(browser) { try $0.events(after: 3, limit: 9) } == later)
    },
    Check("every kind of event is kept") { store in
      let browser = try await store.newBrowser()
      try await store.write(browser) { rows in
        for event in Sample.events { try rows.append(event, at: Sample.noon) }
      }
      let kept = try await store.seen(browser) { try $0.events(after: 0, limit: 99) }
      #expect(Set(kept.map(\.kind)) == Set(EventKind.allCases))
      #expect(kept.map(\.detail.text) == Sample.events.map { String(decoding: $0.json, as: UTF8.self) })
    },
    Check("events are read from a cursor, as many as asked for") { store in
      let browser = try await store.newBrowser()
      try await store.write(browser) { rows in
        for _ in 1...5 { try rows.append(Sample.event(), at: Sample.noon) }
      }
      for (cursor, limit, expected) in [
        (0, 0, []), (0, 1, [1]), (0, 9, [1, 2, 3, 4, 5]), (3, 9, [4, 5]), (2, 2, [3, 4]), (5, 9, []), (99, 9, []),
        (-5, 1, [1]), (.max, .max, []), (0, -1, []),
      ] as [(Int64, Int, [Int64])] {
        let found = try await store.seen(browser) { try $0.events(after: cursor, limit: limit).map(\.sequence) }
        #expect(found == expected, "behind \(cursor), at most \(limit)")
      }
    },
    Check("the rules of a decision are kept with the event that names them") { store in
      let browser = try await store.newBrowser()
      let rules = Sample.rules
      #expect(try await store.seen(browser) { try $0.ruleList(rules.id) } == nil)
      await #expect(throws: Refusal()) {
        try await store.write(browser) { rows in
          for event in Sample.events { try rows.append(event, at: Sample.noon) }
          throw Refusal()
        }
      }
      #expect(try await store.seen(browser) { try $0.ruleList(rules.id) } == nil)
      for _ in 1...2 {
        try await store.write(browser) { rows in
          for event in Sample.events { try rows.append(event, at: Sample.noon) }
        }
        let kept = try await store.seen(browser) { try $0.ruleList(rules.id) }
        #expect(kept == rules)
        #expect(kept?.headings == rules.headings)
      }
      #expect(try await store.seen(browser) { try $0.ruleList("0123456789ab") } == nil)
    },
    Check("each browser numbers its own events") { store in
      let (left, right) = (try await store.newBrowser("left"), try await store.newBrowser("right"))
      for browser in [left, right, left] {
        try await store.write(browser) { _ = try $0.append(Sample.event(), at: Sample.noon) }
      }
      #expect(try await store.seen(left) { try $0.nextSequence() } == 3)
      #expect(try await store.seen(right) { try $0.nextSequence() } == 2)
    },
  ]
}
