import PCMCore
package import PCMDelivery
package import PCMTokens

/// All sites of a scenario: good endpoints, except for the specified behavior. They respond immediately.
package actor SimulatedSites: Transport {
  private let registrableDomain: @Sendable (_ host: String) -> String
  private let keys: SimulatedSiteKeys
  private var sites: [String: State] = [:]

  /// The behavior of a site. The lists contain the remaining responses.
  private struct State {
    var key = SiteBehavior.Key.first
    var report = ResponseList()
    var tokenKey = ResponseList()
    var sign = ResponseList()
    var loads: [String: ResponseList] = [:]
  }

  /// Responses in order. The last one is used repeatedly.
  private struct ResponseList {
    private var responses: [SiteBehavior.Response]

    init(_ responses: [SiteBehavior.Response] = [.good]) {
      self.responses = responses
    }

    mutating func next() -> SiteBehavior.Response {
      guard responses.count > 1 else { return responses.first ?? .good }
      return responses.removeFirst()
    }
  }

  /// - Parameter registrableDomain: Returns the registrable domain of a host, or the host itself when it has none.
  package init(registrableDomain: @escaping @Sendable (_ host: String) -> String) throws(TokenKeyError) {
    self.registrableDomain = registrableDomain
    keys = try SimulatedSiteKeys()
  }

  /// Changes the behavior of sites. Behavior that is not specified remains, and each specified list starts from its
  /// beginning.
  package func apply(_ changes: [String: SiteBehavior]) {
    for (host, change) in changes {
      var site = sites[host] ?? State()
      if let key = change.key { site.key = key }
      if let responses = change.report { site.report = ResponseList(responses) }
      if let responses = change.tokenKey { site.tokenKey = ResponseList(responses) }
      if let responses = change.sign { site.sign = ResponseList(responses) }
      for (path, responses) in change.loads { site.loads[path] = ResponseList(responses) }
      sites[host] = site
    }
  }

  package func send(_ request: OutgoingRequest, route: NetworkRoute) async -> Exchange {
    let target = RequestTarget(request)
    // The behavior of the host takes precedence over that of its registrable domain.
    let name = sites[target.host] == nil ? registrableDomain(target.host) : target.host
    var site = sites[name] ?? State()
    defer { if sites[name] != nil { sites[name] = site } }
    let response: SimulatedResponse
    switch target.kind {
    case .report: response = SimulatedResponse(site.report.next())
    case .tokenKey: response = SimulatedResponse(site.tokenKey.next(), key: keys[site.key])
    case .sign: response = SimulatedResponse(site.sign.next(), signing: request.body ?? [], with: keys[site.key])
    case .load: response = site.loads[target.path]?.next().asPage ?? .notFound
    }
    return response.exchange(to: request, limit: route.responseLimit)
  }
}
