import PCMCore
import Testing

@testable import PCMStore

extension StoreContract {
  static let reportSelectionChecks = [
    Check("a selection of reports combines its filters with and, and the values of a filter with or") { store in
      let browser = try await store.newBrowser()
      try await store.write(browser) { rows in for report in variety { try rows.save(report) } }
      let (a, b, c) = (Site("a.example"), Site("b.example"), Site("c.example"))
      let selections = [
        ReportSelection(recipients: [.source]), ReportSelection(recipients: [.source, .destination]),
        ReportSelection(sites: [a]), ReportSelection(sites: [b, c]), ReportSelection(sites: [Site("example")]),
        ReportSelection(states: [.failed], recipients: [.destination]),
        ReportSelection(states: [.failed, .cleared, .sending], sites: [b]),
        ReportSelection(states: [.delivered, .failed], recipients: [.source], sites: [a, c]), .all,
      ]
      for selection in selections {
        for (limit, most) in [(1, 10_000), (2, 7), (5, 1), (7, 30), (1_000, 10_000)] {
          let pages = try await store.pages(of: selection, in: browser, limit: limit, examining: most)
          #expect(pages.allSatisfy { $0.items.count <= limit })
          #expect(pages.flatMap(\.items) == variety.filter(selection.selects), "\(selection), \(limit) of \(most)")
        }
      }
    },
    Check("a page of selected reports examines a limited number of them, and may be empty before the last page") { store in
      let browser = try await store.newBrowser()
      let rare = Sample.report(95, Sample.key("rare.example", "b.example"))
      try await store.write(browser) { rows in
        for number in 1...100 { try rows.save(number == 95 ? rare : Sample.report(Int64(number))) }
      }
      for states in [[], [.scheduled]] as [Set<Report.State>] {
        let selection = ReportSelection(states: states, sites: [Site("rare.example")])
        let pages = try await store.pages(of: selection, in: browser, limit: 5, examining: 30)
        #expect(pages.map(\.items) == [[], [], [], [rare]])
        #expect(pages.map(\.next) == [30, 60, 90, nil])
      }
      let both = ReportSelection(states: [.scheduled, .failed], sites: [Site("rare.example")])
      let page = try await store.pages(of: both, in: browser, limit: 5, examining: 30)[0]
      #expect(page.next == 15, "the states share the limit")
    },
    Check("a page of selected reports ends with the one that reaches its size") { store in
      let browser = try await store.newBrowser()
      let attempt = "\"\(String(repeating: "x", count: 498))\""
      try await store.write(browser) { rows in
        for number in 1...10 {
          let attempts = Array(repeating: attempt, count: number == 5 ? 4 : 1)
          try rows.save(Sample.report(Int64(number), state: number % 2 == 0 ? .scheduled : .failed, attempts: attempts))
        }
      }
      for selection in [.all, ReportSelection(states: [.scheduled, .failed]), ReportSelection(sites: [Sample.shop])] {
        var (cursor, pages): (Int64?, [[Int64]]) = (0, [])
        while let after = cursor {
          let page = try await store.seen(browser) { try $0.reports(selection, after: after, limit: 4, bytes: 1_500) }
          pages.append(page.items.map(\.id))
          cursor = page.next
        }
        #expect(pages == [[1, 2, 3], [4, 5], [6, 7, 8], [9, 10]], "\(selection)")
      }
    },
    Check("the headings of reports are those of the same reports") { store in
      let browser = try await store.newBrowser()
      try await store.write(browser) { rows in for report in variety { try rows.save(report) } }
      for state in [nil] + Report.State.allCases {
        for (cursor, limit) in [(0, 9), (7, 3), (40, 100), (-1, 0), (3, -1)] as [(Int64, Int)] {
          let headings = try await store.seen(browser) { try $0.reportHeadings(in: state, after: cursor, limit: limit) }
          let reports = try await store.seen(browser) { try $0.reports(in: state, after: cursor, limit: limit) }
          #expect(headings == reports.map(\.heading), "\(state?.rawValue ?? "all") after \(cursor), at most \(limit)")
        }
      }
    },
  ]

  /// Reports in every state, to both recipients, between four sites.
  private static let variety: [Report] = (1...48).map { number in
    let states = Report.State.allCases
    let names = ["a.example", "b.example", "c.example", "d.example"]
    return Report(
      id: Int64(number), attribution: 5, session: .normal, key: Sample.key(names[number / 3 % 4], names[number / 7 % 4]),
      recipient: number % 2 == 0 ? .source : .destination, url: "https://\(number).example/", body: "{}",
      dueAt: Sample.noon, state: states[number / 5 % states.count])
  }
}

extension ReportSelection {
  fileprivate func selects(_ report: Report) -> Bool {
    (states.isEmpty || states.contains(report.state)) && (recipients.isEmpty || recipients.contains(report.recipient))
      && (sites.isEmpty || sites.contains { report.key.names($0) })
  }
}

extension Report {
  fileprivate var heading: ReportHeading {
    ReportHeading(id: id, source: key.source, destination: key.destination, recipient: recipient)
  }
}

extension Store {
  /// Returns all pages of a selection.
  fileprivate func pages(
    of selection: ReportSelection, in browser: BrowserID, limit: Int, examining most: Int
  ) async throws -> [RecordPage<Report>] {
    var pages: [RecordPage<Report>] = []
    var cursor: Int64? = 0
    while let position = cursor {
      let page = try await seen(browser) { try $0.reports(selection, after: position, limit: limit, examining: most) }
      #expect(page.next.map { $0 > position } ?? true)
      pages.append(page)
      cursor = page.next
    }
    return pages
  }
}
