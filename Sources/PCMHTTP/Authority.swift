import NIOCore

/// The host of a request or an option, and the port if there is one (RFC 9110, section 7.2).
package struct Authority: Hashable, Sendable {
  /// A host name or an IPv4 address in lowercase, or an IPv6 address in brackets.
  package let host: String
  package let port: UInt16?

  /// Returns nil for anything else, such as a URL, and a user name before the host. An empty port is none (RFC 3986, section 3.2.3).
  package init?(_ given: some StringProtocol) {
    guard given.utf8.allSatisfy({ $0 < 0x80 }) else { return nil }
    let text = given.lowercased()
    let isBracketed = text.hasPrefix("[")
    guard let end = isBracketed ? text.firstIndex(of: "]").map(text.index(after:)) : text.firstIndex(of: ":") ?? text.endIndex
    else { return nil }
    let (host, rest) = (text[..<end], text[end...])
    guard isBracketed ? Self.isIPv6Address(host.dropFirst().dropLast()) : Self.isName(host) else { return nil }
    self.host = String(host)
    if rest.isEmpty || rest == ":" {
      port = nil
    } else {
      guard rest.hasPrefix(":"), let number = UInt16(digits: rest.dropFirst()) else { return nil }
      port = number
    }
  }

  /// Reads the value of an option, where an IPv6 address needs no brackets.
  package init?(argument text: String) {
    self.init(Self.isIPv6Address(text[...]) ? "[\(text)]" : text)
  }

  /// The host without the brackets of an IPv6 address, as a socket needs it.
  package var address: String { host.hasPrefix("[") ? String(host.dropFirst().dropLast()) : host }

  /// Whether the host is `localhost`, or a loopback address in any spelling.
  package var isLoopback: Bool {
    host == "localhost" || (try? SocketAddress(ipAddress: address, port: 0))?.ipAddress.map(Self.isLoopback) == true
  }

  /// - Parameter address: An address in the system's format (RFC 5952), including an IPv4 caller of an IPv6 socket.
  static func isLoopback(_ address: String) -> Bool {
    address.hasPrefix("127.") || address == "::1" || address.hasPrefix("::ffff:127.")
  }

  /// The maximum size of a host name in bytes (RFC 1035, section 2.3.4).
  static let maximumNameSize = 253

  /// Whether the text is a host name: letters, digits, hyphens, and underscores in labels of 1 to 63 bytes, 253 bytes in all,
  /// with or without a final dot. An IPv4 address also has this form.
  private static func isName(_ text: Substring) -> Bool {
    let labels = (text.hasSuffix(".") ? text.dropLast() : text).utf8
      .split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    return text.utf8.count <= maximumNameSize && labels.allSatisfy { (1...63).contains($0.count) && $0.allSatisfy(isAllowed) }
  }

  private static func isAllowed(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"):
      true
    default: false
    }
  }

  private static func isIPv6Address(_ text: Substring) -> Bool {
    (try? SocketAddress(ipAddress: String(text), port: 0))?.protocol == .inet6
  }
}

extension FixedWidthInteger {
  /// Creates a number from decimal digits. The standard library also accepts a sign.
  init?(digits text: some StringProtocol) {
    guard text.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }) else { return nil }
    self.init(text, radix: 10)
  }
}
