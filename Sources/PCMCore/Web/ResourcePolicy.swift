/// The header field `Cross-Origin-Resource-Policy` of a response, which may forbid its use on other sites (Fetch Standard,
/// "cross-origin resource policy check").
package enum ResourcePolicy: String, Hashable, Sendable {
  case sameOrigin = "same-origin"
  case sameSite = "same-site"

  /// Reads the field. Returns nil for any other value, which forbids nothing.
  package init?(field: String?) {
    guard let field else { return nil }
    let isSpace: (UInt8) -> Bool = { [0x09, 0x0A, 0x0D, 0x20].contains($0) }
    let text = field.utf8.drop(while: isSpace).reversed().drop(while: isSpace).reversed()
    self.init(rawValue: String(decoding: text, as: UTF8.self))
  }

  /// Returns whether a page may not use a response (WebKit, CrossOriginAccessControl.cpp). Frames are navigations, and an
  /// `XMLHttpRequest` obeys CORS instead.
  package func blocks(_ kind: LoadKind, from response: WebURL, on page: WebURL) -> Bool {
    guard ![.frame, .xhr, .syncXHR].contains(kind), !response.hasOrigin(of: page) else { return false }
    return switch self {
    case .sameOrigin: true
    case .sameSite: response.site != page.site || page.scheme == "http" && response.scheme == "https"
    }
  }
}

extension WebURL {
  /// Returns whether another URL has the same scheme, host, and port.
  package func hasOrigin(of other: WebURL) -> Bool {
    scheme == other.scheme && host == other.host && effectivePort == other.effectivePort
  }

  private var effectivePort: Int? { port ?? ["http": 80, "https": 443][scheme] }

  /// Returns the `Referer` of a page's request under the default policy, `strict-origin-when-cross-origin`: the URL of the page for
  /// the same origin, the origin alone for other origins, and nil when an https page requests an http URL.
  package static func referrer(from page: WebURL, to request: WebURL) -> String? {
    if request.hasOrigin(of: page) { return String(page.text.prefix { $0 != "#" }).withoutUserInformation }
    guard page.scheme != "https" || request.scheme == "https" else { return nil }
    return page.scheme + "://" + page.host + (page.port.map { ":\($0)" } ?? "") + "/"
  }
}
