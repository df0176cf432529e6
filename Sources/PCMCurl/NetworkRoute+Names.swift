package import PCMDelivery

extension NetworkRoute {
  /// Whether an entry of `connectTo` or `resolve` says where connections for this host and port go. Such an address is
  /// not vetted, and a host so led is the caller's own affair.
  package func names(host: String, port: Int) -> Bool {
    RouteRules(connectTo: connectTo, resolve: resolve).nameTarget(host: host, port: port)
  }
}
