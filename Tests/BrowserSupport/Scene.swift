package import PCMBrowser
package import PCMCore
package import PCMManifest
import PCMNetwork
package import PCMStore
package import PCMURL

/// A browser on a manual clock, with an app, a scripted network, and the words of the conformance cases.
package struct Scene: Sendable {
  package let browser: Browser
  package let browsers: Browsers
  package let transport: ScriptedTransport
  package let environment: BrowserEnvironment
  private let store: any Store

  /// 2026-11-20T10:00:00.000Z.
  package static let start = Instant(milliseconds: 1_795_168_800_000)
  package static let source = "news.example"
  package static let destination = "shop.example"
  package static let app = "com.example.news"
  package static let name = "test"
  /// Reading the public suffix list takes longer than most tests.
  private static let publicSuffixes = PublicSuffixList.builtIn()

  /// A machine on which time runs out at once.
  package static let noSleep: @Sendable (Instant) async throws -> Void = { _ in throw CancellationError() }

  /// A machine on which no time passes: sleepers wait until they are canceled.
  package static let endlessSleep: @Sendable (Instant) async throws -> Void = { _ in
    for await _ in AsyncStream.makeStream(of: Never.self).stream {}
    throw CancellationError()
  }

  package init(
    settings: SettingsChange = SettingsChange(), seed: String = "seed", store: any Store = MemoryStore(),
    transport: ScriptedTransport = ScriptedTransport(), wallClock: @escaping @Sendable () -> Instant = { start },
    sleep: @escaping @Sendable (Instant) async throws -> Void = noSleep, storeMeter: StoreMeter = .none
  ) async throws {
    let sites = SiteParser(publicSuffixList: Self.publicSuffixes)
    (self.transport, self.store) = (transport, store)
    environment = BrowserEnvironment(
      transport: transport, route: NetworkRoute(), sites: sites, wallClock: wallClock, sleep: sleep, storeMeter: storeMeter)
    browsers = Self.browsers(environment: environment, store: store)
    try await browsers.load()
    let specification = BrowserSpecification(seed: seed, clockMode: .manual, start: Self.start, settings: settings)
    (browser, _) = try await browsers.put(Self.name, specification)
    _ = try await browser.register(Self.manifest(of: Self.app, endpoint: "https://\(Self.source)", sites: sites))
  }

  /// The same rows after the process was stopped and started again.
  package init(restarting store: any Store, transport: ScriptedTransport = ScriptedTransport()) async throws {
    (self.transport, self.store) = (transport, store)
    environment = BrowserEnvironment(
      transport: transport, route: NetworkRoute(), sites: SiteParser(publicSuffixList: Self.publicSuffixes),
      wallClock: { Self.start }, sleep: Self.noSleep)
    browsers = Self.browsers(environment: environment, store: store)
    try await browsers.load()
    browser = try await browsers.browser(Self.name)
  }

  private static func browsers(
    environment: BrowserEnvironment, store: any Store, maximumCount: Int = Browsers.standardMaximumCount
  ) -> Browsers {
    let realTime = RealTime(wallClock: environment.wallClock, sleep: environment.sleep)
    return Browsers(
      environment: environment, durable: store, ephemeral: MemoryStore(), realTime: realTime, newSeed: { "seed" },
      maximumCount: maximumCount)
  }

  /// Other browsers in the same environment, before their restoration from a store.
  package func anew(_ store: any Store, maximumCount: Int) -> Browsers {
    Self.browsers(environment: environment, store: store, maximumCount: maximumCount)
  }

  package static func manifest(of app: String, endpoint: String, sites: SiteParser) throws -> AppManifest {
    let plist = """
      <?xml version="1.0" encoding="UTF-8"?>
      <plist version="1.0"><dict>
      <key>CFBundleIdentifier</key><string>\(app)</string>
      <key>NSAdvertisingAttributionReportEndpoint</key><string>\(endpoint)</string>
      </dict></plist>
      """
    return try ManifestReader(parseURL: { try? sites.url($0) }).read(Array(plist.utf8))
  }

  /// A link from one site to another.
  @discardableResult
  package func click(
    _ id: Int, from source: String = source, to destination: String = destination, app: String? = nil, nonce: String? = nil
  ) async throws -> ClickRecord {
    try await browser.perform(
      LinkClickInput(
        pageURL: "https://\(source)/", attributionSourceID: String(id), attributionDestination: "https://\(destination)",
        attributionSourceNonce: nonce, bundleIdentifier: app))
  }

  /// A tapped ad in an app, shown in an SFSafariViewController.
  @discardableResult
  package func embeddedTap(_ id: Int, to destination: String = destination) async throws -> ClickRecord {
    try await browser.perform(
      EventAttributionInput(
        bundleIdentifier: Self.app, sourceIdentifier: id, destinationURL: "https://\(destination)/",
        presentation: "safariViewController"))
  }

  /// A pixel of the source on a page of the destination, redirected to the trigger path.
  @discardableResult
  package func trigger(
    _ tail: String, from source: String = source, on destination: String = destination, app: String? = nil
  ) async throws -> TriggerOutcome {
    try await browser.perform(
      TriggeringEventInput(
        firstPartyURL: "https://\(destination)/thanks", redirectFrom: "https://\(source)/pixel",
        redirectTo: "https://\(source)\(TriggerURL.pathPrefix)\(tail)", bundleIdentifier: app))
  }

  @discardableResult
  package func advance(_ interval: Interval) async throws -> AdvanceResult {
    try await browser.advance(.by(interval))
  }

  package func measurements() async throws -> Measurements {
    try await browser.measurements(in: store)
  }

  package func reports(_ state: Report.State? = nil) async throws -> [Report] {
    try await browser.reports(in: state.map { [$0] } ?? [])
  }

  package func kinds() async throws -> [EventKind] {
    try await browser.events(after: 0, limit: 10_000).map(\.kind)
  }

  /// The bodies that went out, with the host that each went to.
  package func sent() async -> [(host: String, body: String)] {
    await transport.requests.map { request in
      let host = request.url.dropFirst("https://".count).prefix { $0 != "/" }
      return (String(host), String(decoding: request.body ?? [], as: UTF8.self))
    }
  }
}

extension Browser {
  /// The first thousand reports in any of the states, or in all states.
  package func reports(in states: Set<Report.State> = []) async throws -> [Report] {
    try await reportPage(ReportSelection(states: states), limit: 1_000).items
  }

  /// The measurements of the current session in a store.
  package func measurements(in store: any Store) async throws -> Measurements {
    try await store.read(record.id) { reader in
      let isPrivate = try reader.state().settings.measurement.privateBrowsing
      return Measurements(
        unattributed: try reader.clicks(in: isPrivate ? .privateTable : .table, after: 0, limit: .max),
        attributed: try reader.attributions(in: isPrivate ? .privateBrowsing : .normal, after: 0, limit: .max),
        ephemeral: try reader.clicks(in: isPrivate ? .privateEphemeral : .ephemeral, after: 0, limit: 1).first)
    }
  }

  /// Changes only settings.
  package func change(_ settings: SettingsChange) async throws {
    try await change(BrowserChange(settings: settings))
  }
}

/// The measurements of a session that are not fully reported.
package struct Measurements: Hashable, Sendable {
  package let unattributed: [KeptClick]
  package let attributed: [Attribution]
  package let ephemeral: KeptClick?

  package var isEmpty: Bool { unattributed.isEmpty && attributed.isEmpty && ephemeral == nil }
}
