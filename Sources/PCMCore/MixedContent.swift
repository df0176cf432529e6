/// What a page requests, as far as the treatment of mixed content depends on it. The names are the API's.
package enum LoadKind: String, Hashable, Sendable, CaseIterable {
  case image, script, fetch, frame, style
}

/// A plain HTTP request of a page that was loaded over HTTPS (W3C Mixed Content; WebKit, MixedContentChecker.cpp).
package enum MixedContent {
  package enum Treatment: Hashable, Sendable {
    /// The request leaves as it is.
    case load
    /// The request leaves over HTTPS.
    case upgrade
    /// The request does not leave.
    case block
  }

  /// Images are upgraded, and everything else is blocked. This machine needs no upgrade, and other addresses get none.
  package static func treatment(of request: WebURL, kind: LoadKind, on page: WebURL) -> Treatment {
    guard page.scheme == "https", request.scheme == "http" else { return .load }
    guard kind == .image else { return .block }
    if isThisMachine(request.host) { return .load }
    return isIPv4Address(request.host) ? .block : .upgrade
  }

  /// The request whose answer was a redirect, for a caller who observed it and does not say what kind it was.
  package struct Observation: Hashable, Sendable {
    package let page: WebURL
    package let request: WebURL

    package init(page: WebURL, request: WebURL) {
      self.page = page
      self.request = request
    }
  }

  /// No kind of load requests another http URL on an https page, so no such answer can have been observed.
  package static let rules: [Rule<Observation, RejectionReason>] = [
    Rule(
      "request-is-not-mixed-content",
      sees: ["pageURL": { .string($0.page.text) }, "requestURL": { .string($0.request.text) }]
    ) { observation in
      treatment(of: observation.request, kind: .image, on: observation.page) == .load
        ? nil : .mixedContentBlocked(request: observation.request.text)
    }
  ]

  /// WebKitGTK does not count `[::1]`.
  private static func isThisMachine(_ host: String) -> Bool {
    host == "localhost" || host.hasSuffix(".localhost") || isIPv4Address(host) && host.hasPrefix("127.")
  }

  /// The last label of a name is never a number.
  private static func isIPv4Address(_ host: String) -> Bool {
    host.utf8.last.map { $0 >= UInt8(ascii: "0") && $0 <= UInt8(ascii: "9") } == true
      && host.utf8.allSatisfy { $0 == UInt8(ascii: ".") || $0 >= UInt8(ascii: "0") && $0 <= UInt8(ascii: "9") }
  }
}
