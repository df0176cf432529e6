package import PCMCore

/// The requests of a browser, as they appear on the wire.
package enum BrowserRequest {
  /// Returns the request for a report: a POST with compact JSON and nothing that identifies a person (reference, section 7).
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

  /// Returns the request for a site's token key: a GET with headers that reports have, too (section 8.2).
  package static func tokenKey(at site: Site) -> OutgoingRequest {
    OutgoingRequest(
      method: .get, url: TokenExchange.keyURL(at: site),
      headers: [OutgoingRequest.Header("Cache-Control", "max-age=0"), OutgoingRequest.Header("User-Agent", userAgent)],
      body: nil)
  }

  /// Returns the request for a signature, which is like a report except for URL and body.
  package static func signing(at site: Site, body: JSON) -> OutgoingRequest {
    report(url: TokenExchange.signingURL(at: site), body: body.text)
  }

  /// Returns whether a request is for a signature. Like a report it is a POST, but it is not a delivery.
  package static func isSigning(_ request: OutgoingRequest) -> Bool {
    request.url.hasSuffix(TokenExchange.signingPath)
  }

  /// Returns a page's request for an image, a script, or a document. The network adds `Accept: */*` and matching cookies.
  ///
  /// - Parameter referrer: The field `Referer`; nil for none.
  package static func pageLoad(
    method: OutgoingRequest.Method, url: String, referrer: String? = nil, cookies: [Cookie]
  ) -> OutgoingRequest {
    OutgoingRequest(
      kind: .pageLoad(cookies: cookies), method: method, url: url,
      headers: [OutgoingRequest.Header("User-Agent", pageUserAgent)]
        + (referrer.map { [OutgoingRequest.Header("Referer", $0)] } ?? []), body: method == .post ? [] : nil)
  }

  /// Safari's user agent for pages on the system of `userAgent`.
  package static let pageUserAgent = userAgent + " Version/18.6 Mobile/15E148 Safari/604.1"

  /// WebKit's standard user agent without an application name. It is the same for all users of a system, and lacks the
  /// `Version` and `Safari` parts of a page load.
  package static let userAgent =
    "Mozilla/5.0 (iPhone; CPU iPhone OS 18_6 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko)"
}
