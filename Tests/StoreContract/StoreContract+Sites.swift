import PCMCore
import PCMStore
import Testing

extension SiteRecord {
  fileprivate static let shop = SiteRecord(
    host: "shop.example", behavior: #"{"report":[{"status":503},{"body":"ä"}]}"#, positions: #"{"report":1}"#)
  fileprivate static let news = SiteRecord(host: "news.example", behavior: "{}", positions: "{}")
}

extension StoreContract {
  static let siteChecks = [
    Check("simulated sites come back as they were, by host") { store in
      let (browser, other) = (try await store.newBrowser(), try await store.newBrowser("other"))
      try await store.write(browser) { rows in
        try rows.save(SiteRecord.shop)
        try rows.save(SiteRecord.news)
      }
      #expect(try await store.seen(browser) { try $0.sites() } == [.news, .shop])
      #expect(try await store.seen(browser) { try $0.row(SiteRecord.self, "shop.example") } == .shop)
      #expect(try await store.seen(browser) { try $0.row(SiteRecord.self, "www.shop.example") } == nil)
      #expect(try await store.seen(other) { try $0.sites() }.isEmpty)
    },
    Check("a simulated site replaces the one with its host, and goes when removed") { store in
      let browser = try await store.newBrowser()
      let new = SiteRecord(host: "shop.example", behavior: #"{"key":"second"}"#, positions: "{}")
      try await store.write(browser) { rows in
        try rows.save(SiteRecord.shop)
        try rows.save(new)
      }
      #expect(try await store.seen(browser) { try $0.sites() } == [new])
      try await store.write(browser) { rows in
        try rows.remove(SiteRecord.self, "news.example")
        try rows.remove(SiteRecord.self, "shop.example")
      }
      #expect(try await store.seen(browser) { try $0.sites() }.isEmpty)
    },
    Check("a transaction that throws leaves the simulated sites as they were") { store in
      let browser = try await store.newBrowser()
      try await store.write(browser) { try $0.save(SiteRecord.shop) }
      await #expect(throws: Refusal.self) {
        try await store.write(browser) { rows in
          try rows.remove(SiteRecord.self, "shop.example")
          try rows.save(SiteRecord.news)
          throw Refusal()
        }
      }
      #expect(try await store.seen(browser) { try $0.sites() } == [.shop])
    },
    Check("the network of a browser is kept") { store in
      let browser = try await store.newBrowser()
      #expect(try await store.seen(browser) { try $0.state().network } == .real)
      try await store.write(browser) { rows in
        var state = try rows.state()
        state.network = .simulated
        try rows.save(state)
      }
      #expect(try await store.seen(browser) { try $0.state().network } == .simulated)
    },
  ]
}
