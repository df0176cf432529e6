import PCMCore
import PCMStore
import Testing

extension StoreContract {
  static let countChecks = [
    Check("waiting reports are counted, and are overdue on the clock of their browser") { store in
      #expect(try await store.counts(at: .latest) == StoreCounts())
      let browser = try await store.newBrowser()
      let real = try await store.create(
        NewBrowser(name: "real", seed: "", clockMode: .real, state: BrowserState(now: .earliest)))
      for id in [browser, real.id] {
        try await store.write(id) { rows in
          for number in 1...3 as ClosedRange<Int64> { try rows.save(Sample.report(number)) }
          try rows.save(Sample.report(4, retryAt: Sample.noon + .hours(40)))
          try rows.save(Sample.report(5, state: .delivered))
        }
      }
      let due = Sample.noon + .hours(30)
      #expect(try await store.counts(at: due - .hours(1)) == StoreCounts(browsers: 2, scheduled: 8, overdue: 0))
      #expect(try await store.counts(at: due) == StoreCounts(browsers: 2, scheduled: 8, overdue: 3))
      #expect(try await store.counts(at: due + .hours(10)) == StoreCounts(browsers: 2, scheduled: 8, overdue: 4))
      try await store.write(browser) { rows in
        try rows.save(BrowserState(now: due))
        try rows.remove(Report.self, 1)
      }
      #expect(try await store.counts(at: .earliest) == StoreCounts(browsers: 2, scheduled: 7, overdue: 2))
      try await store.delete(browser)
      #expect(try await store.counts(at: .earliest) == StoreCounts(browsers: 1, scheduled: 4, overdue: 0))
    },
    Check("a transaction knows the events that it appended, and no others") { store in
      let browser = try await store.newBrowser()
      for _ in 1...2 {
        let appended = try await store.write(browser) { rows in
          #expect(rows.appended.isEmpty)
          try rows.append(Sample.event(), at: Sample.noon)
          return rows.appended
        }
        #expect(appended.map(\.json) == [Sample.event().json])
      }
      await #expect(throws: Refusal()) {
        try await store.write(browser) { rows in
          try rows.append(Sample.event(), at: Sample.noon)
          throw Refusal()
        }
      }
      #expect(try await store.write(browser) { $0.appended.isEmpty })
    },
  ]
}
