import PCMCore
import PCMStore
import Testing

extension StoreContract {
  static let transactionChecks = [
    Check("a write sees what it wrote itself") { store in
      let browser = try await store.newBrowser()
      try await store.write(browser) { rows in
        try everything(rows)
        let contents = try Contents(rows)
        #expect(contents.clicks.count == 4)
        #expect(contents.attributions.count == 2)
        #expect(contents.reports == [Sample.report(20, retryAt: Sample.noon)])
        #expect(contents.deviceRows.count == DeviceRow.Kind.allCases.count)
        #expect(contents.postbacks == [Sample.postback(30)])
        #expect(contents.events.count == 1)
        #expect(try rows.nextSequence() == 2)
      }
    },
    Check("a body that throws leaves nothing behind: rows, state and numbers are as before") { store in
      let browser = try await store.newBrowser()
      let before = try await store.seen(browser, Contents.init)
      await #expect(throws: Refusal(7)) {
        try await store.write(browser) { rows in
          try everything(rows)
          try rows.save(BrowserState(now: .latest, draws: ["token": 1]))
          throw Refusal(7)
        }
      }
      #expect(try await store.seen(browser, Contents.init) == before)
      #expect(try await store.seen(browser) { try $0.state() } == BrowserState(now: Sample.noon))
      #expect(try await store.seen(browser) { try $0.nextSequence() } == 1)
      let event = try await store.write(browser) { try $0.append(Sample.event(), at: Sample.noon) }
      #expect(event.sequence == 1)
    },
    Check("a body that throws restores what it replaced and removed, in every order") { store in
      let browser = try await store.newBrowser()
      try await store.write(browser, everything)
      let before = try await store.seen(browser, Contents.init)
      await #expect(throws: Refusal()) { try await store.write(browser, upheaval) }
      #expect(try await store.seen(browser, Contents.init) == before)
      #expect(try await store.seen(browser) { try $0.clicks(in: .table, madeBefore: .latest) } == [Sample.click(1)])
      #expect(try await store.seen(browser) { try $0.scheduledReports(naming: nil) } == before.reports)
      #expect(try await store.seen(browser) { try $0.earliestAttributions(limit: 9) } == before.attributions)
      let nearest = try await store.seen(browser) {
        try $0.nearestClick(source: Sample.social, destination: Sample.shop)
      }
      #expect(nearest == Sample.click(1))
    },
    Check("of fifty writes at once one throws and fails alone") { store in
      let browser = try await store.newBrowser()
      let failed = await withTaskGroup(of: Int?.self) { group in
        for number in 0..<50 {
          group.addTask {
            do {
              try await store.write(browser) { rows in
                try rows.save(Sample.click(Int64(number), Sample.key("\(number).example")), in: .table)
                try rows.append(Sample.event(Int64(number)), at: Sample.noon)
                if number == 25 { throw Refusal(number) }
              }
              return nil
            } catch {
              return error as? Refusal == Refusal(number) ? number : -1
            }
          }
        }
        return await group.reduce(into: []) { failed, number in failed += number.map { [$0] } ?? [] }
      }
      #expect(failed == [25])
      let clicks = try await store.seen(browser) { try $0.clicks(in: .table, after: -1, limit: 99).map(\.id) }
      #expect(clicks == (0..<50).filter { $0 != 25 })
      #expect(try await store.seen(browser) { try $0.events(after: 0, limit: 99).map(\.sequence) } == Array(1...49))
    },
    Check("a write to a browser that is gone fails alone among others") { store in
      let (living, dead) = (try await store.newBrowser("living"), try await store.newBrowser("dead"))
      try await store.delete(dead)
      await withTaskGroup { group in
        for number in 1...50 as ClosedRange<Int64> {
          group.addTask {
            let browser = number % 2 == 0 ? living : dead
            let event = try? await store.write(browser) { try $0.append(Sample.event(), at: Sample.noon) }
            #expect((event != nil) == (browser == living))
          }
        }
      }
      #expect(try await store.seen(living) { try $0.nextSequence() } == 26)
    },
  ]

  /// Touches every kind of row that `everything` left, then throws.
  @Sendable private static func upheaval(_ rows: any BrowserWriter) throws {
    try rows.save(Sample.click(100, at: Sample.noon + .days(2)), in: .table)
    try rows.save(Sample.click(101, Sample.key("a.example")), in: .table)
    try rows.removeClick(Sample.key(), in: .ephemeral)
    _ = try rows.removeAllClicks(in: .privateTable)
    try rows.save(Sample.click(102), in: .privateTable)
    try rows.save(Sample.attribution(100, source: 1), in: .normal)
    try rows.removeAttribution(Sample.key(), in: .privateBrowsing)
    _ = try rows.removeAllAttributions(in: .normal)
    try rows.save(Sample.report(20, state: .failed))
    try rows.save(Sample.report(21))
    try rows.save(Sample.deviceRow("one", changesAt: Sample.noon + .days(1)))
    try rows.save(Sample.deviceRow("two", changesAt: Sample.noon))
    try rows.remove(DeviceRow.self, DeviceRow.Key(.adNetwork, "one"))
    try rows.save(Sample.postback(30, state: .failed))
    try rows.save(Sample.postback(31))
    try rows.remove(Postback.self, 30)
    try rows.remove(AppRecord.self, "com.example.app")
    try rows.append(Sample.event(), at: Sample.noon)
    throw Refusal()
  }
}
