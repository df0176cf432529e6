import CCurl
package import PCMNetwork

/// The parsed `connectTo` and `resolve` entries of a route, for lookup by host and port.
struct RouteRules {
  private let connectTo: [Mapping]
  /// The entries by `host:port`; entries for any host are under `*:port`.
  private let resolve: [String: [String]]
  /// Entries that cannot be parsed here. libcurl receives them with every request and rejects them.
  private let unreadable: [String]
  /// All entries in order, for redirected connections, which may resolve any name.
  private let wholeResolveList: [String]?

  /// An entry of `connectTo`. On the left, a missing part matches any; on the right, it stands for the request's part.
  private struct Mapping {
    let host: String?
    let port: Int?
    let newHost: String?
    let newPort: Int?

    init?(_ entry: String) {
      let parts = RouteEntry.parts(entry[...])
      guard parts.count == 4, parts[1].isEmpty || Int(parts[1]) != nil else { return nil }
      host = parts[0].isEmpty ? nil : parts[0].lowercased()
      port = Int(parts[1])
      newHost = parts[2].isEmpty ? nil : String(parts[2])
      newPort = Int(parts[3])
      // libcurl skips entries that change nothing.
      guard newHost != nil || newPort != nil else { return nil }
    }

    /// Whether the entry has a host on either side, so that its author chose the target.
    var namesHost: Bool { host != nil || newHost != nil }

    func matches(host: String, port: Int) -> Bool { (self.host ?? host) == host && (self.port ?? port) == port }
  }

  init(connectTo: [String], resolve: [String]) {
    self.connectTo = connectTo.compactMap(Mapping.init)
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

  /// Returns whether an entry maps this host and port and names a host or an address. The address then needs no check.
  ///
  /// An entry such as `:80::8080` changes only the port: it names no host, so the address of any host is still checked.
  func nameTarget(host: String, port: Int) -> Bool {
    let host = host.lowercased()
    // libcurl uses the first match, and looks the host up with the new port.
    let mapping = connectTo.first { $0.matches(host: host, port: port) }
    if let mapping, mapping.namesHost { return true }
    return giveAddress(host: host, port: mapping?.newPort ?? port)
  }

  /// Returns the host that libcurl looks up for this host and port; nil if an entry of `resolve` gives its address.
  ///
  /// An entry such as `consent.example:443::8443` changes only the port.
  func lookedUpHost(host: String, port: Int) -> String? {
    let host = host.lowercased()
    let mapping = connectTo.first { $0.matches(host: host, port: port) }
    let target = mapping?.newHost?.lowercased() ?? host
    return giveAddress(host: target, port: mapping?.newPort ?? port) ? nil : target
  }

  /// Returns the host or the addresses to which requests for this host and port connect.
  func targets(host: String, port: Int) -> [String] {
    let host = host.lowercased()
    let mapping = connectTo.first { $0.matches(host: host, port: port) }
    let (target, port) = (mapping?.newHost?.lowercased() ?? host, mapping?.newPort ?? port)
    guard giveAddress(host: target, port: port) else { return [target] }
    let entry = [Self.target(target, port), Self.target("*", port)].lazy.compactMap { resolve[$0]?.last }.first ?? ""
    let name = Self.target(of: entry).map { $0.host.count + $0.port.count + 2 } ?? 0
    return entry.dropFirst(name).split(separator: ",").map(String.init)
  }

  /// Returns whether an entry of `resolve` gives the address of this host and port.
  private func giveAddress(host: String, port: Int) -> Bool {
    [Self.target(host, port), Self.target("*", port)].contains { target in
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
  /// Returns whether an entry of `connectTo`, `resolve`, or `forwardTo` maps this host and port and names a host or an address. Such an
  /// address is not checked, because the caller chose it.
  package func names(host: String, port: Int) -> Bool {
    RouteRules(connectTo: connections, resolve: resolve).nameTarget(host: host, port: port)
  }

  /// Returns the host or the addresses to which requests for this host and port connect, by the entries.
  package func targets(host: String, port: Int) -> [String] {
    RouteRules(connectTo: connections, resolve: resolve).targets(host: host, port: port)
  }

  /// The entries of `connectTo`, after the entries for forwarded hosts, because libcurl uses the first match.
  fileprivate var connections: [String] {
    let forwards = forwardTo.filter { !$0.host.isEmpty } + forwardTo.filter(\.host.isEmpty)
    return forwards.map { "\($0.host)::\($0.target)" } + connectTo
  }
}

/// The parsed entries of a route, and the list that libcurl reads.
final class RouteEntries {
  let rules: RouteRules
  let connectTo: TextList?
  private let route: NetworkRoute

  init(_ route: NetworkRoute) throws(CurlError) {
    self.route = route
    let connections = route.connections
    rules = RouteRules(connectTo: connections, resolve: route.resolve)
    connectTo = connections.isEmpty ? nil : try TextList(connections)
  }

  func belong(to other: NetworkRoute) -> Bool {
    route.connectTo == other.connectTo && route.resolve == other.resolve && route.forwardTo == other.forwardTo
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
