package import PCMCore

/// An observed click to report.
package struct ObservedClick: Hashable, Sendable {
  /// The top page at the time of the click.
  package var pageURL: String
  package var href: String
  package var sourceID: String?
  package var destination: String?
  package var nonce: String?
  package var target: String?
  package var isInFrame = false
  /// The URL of the link's frame, unless it is the page's URL.
  package var frameURL: String?
  package var hasGesture = true
  /// The URL of the committed document; nil for a link to the App Store, which is reported before a document is committed.
  package var landingURL: String?
  /// The uptime of the service when the click arrived.
  package var seenAt = Duration.zero

  /// The body of `POST …/link-clicks`.
  ///
  /// - Parameter time: The time of the click on the browser's real clock; nil for a manual clock.
  package func body(at time: Instant?) -> JSON {
    let texts = [
      ("attributionSourceID", sourceID), ("attributionDestination", destination), ("attributionSourceNonce", nonce),
      ("href", href), ("landingURL", landingURL), ("target", target),
    ]
    return .object(
      [.init("pageURL", .string(pageURL))] + texts.compactMap { name, text in text.map { JSON.Member(name, .string($0)) } }
        + (time.map { [.init("clickedAt", .string($0.text))] } ?? [])
        + [.init("userGesture", .bool(hasGesture)), .init("inFrame", .bool(isInFrame))]
        + (frameURL.map { [.init("observed", provenance(frameURL: $0))] } ?? []))
  }
}

/// An observed redirect to the trigger path to report.
package struct ObservedTrigger: Hashable, Sendable {
  /// The URL of the top page when the load began.
  package var firstPartyURL: String
  /// The URL that responded with the redirect; nil for a load after the page was left, which reveals only its target.
  package var redirectingURL: String?
  package var triggerURL: String
  /// The kind of the load in DevTools, such as `Image`.
  package var load: String
  /// The URL of the loading frame, unless it is the page's URL.
  package var frameURL: String?
  /// Whether the first party was inferred from the frame, because the start of the load was not observed.
  package var isInferred = false
  package var reachedBy = ReachedBy.redirect

  /// The body of `POST …/triggering-events`.
  package var body: JSON {
    let from = redirectingURL.map { [JSON.Member("from", .string($0))] } ?? []
    return .object(
      [
        .init("firstPartyURL", .string(firstPartyURL)), .init("redirect", .object(from + [.init("to", .string(triggerURL))])),
        .init("observed", provenance(frameURL: frameURL, load: load.lowercased(), isInferred: isInferred)),
      ] + (reachedBy == .redirect ? [] : [.init("reachedBy", .string(reachedBy.rawValue))]))
  }
}

/// An observed click or redirect that is not reported as such.
package struct ObservedDrop: Hashable, Sendable {
  package let code: DroppedClick
  /// The link, the trigger URL, or the target.
  package let url: String
  package var pageURL: String?
  package var destination: String?

  package init(_ code: DroppedClick, _ url: String) {
    self.code = code
    self.url = url
  }

  init(_ code: DroppedClick, _ click: ObservedClick) {
    (self.code, url, pageURL, destination) = (code, click.href, click.pageURL, click.destination)
  }

  package var json: JSON {
    var members: [JSON.Member] = [.init("href", .string(url.asShown(upTo: 1_000))), .init("code", .string(code.rawValue))]
    if let pageURL { members.append(.init("pageURL", .string(pageURL.asShown(upTo: 1_000)))) }
    return .object(members)
  }

  /// The body of `POST …/page-events`.
  package var body: JSON {
    PageEventInput(
      dropped: code, href: url.asShown(upTo: 1_000), pageURL: pageURL?.asShown(upTo: 1_000), attributionDestination: destination
    ).json
  }
}

/// Returns the member `observed`. The API limits its texts.
private func provenance(frameURL: String?, load: String? = nil, isInferred: Bool = false) -> JSON {
  let texts = [("frame", frameURL.map { $0.utf8.count > 2_048 ? origin(of: $0) : $0 }), ("load", load)]
  return .object(
    texts.compactMap { name, text in text.map { JSON.Member(name, .string($0)) } } + [.init("inferred", .bool(isInferred))])
}

/// Returns the scheme, host, and port of a URL, or the whole text if it has no authority.
func origin(of url: String) -> String {
  guard let scheme = url.firstRange(of: "://") else { return url }
  return String(url[..<(url[scheme.upperBound...].firstIndex { "/?#".contains($0) } ?? url.endIndex)])
}

/// Returns the host of a URL in lower case, without its port.
func host(of url: String) -> String {
  let authority = origin(of: url).lowercased().split(separator: "/").last ?? ""
  let host = authority.split(separator: "@").last ?? ""
  return String(host.hasPrefix("[") ? host : host.prefix { $0 != ":" })
}

/// Returns the path of a URL as written.
func path(of url: String) -> String { String(url.dropFirst(origin(of: url).count).prefix { !"?#".contains($0) }) }

/// Returns the target of a `Location`. Only the site and the trigger path matter, so other relative paths are not resolved.
func target(of location: String, from url: String) -> String {
  let scheme = location.prefix { $0 != ":" }.lowercased()
  if scheme == "http" || scheme == "https" { return location }
  if location.hasPrefix("//") { return url.prefix { $0 != "/" } + location }
  return origin(of: url) + (location.hasPrefix("/") ? location : "/")
}

/// Truncates a URL just above the limit of the API, which rejects it.
func bounded(_ url: String) -> String { url.utf8.count > 8_192 ? String(url.prefix(8_193)) : url }

/// Returns a URL without its fragment, as in network requests.
func withoutFragment(_ url: String) -> String { String(url.prefix { $0 != "#" }) }
