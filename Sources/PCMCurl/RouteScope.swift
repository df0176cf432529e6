import CCurl
import PCMDelivery

/// What transfers of equal routes share, and nobody else: looked-up names, connections and TLS sessions.
///
/// libcurl keeps `resolve` entries in a cache of names that all transfers of a multi handle use, and finds an open
/// connection by host and port, not by the address that an entry or the address guard chose for it. Browsers with
/// different routes would reach each other's hosts. A share handle for each distinct route keeps the three caches apart.
final class RouteScope {
  let rules: RouteRules
  let connectTo: TextList?
  let share: UnsafeMutableRawPointer
  private let route: NetworkRoute
  /// How many transfers use it at the moment.
  var transfers = 0

  init(_ route: NetworkRoute) throws(CurlError) {
    self.route = route
    rules = RouteRules(connectTo: route.connectTo, resolve: route.resolve)
    connectTo = route.connectTo.isEmpty ? nil : try TextList(route.connectTo)
    guard let share = curl_share_init() else { throw CurlError(call: "curl_share_init", text: "out of memory") }
    self.share = share
    // No lock functions: the loop thread alone uses the share.
    for kind in [CURL_LOCK_DATA_DNS, CURL_LOCK_DATA_CONNECT, CURL_LOCK_DATA_SSL_SESSION] {
      try check(pcm_share_add(share, kind), "curl_share_setopt(\(kind.rawValue))")
    }
  }

  /// Closes the connections that were kept. Every easy handle has left by then: each holds its scope while it is in it.
  deinit { curl_share_cleanup(share) }

  /// Whether transfers on this route may use it: everything that decides where a connection goes and whom it trusts
  /// must be equal. Routes with fresh connections stay among themselves.
  func serves(_ other: NetworkRoute) -> Bool {
    route.connectTo == other.connectTo && route.resolve == other.resolve && route.caFile == other.caFile
      && route.insecure == other.insecure && route.allowPrivateNetworks == other.allowPrivateNetworks
      && route.freshConnections == other.freshConnections
  }
}

/// The scopes in use, and a few that were, for the sake of their open connections.
struct RouteScopes {
  /// Scopes without a transfer that are kept. Each may hold as many idle connections as there may be transfers.
  private static let idleLimit = 8
  /// The most recently used one last.
  private var scopes: [RouteScope] = []

  /// The scope of a route, entered by one transfer.
  mutating func enter(_ route: NetworkRoute) throws(CurlError) -> RouteScope {
    let known = scopes.lastIndex { $0.serves(route) }
    let scope = if let known { scopes.remove(at: known) } else { try RouteScope(route) }
    scopes.append(scope)
    scope.transfers += 1
    return scope
  }

  /// A transfer is over. The oldest idle scope goes when there are too many.
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

/// A `curl_slist`: what libcurl takes for headers and for the entries of a route. Freed with this object, which whoever
/// hands it to libcurl keeps for as long as libcurl does.
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
