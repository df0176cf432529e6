import PCMBrowser
import PCMCore
import PCMNetwork
import PCMStore
import PCMStoreSQLite
import PCMURL

/// A triggering event among many stored clicks, next to one among few, in turn in the same run.
enum TriggerBenchmark {
  static func run(folder: String) async throws {
    let few = try await Subject(folder: folder, clicks: 1_000)
    let many = try await Subject(folder: folder, clicks: 1_000_000)
    var (fewTimes, manyTimes) = ([Double](), [Double]())
    for number in 0..<400 {
      fewTimes.append(try await few.trigger(number))
      manyTimes.append(try await many.trigger(number * 2_003))
    }
    print("clicks-1000-median-us \(Int(fewTimes.median * 1e6))")
    print("clicks-1000000-median-us \(Int(manyTimes.median * 1e6))")
    print("ratio \(manyTimes.median / fewTimes.median)")
    try await few.store.close()
    try await many.store.close()
  }

  struct Subject {
    let store: SQLiteStore
    let browser: Browser
    let count: Int

    init(folder: String, clicks: Int) async throws {
      count = clicks
      store = try SQLiteStore(path: "\(folder)/\(clicks).sqlite")
      let now = Instant(milliseconds: 1_795_168_800_000)
      let environment = BrowserEnvironment(
        transport: NoTransport(), route: NetworkRoute(), sites: SiteParser(publicSuffixList: .builtIn()), wallClock: { now },
        sleep: { _ in throw CancellationError() })
      let realTime = RealTime(wallClock: { now }, sleep: { _ in throw CancellationError() })
      let browsers = Browsers(
        environment: environment, durable: store, ephemeral: MemoryStore(), realTime: realTime, newSeed: { "s" })
      try await browsers.load()
      (browser, _) = try await browsers.put("many", BrowserSpecification(seed: "s", clockMode: .manual, start: now))
      try await FillBenchmark.fill(store, browser.record.id, clicks: clicks, at: now)
    }

    /// A trigger for a click that is there, timed; each number hits another click.
    func trigger(_ number: Int) async throws -> Double {
      let watch = Stopwatch()
      let outcome = try await browser.perform(
        TriggeringEventInput(
          firstPartyURL: "https://d\(number % count).example/", redirectFrom: "https://news.example/p",
          redirectTo: "https://news.example\(TriggerURL.pathPrefix)12"))
      let seconds = watch.seconds
      if outcome.kind != .attributed { print("unexpected \(outcome.kind)") }
      return seconds
    }
  }

  private struct NoTransport: Transport {
    func send(_ request: OutgoingRequest, route: NetworkRoute) async -> Exchange { Exchange(httpStatus: 200) }
  }
}

/// A store with a million clicks in the browser `default`'s place, for measuring how a service starts on it.
enum FillBenchmark {
  static func run(folder: String) async throws {
    let store = try SQLiteStore(path: "\(folder)/pcm-browser.sqlite")
    let now = Instant(milliseconds: 1_795_168_800_000)
    let browser = try await store.create(
      NewBrowser(name: "filled", seed: "s", clockMode: .manual, state: BrowserState(now: now)))
    try await fill(store, browser.id, clicks: 1_000_000, at: now)
    try await store.close()
    print("clicks 1000000")
  }

  static func fill(_ store: SQLiteStore, _ browser: BrowserID, clicks: Int, at now: Instant) async throws {
    for start in stride(from: 0, to: clicks, by: 10_000) {
      try await store.write(browser) { writer in
        for number in start..<min(start + 10_000, clicks) {
          let key = ClickKey(
            source: Site("news.example"), destination: Site("d\(number).example"), bundleIdentifier: BundleIdentifier.safari)
          let click = KeptClick(
            id: try writer.nextSequence(), click: Click(key: key, sourceID: UInt8(number % 256), clickedAt: now))
          try writer.save(click, in: .table)
          try writer.append(ClickStored(.clickStored, click, origin: .ephemeralClick, decision: nil), at: now)
        }
      }
    }
  }
}
