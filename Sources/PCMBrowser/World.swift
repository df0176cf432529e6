package import PCMCore
package import PCMDelivery
package import PCMSites

/// The external dependencies of browsers.
package struct World: Sendable {
  /// The network for reports and postbacks, and for the keys that reports need.
  package private(set) var transport: any Transport
  /// The network for the loads of pages, and for the signed values of web ads.
  private(set) var loadTransport: any Transport
  /// The network for exchanges of tokens.
  private(set) var tokenTransport: any Transport
  package let route: NetworkRoute
  package let sites: SiteParser
  /// The machine's time. Real clocks follow it, and attempts record it.
  package let wallClock: @Sendable () -> Instant
  /// Returns at an instant of the machine's time, or earlier if that is set back, or throws when its task is canceled.
  package let sleep: @Sendable (Instant) async throws -> Void
  /// The maximum number of requests at a time, of all kinds together. A network that sends as many keeps the capacity of each
  /// kind free for it.
  package static let maximumRequestCount = RequestKind.allCases.reduce(0) { $0 + $1.capacity }
  let tokenDesk = TokenDesk()
  private let reportSemaphore = RequestKind.reports.semaphore
  private let tokenSemaphore = RequestKind.tokens.semaphore
  private let loadSemaphore = RequestKind.loads.semaphore

  package init(
    transport: any Transport, route: NetworkRoute, sites: SiteParser, wallClock: @escaping @Sendable () -> Instant,
    sleep: @escaping @Sendable (Instant) async throws -> Void
  ) {
    self.transport = transport
    loadTransport = transport
    tokenTransport = transport
    self.route = route
    self.sites = sites
    self.wallClock = wallClock
    self.sleep = sleep
  }

  /// Returns the dependencies for one browser, with its network.
  func seen(with sites: LiveSites, journaling: Journaling) -> World {
    var world = self
    func network(_ kind: RequestKind, _ semaphore: AsyncSemaphore) -> BrowserNetwork {
      // Simulated sites need no permit, so tests that use them wait for no endpoint.
      let real = LimitedTransport(transport: transport, kind: kind, semaphore: semaphore)
      return BrowserNetwork(over: real, sites: sites, journaling: journaling)
    }
    world.transport = network(.reports, reportSemaphore)
    world.tokenTransport = network(.tokens, tokenSemaphore)
    world.loadTransport = network(.loads, loadSemaphore)
    return world
  }

  func url(_ text: String) -> WebURL? { try? sites.url(text) }
}
