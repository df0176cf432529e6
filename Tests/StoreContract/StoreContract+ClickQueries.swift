import PCMCore
import PCMStore
import Testing

extension StoreContract {
  static let clickQueryChecks = [
    Check("clicks are listed by number from a cursor, as many as asked for") { store in
      let browser = try await store.newBrowser()
      try await store.write(browser) { rows in
        for number in [30, 10, 20, 50, 40] as [Int64] {
          try rows.save(Sample.click(number, Sample.key("\(number).example"), at: Sample.noon - .days(number)), in: .table)
        }
      }
      for (cursor, limit, expected) in pages {
        let ids = try await store.seen(browser) { try $0.clicks(in: .table, after: cursor, limit: limit).map(\.id) }
        #expect(ids == expected, "behind \(cursor), at most \(limit)")
      }
    },
    Check("clicks made before an instant come oldest first, then by number, and the instant itself is not before it") { store in
      let browser = try await store.newBrowser()
      try await store.write(browser) { rows in
        for (number, seconds) in [(1, 5), (2, 3), (3, 3), (4, 9), (5, 1)] as [(Int64, Int64)] {
          let click = Sample.click(number, Sample.key("\(number).example"), at: Sample.noon + .seconds(seconds))
          try rows.save(click, in: .table)
        }
        try rows.save(Sample.click(6, at: Sample.noon), in: .ephemeral)
      }
      for (cutoff, expected) in [(0, []), (1, []), (2, [5]), (5, [5, 2, 3]), (10, [5, 2, 3, 1, 4])] as [(Int64, [Int64])] {
        let ids = try await store.seen(browser) {
          try $0.clicks(in: .table, madeBefore: Sample.noon + .seconds(cutoff)).map(\.id)
        }
        #expect(ids == expected, "before second \(cutoff)")
      }
    },
    Check("clicks that name a site are found on either side, by number") { store in
      let browser = try await store.newBrowser()
      try await store.write(browser) { rows in
        try rows.save(Sample.click(3, Sample.key("a.example", "b.example")), in: .table)
        try rows.save(Sample.click(2, Sample.key("b.example", "c.example")), in: .table)
        try rows.save(Sample.click(1, Sample.key("c.example", "b.example")), in: .table)
        try rows.save(Sample.click(4, Sample.key("b.example", "b.example")), in: .table)
        try rows.save(Sample.click(5, Sample.key("b.example", "a.example")), in: .ephemeral)
      }
      for (site, expected) in [("a.example", [3]), ("b.example", [1, 2, 3, 4]), ("example", [])] as [(String, [Int64])] {
        let ids = try await store.seen(browser) { try $0.clicks(in: .table, naming: Site(site)).map(\.id) }
        #expect(ids == expected, "\(site)")
      }
    },
    Check("the nearest click is one to the destination under any app, else any of the source, else none") { store in
      let browser = try await store.newBrowser()
      try await store.write(browser) { rows in
        try rows.save(Sample.click(1, Sample.key("a.example", "x.example")), in: .table)
        try rows.save(Sample.click(2, Sample.key("a.example", "y.example", "com.example.app")), in: .table)
        try rows.save(Sample.click(3, Sample.key("b.example", "z.example")), in: .table)
        try rows.save(Sample.click(4, Sample.key("c.example", "y.example")), in: .ephemeral)
      }
      for (source, destination, expected) in [
        ("a.example", "y.example", 2), ("a.example", "x.example", 1), ("b.example", "a.example", 3),
        ("b.example", "zz.example", 3), ("c.example", "y.example", nil), ("x.example", "a.example", nil),
      ] as [(String, String, Int64?)] {
        let found = try await store.seen(browser) {
          try $0.nearestClick(source: Site(source), destination: Site(destination))?.id
        }
        #expect(found == expected, "\(source) to \(destination)")
      }
      let other = try await store.seen(browser) {
        try $0.nearestClick(source: Site("a.example"), destination: Site("z.example"))?.click.key.source
      }
      #expect(other == Site("a.example"))
    },
  ]

  /// Cursor, limit, and the selected part of the numbers 10, 20, 30, 40, 50.
  static let pages: [(cursor: Int64, limit: Int, expected: [Int64])] = [
    (0, 0, []), (0, 1, [10]), (0, 5, [10, 20, 30, 40, 50]), (0, .max, [10, 20, 30, 40, 50]), (10, 2, [20, 30]),
    (15, 2, [20, 30]), (50, 5, []), (-1, 2, [10, 20]), (0, -1, []),
  ]
}
