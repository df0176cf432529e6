/// An entry of `--forward-to`: requests to a host go to an address without TLS, as from a proxy that ends TLS.
///
/// ```swift
/// let forward = Forward(host: "news.example", target: "127.0.0.1:8000")
/// let route = NetworkRoute(forwardTo: [forward])
/// assert(route.forward(of: "news.example") == forward && route.forward(of: "shop.example") == nil)
/// ```
package struct Forward: Hashable, Sendable {
  /// The host in lower case; empty for every host without an entry.
  package let host: String
  /// The address and the port, as in `127.0.0.1:8000` or `[::1]:8000`.
  package let target: String

  package init(host: String, target: String) {
    self.host = host
    self.target = target
  }

  /// The host, or `every host`.
  package var subject: String { host.isEmpty ? "every host" : host }
}

extension NetworkRoute {
  /// Returns the entry for a host. An entry that names the host has precedence over an entry for every host.
  package func forward(of host: String) -> Forward? {
    guard !forwardTo.isEmpty else { return nil }
    let host = host.lowercased()
    return forwardTo.first { $0.host == host } ?? forwardTo.first { $0.host.isEmpty }
  }
}
