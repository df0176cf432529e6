import PCMCore
import PCMCrypto
package import PCMNetwork

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
    let changes = response ?? .good
    if let code = changes.failure {
      let detail = changes.failureDetail ?? "the script of the site specifies \(code.rawValue)"
      return Exchange(failure: TransportFailure(code, detail))
    }
    let content = response == nil ? nil : content(for: request.body ?? [], changes)
    let contentType: String? = content == nil ? nil : "application/json"
    let body = changes.body.map { Array($0.utf8) } ?? content?.bytes ?? []
    var exchange = Exchange(
      httpStatus: changes.status ?? status(with: content), httpVersion: "2",
      // An empty text is a response without a media type.
      contentType: changes.contentType.map { $0.isEmpty ? nil : $0 } ?? contentType,
      location: changes.location, resourcePolicy: changes.resourcePolicy, body: Array(body.prefix(limit)),
      bodyTruncated: body.count > limit)
    // Simulated sites set no cookies, so the result has only the request's cookies.
    if case .pageLoad(let cookies) = request.kind { exchange.cookies = cookies }
    return exchange
  }

  /// The status of a good endpoint: 400 for a request that cannot be signed.
  private func status(with content: JSON?) -> Int {
    guard let response else { return 404 }
    return switch kind {
    case .report, .postback, .sdkRequest: 200
    case .tokenKey, .sign, .signedPayload: content == nil ? 400 : 200
    case .load: response.location == nil ? 200 : 302
    }
  }

  /// The body of a good endpoint's response.
  private func content(for request: [UInt8], _ changes: SiteBehavior.Response) -> JSON? {
    switch kind {
    case .report, .postback, .load, .sdkRequest: nil
    case .tokenKey: ["token_public_key": .string(SimulatedSiteKeys[key]?.publicKeyWire)]
    case .sign: signature(for: request, changes).map { ["unlinkable_token": .string(Base64URL.encode($0))] }
    case .signedPayload:
      JSON(parsing: request).flatMap { TestAdNetwork.webAd(for: $0, changes.ad, signedAs: changes.signedAs) }
    }
  }

  private func signature(for request: [UInt8], _ changes: SiteBehavior.Response) -> [UInt8]? {
    let blinded = JSON(parsing: request)?.members.first { $0.name.hasSuffix("_unlinkable_token") }?.value
    guard let bytes = blinded?.string.flatMap(Base64URL.decode),
      var signature = try? SimulatedSiteKeys[key]?.sign(blindedMessage: bytes)
    else { return nil }
    // Flips the lowest bit. The forged value stays below the modulus, so that only verification detects it.
    if changes.forged { signature[signature.count - 1] ^= 1 }
    if changes.short { signature.removeLast() }
    return signature
  }
}
