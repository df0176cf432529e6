import PCMBrowser
import PCMCore
import PCMNetwork
import PCMStore
import PCMURL
import Synchronization

/// Seven days over 100,000 due reports: a thousand browsers with a hundred reports each, every report in a separate round,
/// to a transport that answers at once.
enum AdvanceBenchmark {
  private static let browserCount = 1_000
  private static let clicksEach = 50

  static func run() async throws {
    let transport = InstantTransport()
    let browsers = try await Bench.browsers(transport: transport)
    let idleMemory = ProcessMemory.residentKilobytes
    var all: [Browser] = []
    for number in 0..<browserCount { all.append(try await Bench.browser(number, in: browsers)) }
    let perBrowser = Double(ProcessMemory.residentKilobytes - idleMemory) / Double(browserCount)
    for browser in all { try await Bench.convert(browser, count: clicksEach) }
    let filledMemory = ProcessMemory.residentKilobytes
    let watch = Stopwatch()
    var (reports, disorder) = (0, 0)
    for browser in all {
      let start = try await browser.nextEvents(after: 0, within: .seconds(0)).logEnd
      try await Bench.advance(browser)
      let events = try await browser.events(after: start, limit: .max)
      reports += events.count { $0.kind == .reportDelivered }
      disorder += zip(events, events.dropFirst()).count { $0.at > $1.at || $0.sequence >= $1.sequence }
    }
    let seconds = watch.seconds
    let sent = transport.count
    print("kilobytes-per-idle-browser \(Int(perBrowser))")
    print("reports \(reports)")
    print("requests \(sent)")
    print("events-out-of-order \(disorder)")
    print("seconds \(seconds)")
    print("kilobytes-before \(filledMemory)")
    print("kilobytes-after \(ProcessMemory.residentKilobytes)")
    try await ceiling()
  }

  /// The two transactions of each report and nothing else, for comparison: as much is written to the log, nothing is decided.
  private static func ceiling() async throws {
    let store = MemoryStore()
    let record = try await store.create(
      NewBrowser(name: "b", seed: "s", clockMode: .manual, state: BrowserState(now: Bench.now)))
    let watch = Stopwatch()
    for _ in 0..<(browserCount * clicksEach * 2) {
      let sent = ReportSent(
        report: 1, recipient: .source, url: ReportBody.url(at: Site("news.example")), attempt: 1, decision: nil)
      for _ in 1...2 {
        try await store.write(record.id) { writer in
          try writer.save(BrowserState(now: Bench.now))
          try writer.append(sent, at: Bench.now)
        }
      }
    }
    print("transactions-alone-seconds \(watch.seconds)")
  }
}

/// Answers at once, on the caller's thread, and counts.
final class InstantTransport: Transport {
  private let sent = Atomic(0)

  var count: Int { sent.load(ordering: .relaxed) }

  func send(_ request: OutgoingRequest, route: NetworkRoute) async -> Exchange {
    sent.add(1, ordering: .relaxed)
    return Exchange(httpStatus: 200)
  }
}

enum Bench {
  static let now = Instant(milliseconds: 1_795_168_800_000)

  /// Moves a browser's clock, as a rule beyond all its reports, in as many moves as the limits require.
  static func advance(_ browser: Browser, by interval: Interval = .days(7)) async throws {
    let end = try await browser.configuration().now + interval
    while try await !browser.advance(.to(end)).isFinished {}
  }

  static func browsers(
    transport: any Transport, route: NetworkRoute = NetworkRoute(), durable: any Store = MemoryStore()
  ) async throws -> Browsers {
    let environment = BrowserEnvironment(
      transport: transport, route: route, sites: SiteParser(publicSuffixList: .builtIn()), wallClock: { now },
      sleep: { _ in throw CancellationError() })
    let realTime = RealTime(wallClock: { now }, sleep: { _ in throw CancellationError() })
    let browsers = Browsers(
      environment: environment, durable: durable, ephemeral: MemoryStore(), realTime: realTime, newSeed: { "s" })
    try await browsers.load()
    return browsers
  }

  static func browser(
    _ number: Int, in browsers: Browsers, storage: StorageKind = .ephemeral
  ) async throws -> Browser {
    try await browsers.put(
      "b\(number)", BrowserSpecification(storage: storage, seed: "s\(number)", clockMode: .manual, start: now)
    ).0
  }

  /// Makes clicks with different destinations, and attributes each of them.
  static func convert(_ browser: Browser, count: Int) async throws {
    for number in 0..<count {
      let destination = "d\(number).example"
      _ = try await browser.perform(
        LinkClickInput(
          pageURL: "https://news.example/", attributionSourceID: "1", attributionDestination: "https://\(destination)"))
      let outcome = try await browser.perform(
        TriggeringEventInput(
          firstPartyURL: "https://\(destination)/", redirectFrom: "https://news.example/p",
          redirectTo: "https://news.example\(TriggerURL.pathPrefix)12"))
      if outcome.kind != .attributed { print("unexpected \(outcome.kind)") }
    }
  }
}
