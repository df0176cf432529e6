import PCMCore
import PCMStore
import Testing

extension AppRecord {
  static let sample = AppRecord(
    bundleIdentifier: "com.example.app", reportEndpoint: "https://ads.example/ä", endpointError: "it’s odd: “ä”",
    build: AppBuild(sdk: OSVersion(18, 2), signing: .development, platform: .appClip), findings: #"[{"code":"x"}]"#,
    itemIdentifier: 9_007_199_254_740_991,
    adAttribution: #"{"ä":[]}"#)
}

extension StoreContract {
  static let stateChecks = [
    Check("a browser's state is what it was created with, then what was saved last") { store in
      let settings = BrowserSettings(
        measurement: MeasurementSettings(measurementEnabled: false, privateBrowsing: true, debugMode: false),
        deliveryPolicy: .reliable,
        reportURL: .manifest, logRetention: LogRetention(maximumCount: 5_000, maximumAge: .days(7)))
      let upkeep = BrowserUpkeep(labels: Labels(["b/c": "ä \"quoted\"", "a": ""]), idleTimeout: .days(30))
      var state = BrowserState(
        settings: settings, upkeep: upkeep, now: Instant(milliseconds: 0), timer: .latest,
        draws: ["source delay": 3, "a \"quoted\"\n\\ ä 🎲": .max, "": .min], registry: 9_007_199_254_740_993)
      (state.dueAt, state.claim) = (.latest, Claim(instance: 9_007_199_254_740_993, fence: 7))
      let first = state
      let new = NewBrowser(name: "one", seed: "s", clockMode: .real, state: first)
      let record = try await store.create(new)
      let browser = record.id
      #expect(try await store.seen(browser) { try $0.state() } == first)
      #expect(record.initialUpkeep == upkeep)

      let second = BrowserState(now: .latest)
      let seenAtOnce = try await store.write(browser) { rows in
        try rows.save(second)
        return try rows.state()
      }
      #expect(seenAtOnce == second)
      #expect(try await store.seen(browser) { try $0.state() } == second)
      #expect(try await store.browsers() == [record], "what was fixed at creation stays")
      try await store.write(browser) { try $0.save(first) }
      #expect(try await store.seen(browser) { try $0.state() } == first)
    },
    Check("each setting is kept by itself") { store in
      let browser = try await store.newBrowser()
      for bit in 0..<3 {
        let measurement = MeasurementSettings(measurementEnabled: bit == 0, privateBrowsing: bit == 1, debugMode: bit == 2)
        let state = BrowserState(settings: BrowserSettings(measurement: measurement), now: Sample.noon)
        try await store.write(browser) { try $0.save(state) }
        #expect(try await store.seen(browser) { try $0.state() } == state)
      }
    },
    Check("one browser's state is not another's") { store in
      let (left, right) = (try await store.newBrowser("left"), try await store.newBrowser("right"))
      let state = BrowserState(now: .latest, draws: ["token": 4])
      try await store.write(left) { try $0.save(state) }
      #expect(try await store.seen(right) { try $0.state() } == BrowserState(now: Sample.noon))
      #expect(try await store.seen(left) { try $0.state() } == state)
    },
  ]

  static let appChecks = [
    Check("apps come back as they were, by bundle identifier") { store in
      let browser = try await store.newBrowser()
      let plain = AppRecord(
        bundleIdentifier: "app.a", reportEndpoint: nil, endpointError: nil, findings: "[]")
      try await store.write(browser) { rows in
        try rows.save(AppRecord.sample)
        try rows.save(plain)
      }
      #expect(try await store.seen(browser) { try $0.apps() } == [plain, .sample])
      #expect(try await store.seen(browser) { try $0.row(AppRecord.self, "com.example.app") } == .sample)
      #expect(try await store.seen(browser) { try $0.row(AppRecord.self, "com.example") } == nil)
    },
    Check("an app replaces the one with its bundle identifier, and goes when removed") { store in
      let browser = try await store.newBrowser()
      let new = AppRecord(
        bundleIdentifier: "com.example.app", reportEndpoint: nil, endpointError: nil, findings: "[]")
      try await store.write(browser) { rows in
        try rows.save(AppRecord.sample)
        try rows.save(new)
      }
      #expect(try await store.seen(browser) { try $0.apps() } == [new])
      try await store.write(browser) { rows in
        try rows.remove(AppRecord.self, "com.example.other")
        try rows.remove(AppRecord.self, "com.example.app")
      }
      #expect(try await store.seen(browser) { try $0.apps() }.isEmpty)
    },
  ]
}
