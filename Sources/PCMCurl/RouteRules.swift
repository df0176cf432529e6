package import PCMDelivery

/// The `connectTo` and `resolve` entries of a route, read once: which of them speak about a host and port.
struct RouteRules {
  private let connectTo: [Pattern]
  /// By `host:port`; what any host matches is under `*:port`.
  private let resolve: [String: [String]]
  /// Entries that cannot be read here: libcurl sees them with every request, so that it is libcurl that refuses them.
  private let unreadable: [String]
  /// With redirected connections any name may be looked up, so all entries go along, in their order.
  private let wholeResolveList: [String]?

  /// A missing part matches any.
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

  /// Whether somebody said where connections for this host and port go: then the address needs no vetting.
  func nameTarget(host: String, port: Int) -> Bool {
    let host = host.lowercased()
    if connectTo.contains(where: { ($0.host ?? host) == host && ($0.port ?? port) == port }) { return true }
    return [Self.target(host, port), Self.target("*", port)].contains { target in
      resolve[target]?.last.map { !$0.hasPrefix("-") } ?? false
    }
  }

  /// The `resolve` entries that libcurl needs for a request to this host and port. Not all of them: it goes through
  /// the list with each transfer, and hundreds of test hosts would cost more than the request.
  func resolveEntries(host: String, port: Int) -> [String] {
    if let wholeResolveList { return wholeResolveList }
    if resolve.isEmpty { return unreadable }
    return unreadable + resolve[Self.target(host.lowercased(), port), default: []]
      + resolve[Self.target("*", port), default: []]
  }

  private static func target(_ host: String, _ port: Int) -> String { "\(host):\(port)" }

  /// `+` marks an entry that expires like any other, `-` one that is taken back.
  private static func withoutSign(_ host: String) -> String {
    host.hasPrefix("+") || host.hasPrefix("-") ? String(host.dropFirst()) : host
  }

  /// The host (in lower case, an IPv6 address in brackets) and port with which an entry begins.
  private static func target(of entry: String) -> (host: String, port: String)? {
    let bracketed = entry.first == "[" ? entry.firstIndex(of: "]") : nil
    guard let colon = entry[(bracketed ?? entry.startIndex)...].firstIndex(of: ":") else { return nil }
    let port = entry[colon...].dropFirst().prefix { $0 != ":" }
    return (entry[..<colon].lowercased(), String(port))
  }
}

extension NetworkRoute {
  /// Whether an entry of `connectTo` or `resolve` says where connections for this host and port go. Such an address is
  /// not vetted, and a host so led is the caller's own affair.
  package func names(host: String, port: Int) -> Bool {
    RouteRules(connectTo: connectTo, resolve: resolve).nameTarget(host: host, port: port)
  }
}
