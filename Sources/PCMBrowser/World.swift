package import PCMCore
package import PCMDelivery
package import PCMSites

/// The external dependencies of browsers.
package struct World: Sendable {
  package private(set) var transport: any Transport
  package let route: NetworkRoute
  package let sites: SiteParser
  /// The machine's time. Real clocks follow it, and attempts record it.
  package let wallClock: @Sendable () -> Instant
  /// Returns at an instant of the machine's time, or throws when its task is cancelled.
  package let sleep: @Sendable (Instant) async throws -> Void
  let tokenDesk = TokenDesk()

  package init(
    transport: any Transport, route: NetworkRoute, sites: SiteParser, wallClock: @escaping @Sendable () -> Instant,
    sleep: @escaping @Sendable (Instant) async throws -> Void
  ) {
    self.transport = transport
    self.route = route
    self.sites = sites
    self.wallClock = wallClock
    self.sleep = sleep
  }

  /// Returns the dependencies for one browser, with its network.
  func seen(by browser: String, with sites: LiveSites, journaling: Journaling) -> World {
    var world = self
    world.transport = BrowserNetwork(of: browser, over: transport, sites: sites, journaling: journaling)
    return world
  }

  func url(_ text: String) -> WebURL? { try? sites.url(text) }
}
