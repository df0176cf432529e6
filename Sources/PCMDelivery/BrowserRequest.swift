package import PCMCore

/// The requests that a browser makes, as they look on the wire.
package enum BrowserRequest {
  /// A report: POST, compact JSON, nothing that identifies a person (reference, section 7).
  package static func report(url: String, body: String) -> OutgoingRequest {
    OutgoingRequest(
      method: .post, url: url,
      headers: [
        OutgoingRequest.Header("Content-Type", "application/json"),
        OutgoingRequest.Header("Cache-Control", "max-age=0"),
        OutgoingRequest.Header("User-Agent", userAgent),
      ],
      body: Array(body.utf8))
  }

  /// Asks a site for its token key: GET, and no more than the headers that a report has too (section 8.2).
  package static func tokenKey(at site: Site) -> OutgoingRequest {
    OutgoingRequest(
      method: .get, url: TokenExchange.keyURL(at: site),
      headers: [OutgoingRequest.Header("Cache-Control", "max-age=0"), OutgoingRequest.Header("User-Agent", userAgent)],
      body: nil)
  }

  /// Asks a site for a signature; apart from URL and body as a report.
  package static func signing(at site: Site, body: JSON) -> OutgoingRequest {
    report(url: TokenExchange.signingURL(at: site), body: body.text)
  }

  /// Whether a request asks for a signature: like a report it is a POST, and unlike one no delivery.
  package static func isSigning(_ request: OutgoingRequest) -> Bool {
    request.url.hasSuffix(TokenExchange.signingPath)
  }

  /// What a page asks for: an image, a script, a document. The network adds `Accept: */*` and the cookies that fit.
  package static func pageLoad(method: OutgoingRequest.Method, url: String, cookies: [String]) -> OutgoingRequest {
    OutgoingRequest(
      kind: .pageLoad(cookies: cookies), method: method, url: url,
      headers: [OutgoingRequest.Header("User-Agent", pageUserAgent)], body: method == .post ? [] : nil)
  }

  /// Safari's string for pages on the system of `userAgent`.
  package static let pageUserAgent = userAgent + " Version/18.6 Mobile/15E148 Safari/604.1"

  /// WebKit's standard string without an application name: the same for everybody on a system, and without the
  /// `Version` and `Safari` parts that a page load carries.
  package static let userAgent =
    "Mozilla/5.0 (iPhone; CPU iPhone OS 18_6 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko)"
}
