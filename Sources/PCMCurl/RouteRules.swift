package import PCMDelivery

/// The parsed `connectTo` and `resolve` entries of a route, for lookup by host and port.
struct RouteRules {
  private let connectTo: [Pattern]
  /// The entries by `host:port`; entries for any host are under `*:port`.
  private let resolve: [String: [String]]
  /// Entries that cannot be parsed here. libcurl receives them with every request and rejects them.
  private let unreadable: [String]
  /// All entries in order, for redirected connections, which may resolve any name.
  private let wholeResolveList: [String]?

  /// A pattern of host and port. A missing part matches any.
  private struct Pattern {
    let host: String?
    let port: Int?
  }

  init(connectTo: [String], resolve: [String]) {
    self.connectTo = connectTo.compactMap { entry in
      guard let (host, port) = Self.target(of: entry), port.isEmpty || Int(port) != nil else { return nil }
      return Pattern(host: host.isEmpty ? nil : host, port: Int(port))
    }
    var byTarget: [String: [String]] = [:]
    var unreadable: [String] = []
    for entry in resolve {
      if let (host, port) = Self.target(of: entry), let number = Int(port) {
        byTarget[Self.target(Self.withoutSign(host), number), default: []].append(entry)
      } else {
        unreadable.append(entry)
      }
    }
    self.resolve = byTarget
    self.unreadable = unreadable
    wholeResolveList = connectTo.isEmpty ? nil : resolve
  }

  /// Returns whether an entry maps this host and port. The address then needs no check.
  func nameTarget(host: String, port: Int) -> Bool {
    let host = host.lowercased()
    if connectTo.contains(where: { ($0.host ?? host) == host && ($0.port ?? port) == port }) { return true }
    return [Self.target(host, port), Self.target("*", port)].contains { target in
      resolve[target]?.last.map { !$0.hasPrefix("-") } ?? false
    }
  }

  /// Returns only the `resolve` entries for a request to this host and port. libcurl processes the list with each transfer,
  /// and hundreds of test hosts would cost more than the request.
  func resolveEntries(host: String, port: Int) -> [String] {
    if let wholeResolveList { return wholeResolveList }
    if resolve.isEmpty { return unreadable }
    return unreadable + resolve[Self.target(host.lowercased(), port), default: []]
      + resolve[Self.target("*", port), default: []]
  }

  private static func target(_ host: String, _ port: Int) -> String { "\(host):\(port)" }

  /// Removes the mark: `+` for an entry that expires, `-` for a removal.
  private static func withoutSign(_ host: String) -> String {
    host.hasPrefix("+") || host.hasPrefix("-") ? String(host.dropFirst()) : host
  }

  /// Returns the host (in lower case, an IPv6 address in brackets) and port at the start of an entry.
  private static func target(of entry: String) -> (host: String, port: String)? {
    let bracketed = entry.first == "[" ? entry.firstIndex(of: "]") : nil
    guard let colon = entry[(bracketed ?? entry.startIndex)...].firstIndex(of: ":") else { return nil }
    let port = entry[colon...].dropFirst().prefix { $0 != ":" }
    return (entry[..<colon].lowercased(), String(port))
  }
}

extension NetworkRoute {
  /// Returns whether an entry of `connectTo` or `resolve` maps this host and port. Such an address is not checked, because
  /// the caller chose it.
  package func names(host: String, port: Int) -> Bool {
    RouteRules(connectTo: connectTo, resolve: resolve).nameTarget(host: host, port: port)
  }
}
