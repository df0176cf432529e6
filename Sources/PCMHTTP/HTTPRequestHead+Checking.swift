import NIOHTTP1

/// The rules for heads that NIO's decoder accepts (RFC 9110, and RFC 9112 for HTTP/1.1).
extension HTTPRequestHead {
  /// Checks the head. Afterward, the target is no URL, and `Host` contains the requested host.
  ///
  /// - Parameters:
  ///   - scheme: The scheme of the service's URLs.
  ///   - bodyLimit: The maximum `Content-Length`.
  mutating func check(scheme: String, bodyLimit: Int) throws(ConnectionError) {
    try checkHost()
    try resolveTarget(scheme: scheme)
    try checkCoding()
    try checkLength(limit: bodyLimit)
  }

  /// Checks that there is one valid host (RFC 9112, section 3.2). HTTP/1.0 requires none, but the service does.
  private func checkHost() throws(ConnectionError) {
    let hosts = headers["Host"]
    guard let host = hosts.first else { throw .malformed("the request has no Host field; send one with the host of its URL") }
    guard hosts.count == 1 else { throw .malformed("the request has more than one Host field; send one") }
    guard Authority(host[...].trimmed) != nil else {
      throw .malformed("the Host field is not a host name or an IP address with an optional port; send the host of the URL")
    }
  }

  /// Divides a target that is a URL. Its host is requested, whatever the `Host` field says (RFC 9112, section 3.2.2).
  private mutating func resolveTarget(scheme: String) throws(ConnectionError) {
    guard !uri.hasPrefix("/"), uri != "*", method != .CONNECT else { return }
    let start = "\(scheme)://"
    let rest = uri.dropFirst(start.count)
    let end = rest.firstIndex { "/?#".contains($0) } ?? rest.endIndex
    guard uri.prefix(start.count).lowercased() == start, Authority(rest[..<end]) != nil else {
      throw .malformed("the target is not a path or an absolute \(scheme) URL without a user name; send the path")
    }
    headers.replaceOrAdd(name: "Host", value: String(rest[..<end]))
    let path = rest[end...]
    uri = path.hasPrefix("/") ? String(path) : "/\(path)"
  }

  /// Checks that a body is framed by its length or by chunks, and not by both (RFC 9112, section 6).
  private func checkCoding() throws(ConnectionError) {
    let fields = headers["Transfer-Encoding"]
    guard !fields.isEmpty else { return }
    guard headers["Content-Length"].isEmpty else {
      throw .malformed("the request has both Transfer-Encoding and Content-Length; send one of them")
    }
    let codings = fields.flatMap { $0.split(separator: ",", omittingEmptySubsequences: false) }.map { $0.trimmed.lowercased() }
    guard codings.allSatisfy({ ["chunked", ""].contains($0) }) else { throw .unknownCoding }
    guard codings == ["chunked"] else { throw .malformed("the Transfer-Encoding field must be chunked, once") }
  }

  private func checkLength(limit: Int) throws(ConnectionError) {
    for field in headers["Content-Length"] {
      let digits = field[...].trimmed
      guard !digits.isEmpty, digits.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }) else {
        throw .malformed("the Content-Length field is not a number; send the number of bytes of the body")
      }
      guard let length = Int(digits), length <= limit else { throw .bodyTooLarge(limit: limit) }
    }
  }
}
