import BrowserSupport
import HTTPSupport
import PCMBrowser
import PCMCore
import PCMHTTP
import PCMManifest
import PCMNetwork
import PCMStore
import PCMURL

extension API {
  /// The API on metered stores and a metered network, put together as the service is.
  ///
  /// - Parameter onLoad: Receives the browsers.
  static func metered(
    store: any Store = MemoryStore(), transport: ScriptedTransport = ScriptedTransport(),
    sleep: @escaping @Sendable (Instant) async throws -> Void = Scene.noSleep,
    wallClock: @escaping @Sendable () -> Instant = { Scene.start },
    scenarios: ScenarioPlaying? = nil, onLoad: (Browsers) -> Void = { _ in }
  ) async throws -> ControlAPI {
    let (sites, metricSet) = (SiteParser(publicSuffixList: .builtIn()), MetricSet())
    let ephemeral = MemoryStore()
    let environment = BrowserEnvironment(
      transport: MeteredTransport(transport, metricSet: metricSet, uptime: { .zero }), route: NetworkRoute(), sites: sites,
      wallClock: wallClock, sleep: sleep, storeMeter: metricSet.storeMeter(uptime: { .zero }))
    let realTime = RealTime(wallClock: environment.wallClock, sleep: { _ in throw CancellationError() })
    let browsers = Browsers(
      environment: environment, durable: store, ephemeral: ephemeral, realTime: realTime, newSeed: { "drawn" })
    try await browsers.load()
    onLoad(browsers)
    let metrics = Metrics(
      metricSet: metricSet, stores: [.durable: store, .ephemeral: ephemeral], version: "1.2.3", startedAt: Scene.start,
      wallClock: environment.wallClock)
    return ControlAPI(
      browsers: browsers, manifests: ManifestReader(parseURL: { try? sites.url($0) }), metrics: metrics,
      scenarios: scenarios, checkReady: {})
  }
}
