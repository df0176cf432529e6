package import PCMCore
package import PCMDelivery
package import PCMSites

/// Everything outside a browser that it depends on, handed over once.
package struct World: Sendable {
  package let transport: any Transport
  package let route: NetworkRoute
  package let sites: SiteParser
  /// The machine's time. Real clocks follow it, and attempts are stamped with it.
  package let wallClock: @Sendable () -> Instant

  package init(
    transport: any Transport, route: NetworkRoute, sites: SiteParser, wallClock: @escaping @Sendable () -> Instant
  ) {
    self.transport = transport
    self.route = route
    self.sites = sites
    self.wallClock = wallClock
  }

  func url(_ text: String) -> WebURL? { try? sites.url(text) }
}
