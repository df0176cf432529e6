import PCMCore

/// The requests that a browser makes for Private Click Measurement, as they look on the wire (reference, section 7).
package enum BrowserRequest {
  /// A report: POST, compact JSON, nothing that identifies a person.
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

  /// WebKit's standard string without an application name: the same for everybody on a system, and without the
  /// `Version` and `Safari` parts that a page load carries.
  package static let userAgent =
    "Mozilla/5.0 (iPhone; CPU iPhone OS 18_6 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko)"
}
