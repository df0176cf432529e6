import PCMCore
import PCMStore
import Testing

extension StoreContract {
  static let attributionChecks = [
    Check("an attribution comes back as it was, from its own session only, with one half or two") { store in
      let browser = try await store.newBrowser()
      let attributions = [
        Sample.attribution(1, Sample.key("a.example"), nonce: "ABCDEFabcdef0123456789"),
        Sample.attribution(2, Sample.key("ä.example"), source: nil),
        Sample.attribution(3, Sample.key("c.example", "d.example", "com.example.app"), destination: nil),
      ]
      try await store.write(browser) { rows in
        for attribution in attributions { try rows.save(attribution, in: .privateBrowsing) }
      }
      for attribution in attributions {
        #expect(try await store.seen(browser) { try $0.attribution(attribution.key, in: .privateBrowsing) } == attribution)
        #expect(try await store.seen(browser) { try $0.attribution(attribution.key, in: .normal) } == nil)
      }
    },
    Check("an attribution replaces the one with its key in the same session") { store in
      let browser = try await store.newBrowser()
      let (old, new) = (Sample.attribution(1), Sample.attribution(2, source: 500, destination: 50, nonce: "n"))
      try await store.write(browser) { rows in
        try rows.save(old, in: .normal)
        try rows.save(old, in: .privateBrowsing)
        try rows.save(new, in: .normal)
      }
      #expect(try await store.seen(browser) { try $0.attributions(in: .normal, after: 0, limit: 9) } == [new])
      #expect(try await store.seen(browser) { try $0.attributions(in: .privateBrowsing, after: 0, limit: 9) } == [old])
      #expect(try await store.seen(browser) { try $0.earliestAttributions(limit: 9) } == [new, old])
    },
    Check("a number belongs to one attribution of a session") { store in
      let browser = try await store.newBrowser()
      try await store.write(browser) { try $0.save(Sample.attribution(1), in: .normal) }
      await #expect(throws: StoreError.self) {
        try await store.write(browser) { try $0.save(Sample.attribution(1, Sample.key("a.example")), in: .normal) }
      }
      #expect(try await store.seen(browser) { try $0.earliestAttributions(limit: 9) } == [Sample.attribution(1)])
    },
    Check("an attribution without a remaining half vanishes, and one that never was is not stored") { store in
      let browser = try await store.newBrowser()
      try await store.write(browser) { rows in
        var attribution = Sample.attribution(1)
        try rows.save(attribution, in: .normal)
        attribution.markSent(.source)
        try rows.save(attribution, in: .normal)
        #expect(try rows.attribution(Sample.key(), in: .normal) == attribution)
        attribution.markSent(.destination)
        try rows.save(attribution, in: .normal)
        try rows.save(Sample.attribution(2, Sample.key("a.example"), source: nil, destination: nil), in: .normal)
      }
      #expect(try await store.seen(browser, Contents.init) == Contents())
      #expect(try await store.seen(browser) { try $0.earliestAttributions(limit: 9) }.isEmpty)
    },
    Check("attributions are listed by number from a cursor, as many as asked for") { store in
      let browser = try await store.newBrowser()
      try await store.write(browser) { rows in
        for number in [30, 10, 20, 50, 40] as [Int64] {
          try rows.save(Sample.attribution(number, Sample.key("\(number).example"), source: -number), in: .normal)
        }
      }
      for (cursor, limit, expected) in pages {
        let ids = try await store.seen(browser) { try $0.attributions(in: .normal, after: cursor, limit: limit).map(\.id) }
        #expect(ids == expected, "behind \(cursor), at most \(limit)")
      }
    },
    Check("attributions that name a site are found on either side, by number") { store in
      let browser = try await store.newBrowser()
      try await store.write(browser) { rows in
        try rows.save(Sample.attribution(2, Sample.key("a.example", "b.example")), in: .normal)
        try rows.save(Sample.attribution(1, Sample.key("b.example", "c.example")), in: .normal)
        try rows.save(Sample.attribution(3, Sample.key("b.example", "c.example")), in: .privateBrowsing)
      }
      for (site, expected) in [("a.example", [2]), ("b.example", [1, 2]), ("example", [])] as [(String, [Int64])] {
        let ids = try await store.seen(browser) { try $0.attributions(in: .normal, naming: Site(site)).map(\.id) }
        #expect(ids == expected, "\(site)")
      }
    },
    Check("the earliest attributions of both sessions come by their next half, then by number") { store in
      let browser = try await store.newBrowser()
      try await store.write(browser) { rows in
        try rows.save(Sample.attribution(4, Sample.key("a.example"), source: 9, destination: 5), in: .normal)
        try rows.save(Sample.attribution(3, Sample.key("b.example"), source: 5, destination: nil), in: .privateBrowsing)
        try rows.save(Sample.attribution(2, Sample.key("c.example"), source: nil, destination: 7), in: .normal)
        try rows.save(Sample.attribution(1, Sample.key("d.example"), source: 8, destination: 8), in: .privateBrowsing)
      }
      for (limit, expected) in [(0, []), (1, [3]), (2, [3, 4]), (9, [3, 4, 2, 1]), (-1, [])] as [(Int, [Int64])] {
        #expect(try await store.seen(browser) { try $0.earliestAttributions(limit: limit).map(\.id) } == expected)
      }
      try await store.write(browser) { rows in
        try rows.save(Sample.attribution(4, Sample.key("a.example"), source: 9, destination: nil), in: .normal)
        try rows.removeAttribution(Sample.key("b.example"), in: .privateBrowsing)
        try rows.removeAttribution(Sample.key("c.example"), in: .privateBrowsing)
      }
      #expect(try await store.seen(browser) { try $0.earliestAttributions(limit: 9).map(\.id) } == [2, 1, 4])
    },
    Check("removing all attributions of a session counts them and leaves the other session") { store in
      let browser = try await store.newBrowser()
      let counts = try await store.write(browser) { rows in
        try rows.save(Sample.attribution(1, Sample.key("a.example")), in: .normal)
        try rows.save(Sample.attribution(2, Sample.key("b.example")), in: .normal)
        try rows.save(Sample.attribution(3), in: .privateBrowsing)
        return [try rows.removeAllAttributions(in: .normal), try rows.removeAllAttributions(in: .normal)]
      }
      #expect(counts == [2, 0])
      #expect(try await store.seen(browser) { try $0.earliestAttributions(limit: 9) } == [Sample.attribution(3)])
    },
  ]
}
