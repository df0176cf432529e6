import PCMBrowser
import PCMCore
import PCMCrypto
import PCMManifest
import PCMNetwork
import PCMStore
import PCMStoreSQLite
import PCMURL

/// Five weeks over due postbacks: devices with 17 advertised apps each, three windows, and two recipients, next to as many reports
/// of as many browsers. Both have a transport that answers at once. In memory 1,000 devices have 102,000 postbacks, and in a
/// database 100 devices 10,200.
///
/// Reports are planned before the clock moves, so the ends of the windows, which sign and plan the postbacks, are separate moves.
enum PostbackBenchmark {
  private static let appCount = 17
  private static let windows = 3
  /// For each window, from the report of its value to its end, and until no postback of it is left.
  private static let moves: [(toEnd: Interval, toLast: Interval)] = [
    (.hours(49), .hours(48)), (.hours(72), .hours(144)), (.hours(23 * 24), .hours(144)),
  ]

  static func run(folder: String) async throws {
    try await run(.ephemeral, devices: 1_000, folder)
    try await run(.durable, devices: 100, folder)
  }

  private static func run(_ storage: StorageKind, devices count: Int, _ folder: String) async throws {
    func store(_ name: String) throws -> any Store {
      storage == .durable ? try SQLiteStore(path: "\(folder)/\(name).sqlite") : MemoryStore()
    }
    let (first, second) = (try store("postbacks"), try store("reports"))
    let rates = try await postbackRates(storage, devices: count, first)
    print("\(storage.rawValue)-postbacks \(rates.sent)")
    print("\(storage.rawValue)-planned \(rates.all)")
    print("\(storage.rawValue)-reports \(try await reportRate(storage, browsers: count, second))")
    try await first.close()
    try await second.close()
  }

  /// Postbacks per second, of the moves that send them, and of all.
  private static func postbackRates(
    _ storage: StorageKind, devices count: Int, _ store: any Store
  ) async throws -> (sent: Int, all: Int) {
    let devices = try await Bench.browsers(transport: InstantTransport(), durable: store)
    let sites = SiteParser(publicSuffixList: .builtIn())
    let key = try TestKeys().adNetwork
    var all: [Browser] = []
    for number in 0..<count {
      let browser = try await Bench.browser(number, in: devices, storage: storage)
      try await prepare(browser, sites, key)
      all.append(browser)
    }
    var (ending, sending) = (0.0, 0.0)
    for (window, moves) in moves.enumerated() {
      for browser in all { try await report(window, on: browser) }
      let watch = Stopwatch()
      for browser in all { try await Bench.advance(browser, by: moves.toEnd) }
      let end = watch.seconds
      for browser in all { try await Bench.advance(browser, by: moves.toLast) }
      (ending, sending) = (ending + end, sending + watch.seconds - end)
    }
    var delivered = 0
    for browser in all {
      delivered += try await browser.postbackPage(limit: .max).items.count { $0.state == .delivered }
    }
    guard delivered == count * appCount * windows * 2 else { fatalError("only \(delivered) postbacks were delivered") }
    return (Int(Double(delivered) / sending), Int(Double(delivered) / (sending + ending)))
  }

  /// Reports per second of the advances.
  private static func reportRate(_ storage: StorageKind, browsers count: Int, _ store: any Store) async throws -> Int {
    let browsers = try await Bench.browsers(transport: InstantTransport(), durable: store)
    var all: [Browser] = []
    for number in 0..<count {
      let browser = try await Bench.browser(number, in: browsers, storage: storage)
      try await Bench.convert(browser, count: appCount * windows)
      all.append(browser)
    }
    let watch = Stopwatch()
    for browser in all { try await Bench.advance(browser) }
    return Int(Double(count * appCount * windows * 2) / watch.seconds)
  }

  private static func prepare(_ browser: Browser, _ sites: SiteParser, _ key: PrivateKey) async throws {
    var network = AdNetworkInput()
    (network.publicKey, network.postbackURL) = (TestKeyPair.adNetwork.publicKey, "https://network.example/")
    _ = try await browser.register(adNetwork: "test.skadnetwork", network)
    try await register(
      "com.example.news", item: 1, on: browser, sites,
      .init("SKAdNetworkItems", [["SKAdNetworkIdentifier": "test.skadnetwork"]]))
    for number in 0..<appCount {
      let (app, item) = ("com.example.game\(number)", Int64(100 + number))
      try await register(
        app, item: item, on: browser, sites, .init("NSAdvertisingAttributionReportEndpoint", "https://shop.example"))
      let outcome = try await browser.perform(try ad(for: item, key))
      if outcome.kind != .recorded { print("unexpected \(outcome.kind)") }
      var install = InstallInput()
      install.bundleIdentifier = app
      _ = try await browser.perform(install)
    }
  }

  private static func register(
    _ app: String, item: Int64, on browser: Browser, _ sites: SiteParser, _ member: JSON.Member
  ) async throws {
    let plist = JSON.object([.init("CFBundleIdentifier", .string(app)), member])
    let manifest = try ManifestReader(parseURL: { try? sites.url($0) }).read(infoPlist: plist)
    _ = try await browser.register(manifest, itemIdentifier: item)
  }

  private static func ad(for item: Int64, _ key: PrivateKey) throws -> ImpressionInput {
    let nonce = "6aafb7a5-0170-41b5-bbe4-fe71dedf1e28"
    let signed = SKAdNetworkImpression(
      version: .v4, adNetworkIdentifier: "test.skadnetwork", campaign: .source("5239"), itemIdentifier: item, nonce: nonce,
      source: .app(1), fidelity: .storeKitRendered, timestamp: Bench.now.milliseconds)
    var input = ImpressionInput()
    (input.bundleIdentifier, input.version, input.adNetworkIdentifier) = ("com.example.news", "4.0", "test.skadnetwork")
    (input.sourceIdentifier, input.advertisedAppStoreItemIdentifier, input.adImpressionIdentifier) = (5_239, item, nonce)
    (input.sourceAppStoreItemIdentifier, input.timestamp) = (1, Bench.now.milliseconds)
    input.signature = try signed.signature(by: key)
    return input
  }

  private static func report(_ window: Int, on browser: Browser) async throws {
    for number in 0..<appCount {
      var value = ConversionValueInput()
      value.bundleIdentifier = "com.example.game\(number)"
      if window == 0 { value.fineValue = 42 } else { value.coarseValue = "high" }
      let outcome = try await browser.perform(value)
      if outcome.kind != .accepted { print("unexpected \(outcome.kind)") }
    }
  }
}
