import PCMCore
import PCMStore
import Testing

extension StoreContract {
  static let clickChecks = [
    Check("a click comes back as it was, from its own place only") { store in
      let browser = try await store.newBrowser()
      let long = String(repeating: "x", count: 300) + ".example"
      let clicks = [
        Sample.click(1, nonce: "ABCDEFabcdef0123456789"),
        Sample.click(1 << 62, Sample.key("ä.example", "🛍.example", "com.example.ü"), at: .earliest, sourceID: 0),
        Sample.click(3, Sample.key(long, "[::1]", ""), at: .latest, sourceID: 1, nonce: ""),
      ]
      try await store.write(browser) { rows in for click in clicks { try rows.save(click, in: .ephemeral) } }
      for click in clicks {
        #expect(try await store.seen(browser) { try $0.click(click.click.key, in: .ephemeral) } == click)
        for place in ClickPlace.allCases where place != .ephemeral {
          #expect(try await store.seen(browser) { try $0.click(click.click.key, in: place) } == nil)
        }
      }
    },
    Check("a click is found by all three parts of its key") { store in
      let browser = try await store.newBrowser()
      try await store.write(browser) { try $0.save(Sample.click(1), in: .table) }
      for key in [
        Sample.key("other.example"), Sample.key("social.example", "other.example"),
        Sample.key("social.example", "shop.example", "com.example.app"), Sample.key("shop.example", "social.example"),
      ] {
        #expect(try await store.seen(browser) { try $0.click(key, in: .table) } == nil)
      }
    },
    Check("a click replaces the one with its key in the same place, number and time included") { store in
      let browser = try await store.newBrowser()
      let (old, new) = (Sample.click(1, nonce: "n"), Sample.click(2, at: Sample.noon + .days(1), sourceID: 3))
      try await store.write(browser) { rows in
        try rows.save(old, in: .table)
        try rows.save(old, in: .privateTable)
        try rows.save(new, in: .table)
      }
      #expect(try await store.seen(browser) { try $0.clicks(in: .table, after: 0, limit: 9) } == [new])
      #expect(try await store.seen(browser) { try $0.clicks(in: .privateTable, after: 0, limit: 9) } == [old])
      let cutoff = new.click.clickedAt
      #expect(try await store.seen(browser) { try $0.clicks(in: .table, madeBefore: cutoff) }.isEmpty)
    },
    Check("a number belongs to one click of a place") { store in
      let browser = try await store.newBrowser()
      let click = Sample.click(1)
      try await store.write(browser) { try $0.save(click, in: .table) }
      await #expect(throws: StoreError.self) {
        try await store.write(browser) { try $0.save(Sample.click(1, Sample.key("other.example")), in: .table) }
      }
      #expect(try await store.seen(browser) { try $0.clicks(in: .table, after: 0, limit: 9) } == [click])
    },
    Check("a removed click is gone from every order, and removing none does nothing") { store in
      let browser = try await store.newBrowser()
      try await store.write(browser) { rows in
        try rows.save(Sample.click(1), in: .table)
        try rows.removeClick(Sample.key("other.example"), in: .table)
        try rows.removeClick(Sample.key(), in: .ephemeral)
        #expect(try rows.click(Sample.key(), in: .table) != nil)
        try rows.removeClick(Sample.key(), in: .table)
      }
      #expect(try await store.seen(browser, Contents.init) == Contents())
      #expect(try await store.seen(browser) { try $0.clicks(in: .table, madeBefore: .latest) }.isEmpty)
      #expect(
        try await store.seen(browser) { try $0.nearestClick(source: Sample.social, destination: Sample.shop) } == nil)
    },
    Check("removing all clicks of a place counts them and leaves the other places") { store in
      let browser = try await store.newBrowser()
      let counts = try await store.write(browser) { rows in
        for number in 1...5 as ClosedRange<Int64> {
          try rows.save(Sample.click(number, Sample.key("\(number).example")), in: .table)
        }
        try rows.save(Sample.click(6), in: .ephemeral)
        return [try rows.removeAllClicks(in: .table), try rows.removeAllClicks(in: .table)]
      }
      #expect(counts == [5, 0])
      #expect(try await store.seen(browser) { try $0.clicks(in: .ephemeral, after: 0, limit: 9) } == [Sample.click(6)])
    },
  ]
}
