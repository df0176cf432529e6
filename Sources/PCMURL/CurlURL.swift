import CCurl

/// A URL parsed by libcurl, exactly as when libcurl sends a request.
///
/// It owns the handle, which is private to this file.
final class CurlURL {
  private let handle: OpaquePointer

  /// Parses an absolute URL of any scheme. It does not guess a missing scheme.
  init(parsing text: String) throws(URLParsingError) {
    guard let handle = curl_url() else { fatalError("curl_url: out of memory") }
    self.handle = handle
    let code = curl_url_set(handle, CURLUPART_URL, text, UInt32(CURLU_NON_SUPPORT_SCHEME))
    guard code == CURLUE_OK else { throw URLParsingError(code) }
  }

  deinit {
    curl_url_cleanup(handle)
  }

  /// The port as written. A bare colon is not a port.
  var port: Int? {
    get throws(URLParsingError) { try part(CURLUPART_PORT).flatMap { Int($0) } }
  }

  /// The path without dot segments, at least `/`.
  var path: String {
    get throws(URLParsingError) { try part(CURLUPART_PATH) ?? "/" }
  }

  /// The query; empty when there is none, and for a bare `?`, for which versions of libcurl differ.
  var query: String {
    get throws(URLParsingError) { try part(CURLUPART_QUERY) ?? "" }
  }

  /// Empty user names and passwords count as absent, as in a browser.
  var hasCredentials: Bool {
    get throws(URLParsingError) {
      let (user, password) = (try part(CURLUPART_USER), try part(CURLUPART_PASSWORD))
      return user?.isEmpty == false || password?.isEmpty == false
    }
  }

  private func part(_ part: CURLUPart) throws(URLParsingError) -> String? {
    var text: UnsafeMutablePointer<CChar>?
    let code = curl_url_get(handle, part, &text, 0)
    defer { curl_free(text) }
    if Self.absent.contains(code.rawValue) { return nil }
    guard code == CURLUE_OK, let text else { throw URLParsingError(code) }
    return String(cString: text)
  }

  private static let absent: Set<UInt32> = Set(
    [
      CURLUE_NO_USER, CURLUE_NO_PASSWORD, CURLUE_NO_HOST, CURLUE_NO_PORT, CURLUE_NO_QUERY, CURLUE_NO_FRAGMENT,
    ].map(\.rawValue))
}

extension URLParsingError {
  /// Maps a result code of libcurl's URL functions.
  fileprivate init(_ code: CURLUcode) {
    switch code {
    case CURLUE_NO_SCHEME: self = .noScheme
    case CURLUE_NO_HOST: self = .noHost
    case CURLUE_BAD_PORT_NUMBER: self = .badPort
    // `HostName` checked the host, and all other parts are encoded. This is for unforeseen errors.
    case CURLUE_BAD_HOSTNAME, CURLUE_BAD_IPV6, CURLUE_MALFORMED_INPUT, CURLUE_URLDECODE:
      self = .badHost(.forbiddenCharacter)
    default: self = .malformed(curl_url_strerror(code).map { String(cString: $0) } ?? "code \(code.rawValue)")
    }
  }
}
