import Foundation
package import PCMNetwork

/// The kinds of route entries, validated before the first request. libcurl ignores an entry that matches no request, so
/// a misspelled entry would send requests to the real host.
package enum RouteEntry: Hashable, Sendable, CaseIterable {
  case connectTo
  case resolve
  case forwardTo

  /// The form of an entry, as in curl's manual page.
  package var form: String {
    switch self {
    case .connectTo: "HOST1:PORT1:HOST2:PORT2"
    case .resolve: "[+]HOST:PORT:ADDRESS[,ADDRESS]… or -HOST:PORT"
    case .forwardTo: "[HOST=]http://ADDRESS[:PORT]"
    }
  }

  /// An error in the form of an entry.
  package struct FormError: Error, Hashable, Sendable {
    /// A sentence about the invalid part; nil when the form is sufficient.
    package let detail: String?

    init(_ detail: String? = nil) { self.detail = detail }
  }

  /// Checks that an entry has the form and that libcurl parses it as intended.
  package func check(_ entry: String) throws(FormError) {
    guard self == .forwardTo || !entry.contains("://") else { throw FormError("Write host names without a scheme.") }
    switch self {
    case .connectTo: try Self.checkConnectTo(entry)
    case .resolve: try Self.checkResolve(entry)
    case .forwardTo: _ = try Self.forward(entry)
    }
  }

  /// Returns the parts of an entry of `forwardTo`. The port is 80 by default.
  package static func forward(_ entry: String) throws(FormError) -> Forward {
    let parts = entry.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
    let (host, last) = (parts.count == 2 ? parts[0] : "", parts[parts.count - 1])
    guard !host.contains("://") else { throw FormError("Write HOST without a scheme.") }
    guard parts.count == 1 || isHost(host) && host.last != "." else {
      throw FormError("HOST is not a host name; without HOST=, the entry is for every host.")
    }
    guard !last.hasPrefix("https://") else {
      throw FormError("For a server with TLS, use --connect-to. Requests are forwarded without TLS, to an http address.")
    }
    guard last.hasPrefix("http://") else { throw FormError("Write the address with http://.") }
    let target = last.dropFirst("http://".count)
    guard !target.contains(where: { "/?#".contains($0) }) else {
      throw FormError("Write ADDRESS without a path, not even a slash: the path of each request stays the same.")
    }
    let address = Self.parts(target)
    guard address.count <= 2, isHost(address[0]) else {
      throw FormError("ADDRESS is not a host name, an IPv4 address, or an IPv6 address in brackets.")
    }
    guard address.count == 1 || isPort(address[1]) else { throw FormError("PORT is not a number from 1 to 65535.") }
    return Forward(host: host.lowercased(), target: "\(address[0]):\(address.count == 2 ? address[1] : "80")")
  }

  private static func checkConnectTo(_ entry: String) throws(FormError) {
    let parts = Self.parts(entry[...])
    guard parts.count == 4 else { throw FormError() }
    guard parts[0] != "*" else { throw FormError("An empty HOST1 stands for every host.") }
    guard parts[0].last != "." else { throw FormError("HOST1 ends with a period.") }
    for (part, name) in [(parts[0], "HOST1"), (parts[2], "HOST2")] where !part.isEmpty && !isHost(part) {
      throw FormError("\(name) is not a host name, an IPv4 address, or an IPv6 address in brackets.")
    }
    for (part, name) in [(parts[1], "PORT1"), (parts[3], "PORT2")] where !part.isEmpty && !isPort(part) {
      throw FormError("\(name) is not a number from 1 to 65535.")
    }
  }

  private static func checkResolve(_ entry: String) throws(FormError) {
    let isRemoval = entry.hasPrefix("-")
    let parts = entry.dropFirst(isRemoval || entry.hasPrefix("+") ? 1 : 0)
      .split(separator: ":", maxSplits: 2, omittingEmptySubsequences: false)
    guard parts.count == (isRemoval ? 2 : 3) else { throw FormError() }
    guard parts[0] == "*" || isName(parts[0]) else { throw FormError("HOST is not a host name; * stands for every host.") }
    guard isPort(parts[1]) else { throw FormError("PORT is not a number from 1 to 65535.") }
    guard let addresses = parts.dropFirst(2).first else { return }
    let isEveryAddress = addresses.split(separator: ",", omittingEmptySubsequences: false).allSatisfy { address in
      isAddress(address, AF_INET) || isAddress(address, AF_INET6) || isBracketed(address)
    }
    guard isEveryAddress else { throw FormError("ADDRESS is not an IPv4 or IPv6 address.") }
  }

  /// Splits at colons outside brackets.
  static func parts(_ entry: Substring) -> [Substring] {
    var parts: [Substring] = []
    var rest = entry
    while true {
      let bracket = rest.first == "[" ? rest.firstIndex(of: "]") : nil
      guard let colon = rest[(bracket ?? rest.startIndex)...].firstIndex(of: ":") else { return parts + [rest] }
      parts.append(rest[..<colon])
      rest = rest[rest.index(after: colon)...]
    }
  }

  private static func isPort(_ text: Substring) -> Bool {
    text.utf8.allSatisfy { (48...57).contains($0) } && (1...65_535).contains(Int(text) ?? 0)
  }

  private static func isHost(_ text: Substring) -> Bool { isName(text) || isBracketed(text) }

  /// Whether the text is an ASCII host name, like the host of a request.
  private static func isName(_ text: Substring) -> Bool {
    !text.isEmpty && text.first != "-" && text.first != "."
      && text.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || "-._".contains($0)) }
  }

  private static func isBracketed(_ text: Substring) -> Bool {
    guard text.first == "[", text.last == "]" else { return false }
    // A zone identifies the network of a link-local address.
    return isAddress(text.dropFirst().dropLast().prefix { $0 != "%" }, AF_INET6)
  }

  private static func isAddress(_ text: Substring, _ family: Int32) -> Bool {
    var bytes = in6_addr()
    return withUnsafeMutableBytes(of: &bytes) { inet_pton(family, String(text), $0.baseAddress) } == 1
  }
}
