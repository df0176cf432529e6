import CCurl
import PCMNetwork

/// A request's URL, parsed by libcurl, so that the checked URL equals the sent URL.
final class TargetURL {
  let parsed: OpaquePointer
  private(set) var host = ""
  private(set) var port = 0
  private var scheme = ""

  init() throws(CurlError) {
    guard let parsed = curl_url() else { throw CurlError(call: "curl_url", text: "out of memory") }
    self.parsed = parsed
  }

  deinit { curl_url_cleanup(parsed) }

  /// Parses an absolute URL without user name and password, with one of the schemes.
  func read(_ text: String, schemes: [String]) throws(CurlError) {
    // A zero byte would end the C string.
    guard !text.utf8.contains(0) else { throw Self.error(of: text, "zero byte") }
    let code = curl_url_set(parsed, CURLUPART_URL, text, UInt32(CURLU_DISALLOW_USER))
    guard code == CURLUE_OK else { throw Self.error(of: text, String(cString: curl_url_strerror(code))) }
    scheme = try part(CURLUPART_SCHEME)
    guard schemes.contains(scheme) else {
      throw Self.error(of: text, "only \(schemes.joined(separator: " and ")) is supported")
    }
    host = try part(CURLUPART_HOST)
    port = Int(try part(CURLUPART_PORT)) ?? 443
  }

  /// Replaces https with http, so that libcurl connects without TLS and names the same host.
  func removeTLS() throws(CurlError) {
    // An https URL may name its default port, which is not the default of http.
    if port == 443 { try check(curl_url_set(parsed, CURLUPART_PORT, nil, 0), "curl_url_set(port)") }
    try check(curl_url_set(parsed, CURLUPART_SCHEME, "http", 0), "curl_url_set(scheme)")
  }

  /// The headers of a proxy that ends TLS (RFC 7239 for the last one).
  var proxyHeaders: [String] {
    let isDefault = port == (scheme == "http" ? 80 : 443)
    let authority = isDefault ? host : "\(host):\(port)"
    // A colon must be quoted.
    let quoted = authority.contains(":") ? "\"\(authority)\"" : authority
    return ["X-Forwarded-Proto: \(scheme)", "X-Forwarded-Host: \(authority)", "Forwarded: host=\(quoted);proto=\(scheme)"]
  }

  private func part(_ part: CURLUPart) throws(CurlError) -> String {
    var text: UnsafeMutablePointer<CChar>?
    try check(curl_url_get(parsed, part, &text, UInt32(CURLU_DEFAULT_PORT)), "curl_url_get(\(part.rawValue))")
    guard let text else { return "" }
    defer { curl_free(text) }
    return String(cString: text)
  }

  private static func error(of text: String, _ reason: String) -> CurlError {
    CurlError(TransportFailure(.urlRefused, "\(reason): \(text)"))
  }
}
