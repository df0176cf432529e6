import PCMCore
import PCMCrypto
import PCMNetwork

/// A request like the first report or postback that differs in one aspect, to find why the first one is refused.
struct RequestVariant: Hashable, Sendable {
  /// The difference, for use after a status: `with Safari's User-Agent`.
  let name: String
  let request: ProbeRequest
  /// The remedy when the endpoint accepts the variant.
  let fix: String

  static let userAgentFix =
    "Ignore User-Agent at the path, also in bot filters: reports and postbacks do not have a page's user agent."
}

extension CheckContext {
  /// The first report or postback.
  var firstSent: Sent? { observations[firstProbe].first }

  var firstProbe: Probe { isAboutReports ? .report : .postback }

  var isAboutReports: Bool { options.kind == .report }

  /// Whether the first report or postback was refused by a status that no other rule explains.
  var isFirstRefused: Bool {
    guard let exchange = firstSent?.exchange, let status = exchange.httpStatus, exchange.failure == nil else { return false }
    return status >= 400 && ![404, 405, 410, 501].contains(status)
  }

  var variants: [RequestVariant] { isAboutReports ? reportVariants : postbackVariants }

  /// The results of the variants, in their order.
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
    let tokens = RequestVariant(
      name: "with token members", request: report(values, adding: tokenMembers),
      fix: "Accept reports without token members: tokens are optional, and most reports have none.")
    return versions + [tokens] + headerVariants(of: report(values))
  }

  /// A token that no endpoint signed.
  private var tokenMembers: [JSON.Member] {
    let name = "\(options.role.rawValue)_secret_token"
    return [
      .init(name, .string(Base64URL.encode(forgedToken?.bytes ?? []))),
      .init(name + "_signature", .string(Base64URL.encode([UInt8](repeating: 0x5A, count: 256)))),
    ]
  }

  private var postbackVariants: [RequestVariant] {
    guard let postbacks = options.postbacks, let first = postbacks.bodies(of: .postback).first else { return [] }
    let others = postbacks.bodies(of: .postbackVariants).map { body in
      RequestVariant(name: body.name, request: postback(body.bytes, postbacks), fix: Self.fix(postbacks))
    }
    return others + headerVariants(of: postback(first.bytes, postbacks))
  }

  private func postback(_ bytes: [UInt8], _ postbacks: PostbackSubjects) -> ProbeRequest {
    let plain = DeviceRequest.postback(url: postbacks.url, body: "")
    return ProbeRequest(OutgoingRequest(method: .post, url: plain.url, headers: plain.headers, body: bytes))
  }

  private static func fix(_ postbacks: PostbackSubjects) -> String {
    "Accept this postback, too, with status 200: "
      + (postbacks.framework == .skadnetwork
        ? "it is Apple's example of version 4.0, and devices send the version that the ad was signed with."
        : "a device repeats a postback that receives another status. If the endpoint trusts the test keys, use --test-keys.")
  }

  private func headerVariants(of request: ProbeRequest) -> [RequestVariant] {
    let sender = isAboutReports ? "browsers" : "devices"
    return [
      RequestVariant(
        name: "with Safari's User-Agent", request: request.replacing("User-Agent", by: BrowserRequest.pageUserAgent),
        fix: RequestVariant.userAgentFix),
      RequestVariant(
        name: "with charset=utf-8", request: request.replacing("Content-Type", by: "application/json; charset=utf-8"),
        fix: "Accept Content-Type: application/json without a charset, which is what \(sender) send."),
    ]
  }
}

/// Requests to paths that no endpoint serves.
extension CheckContext {
  /// The first report or postback to other paths; empty while the endpoint returned no response.
  var unrelatedRequests: [ProbeRequest] {
    guard let first = firstSent, first.exchange.httpStatus != nil else { return [] }
    return options.unrelatedURLs.map { first.request.at($0) }
  }

  /// The first report or postback to a path with a dot; empty unless it was refused.
  var dotRequests: [ProbeRequest] {
    guard let first = firstSent, first.exchange.isRejected, let url = options.dotURL else { return [] }
    return [first.request.at(url)]
  }

  /// The first report or postback without HTTP/2; empty unless the response over HTTP/2 was invalid.
  var requestsOverHTTP1: [ProbeRequest] {
    guard let first = firstSent, InvalidHeader.mayExplain(first.exchange) else { return [] }
    return [ProbeRequest(first.request.request, ConnectionTerms(offersHTTP2: false))]
  }

  /// A body that is no report and no postback at the path of the first one.
  var malformedRequests: [ProbeRequest] {
    firstSent.map { [$0.request.at($0.request.url, body: ProbeBody.noJSON.bytes)] } ?? []
  }
}

extension CheckOptions {
  /// The last component of a path that no endpoint serves.
  static let unrelatedName = "pcm-browser-check-unrelated-path"

  /// URLs on the endpoint's host that no endpoint serves: at the root, and next to the endpoint's path.
  var unrelatedURLs: [String] {
    let (url, scheme) = (requestURL, "https://")
    let path = url.dropFirst(scheme.count).drop { $0 != "/" }.prefix { $0 != "?" }
    let origin = url.prefix(scheme.count) + url.dropFirst(scheme.count).prefix { $0 != "/" && $0 != "?" }
    let parts = path.split(separator: "/", omittingEmptySubsequences: true)
    let parents = [parts.prefix(0), parts.dropLast()]
    let paths = parents.map { "/" + ($0.map(String.init) + [Self.unrelatedName]).joined(separator: "/") }
    return (paths[0] == paths[1] ? [paths[0]] : paths).map { origin + $0 }
  }

  /// The URL at the root that no endpoint serves, with a dot before the last component; nil when the endpoint's path has no component
  /// that begins with a dot.
  var dotURL: String? {
    guard requestPath.contains("/."), let url = unrelatedURLs.first else { return nil }
    return url.dropLast(Self.unrelatedName.count) + "." + Self.unrelatedName
  }
}

extension ProbeRequest {
  /// Returns the request to another URL, or with another body.
  fileprivate func at(_ url: String, body: [UInt8]? = nil) -> ProbeRequest {
    ProbeRequest(OutgoingRequest(method: .post, url: url, headers: request.headers, body: body ?? request.body))
  }

  /// Returns the request with another value of a header.
  fileprivate func replacing(_ name: String, by value: String) -> ProbeRequest {
    let headers = request.headers.map { $0.name == name ? OutgoingRequest.Header(name, value) : $0 }
    return ProbeRequest(
      OutgoingRequest(kind: request.kind, method: request.method, url: request.url, headers: headers, body: request.body), terms
    )
  }
}
