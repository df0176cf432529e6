package import PCMNetwork

/// All sites of a scenario: good endpoints, except for the specified behavior. They respond immediately.
package actor SimulatedSites: Transport {
  private let registrableDomain: @Sendable (_ host: String) -> String
  private var scripts = SiteScripts()

  /// - Parameter registrableDomain: Returns the registrable domain of a host, or the host itself when it has none.
  package init(registrableDomain: @escaping @Sendable (_ host: String) -> String) {
    self.registrableDomain = registrableDomain
  }

  /// Changes the behavior of sites. Behavior that is not specified remains, and each specified list starts from its
  /// beginning. A site with a nil change is a good endpoint again.
  package func apply(_ changes: [String: SiteBehavior?]) {
    for (host, change) in changes {
      if let change { scripts.apply(change, to: host) } else { scripts.set(nil, for: host) }
    }
  }

  package func send(_ request: OutgoingRequest, route: NetworkRoute) async -> Exchange {
    scripts.respond(to: request, registrableDomain: registrableDomain).exchange(to: request, limit: route.responseLimit)
  }
}
