import NIOCore
import PCMCore

/// The address of a browser's DevTools, such as `http://127.0.0.1:9222`, or of a browser's WebSocket, such as
/// `ws://10.0.0.5:4444/session/ab/se/cdp` of a Selenium Grid.
///
/// DevTools gives full control of the browser, so the address must be a loopback address, or its host must be allowed by
/// name.
package struct DevToolsAddress: Hashable, Sendable {
  /// A name or an IP address, without brackets.
  package private(set) var host: String
  package let port: Int
  /// The path and query of the WebSocket; nil for an `http` address, whose browser returns the path.
  package private(set) var path: String?

  /// - Parameters:
  ///   - field: The name of the field or option in errors.
  ///   - allowedHosts: Hosts that are not on loopback, in lower case.
  package init(_ text: String, field: String = "devtools", allowedHosts: Set<String> = []) throws(DevToolsError) {
    let shown = text.asShown(upTo: 100)
    guard let (host, port, path) = Self.parts(of: text) else {
      throw DevToolsError(
        .invalidAddress,
        "\(field) \"\(shown)\": expected http://HOST:PORT, such as http://127.0.0.1:9222, the port of the browser's option "
          + "--remote-debugging-port (with --user-data-dir), or the ws://HOST:PORT/PATH of a browser")
    }
    guard Self.isLoopback(host) || allowedHosts.contains(host) else {
      throw DevToolsError(
        .notLoopback,
        "\(field) \"\(shown)\": \(host.asShown(upTo: 100)) is not a loopback address, "
          + "and DevTools gives full control of a browser; use 127.0.0.1, or allow the host with the option --devtools-host "
          + "\(host.asShown(upTo: 100))")
    }
    (self.host, self.port, self.path) = (host, port, path)
  }

  /// The host for the connection. Chromium listens on 127.0.0.1, and `localhost` may resolve to another address.
  var connectHost: String { host == "localhost" ? "127.0.0.1" : host }

  /// The identity of the browser. The loopback names are replaced by 127.0.0.1, on which Chromium listens, and the WebSocket
  /// path of Chromium itself is omitted.
  var ofBrowser: DevToolsAddress {
    var address = self
    if Self.isLoopback(host), !host.contains(":") { address.host = "127.0.0.1" }
    if isOfChromium { address.path = nil }
    return address
  }

  /// Whether the server is Chromium itself rather than a server that forwards its WebSocket.
  private var isOfChromium: Bool { path?.hasPrefix("/devtools/") ?? true }

  /// The address as a URL.
  package var url: String {
    "\(path == nil ? "http" : "ws")://\(host.contains(":") ? "[\(host)]" : host):\(port)\(path ?? "")"
  }

  /// The value of the `Host` field. Chromium rejects names other than `localhost`.
  var hostField: String {
    guard Self.ipAddress(host) != nil || !isOfChromium else { return "localhost:\(port)" }
    return host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)"
  }

  private static func parts(of text: String) -> (host: String, port: Int, path: String?)? {
    let lower = text.lowercased()
    guard let prefix = ["http://", "ws://"].first(where: lower.hasPrefix) else { return nil }
    var (authority, path) = (text.dropFirst(prefix.count), Substring())
    if authority.hasSuffix("/") { authority = authority.dropLast() }
    if prefix == "ws://", let slash = authority.firstIndex(of: "/") {
      (authority, path) = (authority[..<slash], authority[slash...])
    }
    guard path.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else { return nil }
    guard let colon = authority.lastIndex(of: ":") else { return nil }
    let digits = authority[authority.index(after: colon)...]
    var host = authority[..<colon].lowercased()
    if host.hasPrefix("["), host.hasSuffix("]") {
      host = String(host.dropFirst().dropLast())
      guard host.contains(":"), ipAddress(host) != nil else { return nil }
    } else {
      guard !host.isEmpty, host.utf8.allSatisfy(isNameByte) else { return nil }
    }
    guard digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let port = Int(digits), (1...65_535).contains(port) else {
      return nil
    }
    return (host, port, path.isEmpty ? nil : String(path))
  }

  private static func isNameByte(_ byte: UInt8) -> Bool {
    (0x30...0x39).contains(byte) || (0x61...0x7A).contains(byte) || [0x2D, 0x2E, 0x5F].contains(byte)
  }

  private static func ipAddress(_ host: String) -> SocketAddress? { try? SocketAddress(ipAddress: host, port: 0) }

  private static func isLoopback(_ host: String) -> Bool {
    if host == "localhost" { return true }
    guard let address = ipAddress(host) else { return false }
    return host.contains(":") ? address == ipAddress("::1") : host.hasPrefix("127.")
  }
}
