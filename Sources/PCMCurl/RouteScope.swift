import CCurl
import PCMNetwork

/// The resolved names, connections, and TLS sessions that transfers of equal routes share.
///
/// libcurl keeps `resolve` entries in a cache for all transfers of a multi handle, and finds an open connection by host and
/// port, not by the address of an entry or the address check. Browsers with different routes would reach each other's hosts.
/// A share handle for each distinct route separates the three caches.
final class RouteScope {
  let rules: RouteRules
  let connectTo: TextList?
  let share: UnsafeMutableRawPointer
  private let route: NetworkRoute
  /// The number of transfers that use the scope.
  var transfers = 0

  init(_ route: NetworkRoute) throws(CurlError) {
    self.route = route
    rules = RouteRules(connectTo: route.connectTo, resolve: route.resolve)
    connectTo = route.connectTo.isEmpty ? nil : try TextList(route.connectTo)
    guard let share = curl_share_init() else { throw CurlError(call: "curl_share_init", text: "out of memory") }
    self.share = share
    // No lock functions: only the loop thread uses the share handle.
    for kind in [CURL_LOCK_DATA_DNS, CURL_LOCK_DATA_CONNECT, CURL_LOCK_DATA_SSL_SESSION] {
      try check(pcm_share_add(share, kind), "curl_share_setopt(\(kind.rawValue))")
    }
  }

  /// Closes the kept connections. No easy handle uses the scope anymore, because each holds a reference while it does.
  deinit { curl_share_cleanup(share) }

  /// Returns whether transfers on this route may use the scope: targets and trust must be equal. Routes with fresh
  /// connections have separate scopes.
  func serves(_ other: NetworkRoute) -> Bool {
    route.connectTo == other.connectTo && route.resolve == other.resolve && route.caFile == other.caFile
      && route.insecure == other.insecure && route.allowPrivateNetworks == other.allowPrivateNetworks
      && route.freshConnections == other.freshConnections
  }
}

/// The scopes in use, and a few idle ones that are kept for their open connections.
struct RouteScopes {
  /// The maximum number of idle scopes. Each may hold as many idle connections as the maximum number of transfers.
  private static let idleLimit = 8
  /// The scopes, with the most recently used one last.
  private var scopes: [RouteScope] = []

  /// Returns the scope of a route for one more transfer.
  mutating func enter(_ route: NetworkRoute) throws(CurlError) -> RouteScope {
    let known = scopes.lastIndex { $0.serves(route) }
    let scope = if let known { scopes.remove(at: known) } else { try RouteScope(route) }
    scopes.append(scope)
    scope.transfers += 1
    return scope
  }

  /// Ends a transfer's use of a scope. Removes the oldest idle scope when there are too many.
  mutating func leave(_ scope: RouteScope) {
    scope.transfers -= 1
    guard scope.transfers == 0, scopes.count > Self.idleLimit else { return }
    guard scopes.count(where: { $0.transfers == 0 }) > Self.idleLimit else { return }
    if let oldest = scopes.firstIndex(where: { $0.transfers == 0 }) { scopes.remove(at: oldest) }
  }

  mutating func removeAll() {
    scopes.removeAll()
  }
}

/// A `curl_slist` for headers or the entries of a route. It is freed with this object, which must live as long as libcurl
/// uses the list.
final class TextList {
  private(set) var first: UnsafeMutablePointer<curl_slist>?

  init(_ lines: some Sequence<String>) throws(CurlError) {
    for line in lines { try append(line) }
  }

  deinit { curl_slist_free_all(first) }

  func append(_ line: String) throws(CurlError) {
    guard let longer = curl_slist_append(first, line) else { throw CurlError(call: "curl_slist_append", text: "out of memory") }
    first = longer
  }
}
