package import PCMCore
package import PCMNetwork
package import PCMStore
package import PCMURL

/// The external dependencies of browsers.
package struct BrowserEnvironment: Sendable {
  /// The real network.
  let transport: any Transport
  package let route: NetworkRoute
  package let sites: SiteParser
  /// The machine's time. Real clocks follow it, and attempts record it.
  package let wallClock: @Sendable () -> Instant
  /// Returns at an instant of the machine's time, or earlier if that is set back, or throws when its task is canceled.
  package let sleep: @Sendable (Instant) async throws -> Void
  /// The maximum number of requests at a time, of all kinds together. A network that sends as many keeps the capacity of each
  /// kind free for it.
  package static let maximumRequestCount = RequestKind.allCases.reduce(0) { $0 + $1.capacity }
  /// Measures the transactions of browsers.
  let storeMeter: StoreMeter
  let tokenBlinder = TokenBlinder()
  let reportSemaphore = RequestKind.reports.semaphore
  let tokenSemaphore = RequestKind.tokens.semaphore
  let loadSemaphore = RequestKind.loads.semaphore

  package init(
    transport: any Transport, route: NetworkRoute, sites: SiteParser, wallClock: @escaping @Sendable () -> Instant,
    sleep: @escaping @Sendable (Instant) async throws -> Void, storeMeter: StoreMeter = .none
  ) {
    self.transport = transport
    self.route = route
    self.sites = sites
    self.wallClock = wallClock
    self.sleep = sleep
    self.storeMeter = storeMeter
  }

  func url(_ text: String) -> WebURL? { try? sites.url(text) }
}
