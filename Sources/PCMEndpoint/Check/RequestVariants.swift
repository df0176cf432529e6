import PCMCore
import PCMCrypto
import PCMNetwork

/// A variant of the first report or postback that differs in one aspect, to find the cause of its refusal.
struct RequestVariant: Hashable, Sendable {
  /// The difference, for use after a status: `with Safari's User-Agent`.
  let name: String
  let request: ProbeRequest
  /// The remedy if the endpoint accepts the variant.
  let fix: String
}

extension CheckContext {
  /// The first report or postback.
  var firstSent: Sent? { observations[firstProbe].first }

  var firstProbe: Probe { isAboutReports ? .report : .postback }

  var isAboutReports: Bool { options.kind == .report }

  /// Whether the first report or postback was refused with a status that no other rule explains.
  var isFirstRefused: Bool {
    guard let exchange = firstSent?.exchange, let status = exchange.httpStatus, exchange.failure == nil else { return false }
    return status >= 400 && ![404, 405, 410, 501].contains(status)
  }

  var variants: [RequestVariant] { isAboutReports ? reportVariants : postbackVariants }

  /// The results of the variants, in order.
  var variantResults: [(variant: RequestVariant, sent: Sent)] {
    let sent = observations[isAboutReports ? .reportVariants : .postbackVariants]
    return zip(variants, sent).map { (variant: $0, sent: $1) }
  }

  private var reportVariants: [RequestVariant] {
    let values = options.subjects.first
    let versions = [Int64(1), 2].map { version in
      RequestVariant(
        name: "as version \(version)", request: report(values, version: version),
        fix: "Accept versions 1, 2, and 3, with and without token members: the version depends on the browser.")
    }
    // No endpoint signed this token.
    let members = tokenMembers(forgedToken?.bytes ?? [], signature: [UInt8](repeating: 0x5A, count: 256))
    let tokens = RequestVariant(
      name: "with token members", request: report(values, adding: members),
      fix: "Accept reports without token members: tokens are optional, and most reports have none.")
    return versions + [tokens] + headerVariants(of: report(values))
  }

  private var postbackVariants: [RequestVariant] {
    guard let postbacks = options.postbacks, let first = postbacks.bodies(of: .postback).first else { return [] }
    let others = postbacks.bodies(of: .postbackVariants).map { body in
      RequestVariant(name: body.name, request: postback(body.bytes, postbacks), fix: Self.fix(postbacks))
    }
    return others + headerVariants(of: postback(first.bytes, postbacks))
  }

  private static func fix(_ postbacks: PostbackSubjects) -> String {
    "Accept this postback, too, with status 200: "
      + (postbacks.framework == .skadnetwork
        ? "it is Apple's example of version 4.0, and devices send the version that the ad was signed with."
        : "a device repeats a postback that receives another status. If the endpoint trusts the test keys, use --test-keys.")
  }

  private func headerVariants(of request: ProbeRequest) -> [RequestVariant] {
    [
      RequestVariant(
        name: "with Safari's User-Agent", request: request.setting("User-Agent", to: BrowserRequest.pageUserAgent),
        fix: remedy(of: .userAgent)),
      RequestVariant(
        name: "with charset=utf-8", request: request.setting("Content-Type", to: "application/json; charset=utf-8"),
        fix: remedy(of: .mediaType)),
      RequestVariant(
        name: "with the headers of a page", request: request.withHeadersOfPage, fix: remedy(of: .forgeryProtection)),
    ]
  }

  /// Returns the first report or postback for other paths, over another version of HTTP, or with another body, if the
  /// comparison explains its result.
  func comparisons(of probe: Probe) -> [ProbeRequest] {
    guard let first = firstSent else { return [] }
    let (exchange, request) = (first.exchange, first.request)
    switch probe {
    case .unrelatedPaths where exchange.httpStatus != nil:
      return options.unrelatedURLs.map { request.changed(url: $0, body: request.body) }
    case .dotPath where exchange.isRejected: return options.dotURL.map { [request.changed(url: $0, body: request.body)] } ?? []
    case .firstOverHTTP1 where InvalidHeader.mayExplain(exchange): return [request.overHTTP1]
    case .malformedFirst where responseForAll != nil: return [request.changed(body: ProbeBody.noJSON.bytes)]
    default: return []
    }
  }
}

extension ProbeRequest {
  /// The request as from a script of a page on the site, with the cookies and the headers in which frameworks compare a token.
  fileprivate var withHeadersOfPage: ProbeRequest {
    let origin = request.url.split(separator: "/", maxSplits: 3, omittingEmptySubsequences: false).prefix(3).joined(
      separator: "/")
    let token = "pcmBrowserCheckAAAAAAAAAAAAAAAAA"
    let headers = [
      ("Origin", origin), ("Referer", origin + "/"), ("Sec-Fetch-Site", "same-origin"), ("X-Requested-With", "XMLHttpRequest"),
      ("Cookie", "csrftoken=\(token); XSRF-TOKEN=\(token)"), ("X-CSRFToken", token), ("X-XSRF-TOKEN", token),
    ]
    return headers.reduce(self) { $0.setting($1.0, to: $1.1) }
  }
}

extension CheckOptions {
  /// The last component of a path without a route.
  static let unrelatedName = "pcm-browser-check-unrelated-path"

  /// URLs on the endpoint's host without a route: at the root, and next to the endpoint's path.
  var unrelatedURLs: [String] {
    let (url, scheme) = (requestURL, "https://")
    let path = url.dropFirst(scheme.count).drop { $0 != "/" }.prefix { $0 != "?" }
    let origin = url.prefix(scheme.count) + url.dropFirst(scheme.count).prefix { $0 != "/" && $0 != "?" }
    let parts = path.split(separator: "/", omittingEmptySubsequences: true)
    let parents = [parts.prefix(0), parts.dropLast()]
    let paths = parents.map { "/" + ($0.map(String.init) + [Self.unrelatedName]).joined(separator: "/") }
    return (paths[0] == paths[1] ? [paths[0]] : paths).map { origin + $0 }
  }

  /// The URL at the root without a route, with a dot before the last component; nil unless a component of the endpoint's path
  /// begins with a dot.
  var dotURL: String? {
    guard requestPath.contains("/."), let url = unrelatedURLs.first else { return nil }
    return url.dropLast(Self.unrelatedName.count) + "." + Self.unrelatedName
  }
}
