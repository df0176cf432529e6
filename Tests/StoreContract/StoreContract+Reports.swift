import PCMCore
import PCMStore
import Testing

extension StoreContract {
  static let reportChecks = [
    Check("a report comes back as it was, with its attempts byte for byte") { store in
      let browser = try await store.newBrowser()
      let reports = [
        Sample.report(1),
        Sample.report(
          2, Sample.key("ä.example", "b.example", "com.example.app"), retryAt: Sample.noon,
          attempts: ["{ \"status\" : 503,\n\"text\":\"ä\\u0000 🧾\" }", "{}"], attemptCount: 7),
        Report(
          id: 1 << 62, attribution: 1 << 62, session: .normal, key: Sample.key(), recipient: .source, url: "", body: "{}",
          dueAt: .latest, state: .cleared, retryAt: nil, attempts: [KeptAttempt(text: "{}")]),
      ]
      try await store.write(browser) { rows in for report in reports { try rows.save(report) } }
      for report in reports {
        #expect(try await store.seen(browser) { try $0.row(Report.self, report.id) } == report)
      }
      #expect(try await store.seen(browser) { try $0.row(Report.self, 3) } == nil)
    },
    Check("a report replaces the one with its number, in every order") { store in
      let browser = try await store.newBrowser()
      let sent = Sample.report(1, state: .delivered, attempts: ["{}"])
      try await store.write(browser) { rows in
        try rows.save(Sample.report(1, retryAt: Sample.noon))
        try rows.save(sent)
      }
      #expect(try await store.seen(browser) { try $0.reports(in: nil, after: 0, limit: 9) } == [sent])
      #expect(try await store.seen(browser) { try $0.reports(in: .scheduled, after: 0, limit: 9) }.isEmpty)
      #expect(try await store.seen(browser) { try $0.reports(in: .delivered, after: 0, limit: 9) } == [sent])
      #expect(try await store.seen(browser) { try $0.rows(Report.Query.earliest(limit: 9)) }.isEmpty)
    },
    Check("a removed report is in no list, and a removal that was rolled back changed nothing") { store in
      let browser = try await store.newBrowser()
      let (first, second) = (Sample.report(1, retryAt: Sample.noon), Sample.report(2, state: .failed))
      try await store.write(browser) { rows in for report in [first, second] { try rows.save(report) } }
      await #expect(throws: Refusal()) {
        try await store.write(browser) { rows in
          for number in [1, 2] as [Int64] { try rows.remove(Report.self, number) }
          throw Refusal()
        }
      }
      #expect(try await store.seen(browser) { try $0.reports(in: nil, after: 0, limit: 9) } == [first, second])
      #expect(try await store.seen(browser) { try $0.rows(Report.Query.earliest(limit: 9)) } == [first])
      try await store.write(browser) { rows in for number in [1, 3] as [Int64] { try rows.remove(Report.self, number) } }
      #expect(try await store.seen(browser) { try $0.row(Report.self, 1) } == nil)
      #expect(try await store.seen(browser) { try $0.reports(in: nil, after: 0, limit: 9) } == [second])
      #expect(try await store.seen(browser) { try $0.reports(in: .scheduled, after: 0, limit: 9) }.isEmpty)
      #expect(try await store.seen(browser) { try $0.rows(Report.Query.earliest(limit: 9)) }.isEmpty)
    },
    Check("reports are listed by number from a cursor, of one state or of all") { store in
      let browser = try await store.newBrowser()
      try await store.write(browser) { rows in
        for number in [30, 10, 20, 50, 40] as [Int64] { try rows.save(Sample.report(number)) }
      }
      for (cursor, limit, expected) in pages {
        for state in [nil, Report.State.scheduled] {
          let ids = try await store.seen(browser) { try $0.reports(in: state, after: cursor, limit: limit).map(\.id) }
          #expect(ids == expected, "behind \(cursor), at most \(limit)")
        }
      }
      #expect(try await store.seen(browser) { try $0.reports(in: .failed, after: 0, limit: 9) }.isEmpty)
    },
    Check("reports in any of several states are listed by number, in complete pages") { store in
      let browser = try await store.newBrowser()
      let states: [Report.State] = [.failed, .delivered, .scheduled]
      try await store.write(browser) { rows in
        for number in 1...30 { try rows.save(Sample.report(Int64(number), state: states[number % 3])) }
      }
      let unscheduled = ReportSelection(states: [.delivered, .failed, .cleared])
      let expected = (1...30).filter { $0 % 3 != 2 }.map(Int64.init)
      for limit in [1, 2, 7, 30] {
        var (cursor, ids) = (Int64(0), [Int64]())
        while true {
          let page = try await store.seen(browser) { [cursor] rows in
            try rows.reports(unscheduled, after: cursor, limit: limit).items.map(\.id)
          }
          #expect(page.count <= limit)
          guard let last = page.last else { break }
          (ids, cursor) = (ids + page, last)
        }
        #expect(ids == expected, "pages of \(limit)")
      }
      let all = try await store.seen(browser) { try $0.reports(.all, after: 0, limit: 99).items.map(\.id) }
      #expect(all == Array(1...30))
    },
    Check("each state lists its own reports") { store in
      let browser = try await store.newBrowser()
      try await store.write(browser) { rows in
        for (index, state) in Report.State.allCases.enumerated() {
          try rows.save(Sample.report(Int64(index), state: state))
        }
      }
      for (index, state) in Report.State.allCases.enumerated() {
        let ids = try await store.seen(browser) { try $0.reports(in: state, after: -1, limit: 9).map(\.id) }
        #expect(ids == [Int64(index)], "\(state)")
      }
    },
    Check("scheduled reports are found by a site on either side, or all of them, by number") { store in
      let browser = try await store.newBrowser()
      try await store.write(browser) { rows in
        try rows.save(Sample.report(3, Sample.key("a.example", "b.example")))
        try rows.save(Sample.report(2, Sample.key("b.example", "c.example")))
        try rows.save(Sample.report(1, Sample.key("d.example", "c.example")))
        try rows.save(Sample.report(4, Sample.key("b.example", "c.example"), state: .sending))
      }
      for (site, expected) in [
        ("a.example", [3]), ("b.example", [2, 3]), ("c.example", [1, 2]), ("e.example", []), (nil, [1, 2, 3]),
      ] as [(String?, [Int64])] {
        let ids = try await store.seen(browser) { try $0.scheduledReports(naming: site.map { Site($0) }).map(\.id) }
        #expect(ids == expected, "\(site ?? "all")")
      }
    },
    Check("the earliest retries come by their time, then by number, and only those that wait") { store in
      let browser = try await store.newBrowser()
      try await store.write(browser) { rows in
        for (number, seconds) in [(4, 5), (3, 5), (2, nil), (1, 9)] as [(Int64, Int64?)] {
          let retryAt = seconds.map { Sample.noon + .seconds($0) }
          try rows.save(Sample.report(number, state: .scheduled, retryAt: retryAt))
        }
      }
      for (limit, expected) in [(0, []), (1, [3]), (9, [3, 4, 1]), (-1, [])] as [(Int, [Int64])] {
        #expect(try await store.seen(browser) { try $0.rows(Report.Query.earliest(limit: limit)).map(\.id) } == expected)
      }
      try await store.write(browser) { rows in
        try rows.save(Sample.report(3, state: .delivered))
        try rows.save(Sample.report(1, retryAt: Sample.noon))
      }
      #expect(try await store.seen(browser) { try $0.rows(Report.Query.earliest(limit: 9)).map(\.id) } == [1, 4])
    },
  ]
}
