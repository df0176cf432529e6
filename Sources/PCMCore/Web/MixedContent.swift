/// The kind of a page's request, as WebKit's rules distinguish it. The API uses the same names.
package enum LoadKind: String, Hashable, Sendable, CaseIterable {
  case image
  /// An image of `srcset` or `<picture>`. The images of CSS (`image-set()`) and of a preload (`imagesrcset`) are images.
  case imageset
  case script, fetch
  case xhr
  /// A synchronous `XMLHttpRequest`.
  case syncXHR = "sync-xhr"
  case frame, style
}

/// The treatment of HTTP requests on a page that was loaded over HTTPS (W3C Mixed Content; WebKit,
/// MixedContentChecker.cpp).
package enum MixedContent {
  package enum Treatment: Hashable, Sendable {
    /// The request is sent unchanged.
    case load
    /// The request is sent over HTTPS.
    case upgrade
    /// The request is not sent.
    case block
  }

  /// Returns the treatment. Images are upgraded, and everything else is blocked. Images from loopback load unchanged, unless
  /// reached by a redirect, and images from other IP addresses are blocked.
  ///
  /// - Parameter isRedirected: Whether the request follows a redirect (`canRequestAfterRedirection`).
  package static func treatment(
    of request: WebURL, kind: LoadKind, isRedirected: Bool = false, on page: WebURL
  ) -> Treatment {
    guard page.scheme == "https", request.scheme == "http" else { return .load }
    guard kind == .image else { return .block }
    if isUpgraded(host: request.host) { return .upgrade }
    return isLoopback(request.host) && !isRedirected ? .load : .block
  }

  /// Returns whether an image from a host is requested over HTTPS instead.
  package static func isUpgraded(host: String) -> Bool { !isLoopback(host) && !isIPv4Address(host) }

  /// A request whose response was a redirect, reported by a caller without its kind. The request is nil when its URL is not known.
  package typealias Observation = (page: WebURL, request: WebURL?)

  /// An https page loads no other http URL of any kind, so such a response cannot occur. A request to loopback may be the first
  /// of its load.
  package static let rules: [Rule<Observation>] = [
    Rule(
      "request-is-not-mixed-content",
      "A page over https requests its pixel over https.",
      .measured("WebKitGTK 2.50.6 (MixedContentChecker.cpp); Safari is assumed to do the same"),
      reasons: ["mixed-content-blocked": "request an https URL"],
      inputs: ["pageURL": { .string($0.page.text) }, "requestURL": { .string($0.request?.text) }]
    ) { observation in
      guard let request = observation.request, treatment(of: request, kind: .image, on: observation.page) != .load
      else { return nil }
      return Violation(
        "mixed-content-blocked",
        "an https page does not request http URLs, so \(request.text) cannot have redirected it")
    }
  ]

  /// Returns whether a host is loopback. As in WebKitGTK, `[::1]` is not.
  private static func isLoopback(_ host: String) -> Bool {
    host == "localhost" || host.hasSuffix(".localhost") || isIPv4Address(host) && host.hasPrefix("127.")
  }

  /// Returns whether a host is an IPv4 address: the last label of a name is never a number.
  private static func isIPv4Address(_ host: String) -> Bool {
    host.utf8.last.map { $0 >= UInt8(ascii: "0") && $0 <= UInt8(ascii: "9") } == true
      && host.utf8.allSatisfy { $0 == UInt8(ascii: ".") || $0 >= UInt8(ascii: "0") && $0 <= UInt8(ascii: "9") }
  }
}
