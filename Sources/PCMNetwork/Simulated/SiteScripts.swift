/// The scripts of simulated sites by host. A site without a script is a good endpoint without pages.
package struct SiteScripts: Hashable, Sendable {
  /// The scripts by host.
  package private(set) var sites: [String: SiteScript]

  package init(_ sites: [String: SiteScript] = [:]) {
    self.sites = sites
  }

  /// Replaces the script of a site, or removes it.
  package mutating func set(_ script: SiteScript?, for host: String) { sites[host] = script }

  /// Changes the behavior of a site. Behavior that is not specified remains, and each specified list starts from its
  /// beginning.
  package mutating func apply(_ change: SiteBehavior, to host: String) {
    sites[host, default: SiteScript(SiteBehavior())].apply(change)
  }

  /// Returns the host whose script applies to a host: the host itself, or else its registrable domain.
  package func scriptedHost(for host: String, registrableDomain: (String) -> String) -> String {
    sites[host] == nil ? registrableDomain(host) : host
  }

  /// Returns the next response to a request, and takes it from its list.
  package mutating func respond(
    to request: OutgoingRequest, registrableDomain: (_ host: String) -> String
  ) -> SiteResponse {
    let target = RequestTarget(request)
    let host = scriptedHost(for: target.host, registrableDomain: registrableDomain)
    guard var script = sites[host] else { return SiteScript(SiteBehavior()).response(to: target) }
    let response = script.response(to: target)
    script.advance(target)
    sites[host] = script
    return response
  }
}

/// The behavior of a site, and the current position in each of its lists.
package struct SiteScript: Hashable, Sendable {
  package private(set) var behavior: SiteBehavior
  /// The index of the next response by the name of its list: `report`, the name of another kind, or the path of a page. Absent
  /// lists are at their beginning.
  package private(set) var positions: [String: Int]

  /// - Parameter positions: The positions that ``positions`` returned earlier.
  package init(_ behavior: SiteBehavior, positions: [String: Int] = [:]) {
    self.behavior = behavior
    self.positions = positions
  }

  mutating func apply(_ change: SiteBehavior) {
    behavior.apply(change)
    for name in change.lists.keys { positions[name] = nil }
  }

  /// The behavior from the current positions on.
  package var remainder: SiteBehavior { behavior.from(positions) }

  /// Returns the current response of a list.
  func response(to target: RequestTarget) -> SiteResponse {
    let responses = behavior.lists[target.list] ?? (target.kind == .load ? [] : [.good])
    let next = responses.isEmpty ? nil : responses[min(position(for: target), responses.count - 1)]
    return SiteResponse(kind: target.kind, response: next, key: behavior.key ?? .first)
  }

  /// Moves to the next response of a list. The last one is used repeatedly.
  mutating func advance(_ target: RequestTarget) {
    guard let responses = behavior.lists[target.list], position(for: target) < responses.count - 1 else { return }
    positions[target.list] = position(for: target) + 1
  }

  private func position(for target: RequestTarget) -> Int { max(0, positions[target.list] ?? 0) }
}

/// A site's scripted response to one request.
package struct SiteResponse: Hashable, Sendable {
  let kind: RequestTarget.Kind
  /// Nil for a page that does not exist.
  let response: SiteBehavior.Response?
  let key: SiteBehavior.Key

  /// The failure that the browser sees instead of a response.
  package var failure: TransportFailure.Code? { response?.failure }

  /// - Parameter limit: The maximum number of bytes of the body to read.
  package func exchange(to request: OutgoingRequest, limit: Int) -> Exchange {
    simulated(request).exchange(to: request, limit: limit)
  }

  private func simulated(_ request: OutgoingRequest) -> SimulatedResponse {
    guard let response else { return .notFound }
    return switch kind {
    case .report, .postback: SimulatedResponse(response)
    case .tokenKey: SimulatedResponse(response, key: SimulatedSiteKeys[key])
    case .sign: SimulatedResponse(response, signing: request.body ?? [], with: SimulatedSiteKeys[key])
    case .signedPayload: SimulatedResponse(response, signingPayload: request.body ?? [])
    case .load: SimulatedResponse(page: response)
    }
  }
}
