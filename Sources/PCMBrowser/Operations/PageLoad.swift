package import PCMCore
import PCMNetwork
import PCMURL

/// A load that proceeds hop by hop (Fetch Standard, "HTTP-redirect fetch").
struct PageLoad: Sendable {
  /// The URL of the next request.
  private(set) var url: WebURL
  private(set) var method: OutgoingRequest.Method
  private(set) var outcome = LoadOutcome()

  static let redirectLimit = 20
  private static let redirectStatuses: Set<Int> = [301, 302, 303, 307, 308]

  private let kind: LoadKind
  let page: WebURL
  let firstURL: WebURL
  private var isAtEnd = false

  init(url: WebURL, method: OutgoingRequest.Method, kind: LoadKind, page: WebURL) {
    (self.url, firstURL) = (url, url)
    self.method = method
    self.kind = kind
    self.page = page
  }

  /// A redirect in a response.
  struct Redirect: Sendable {
    let from: WebURL
    let to: WebURL
    /// The target before normalization.
    let toText: String
    /// Why a valid trigger URL is no triggering event; nil when it is one.
    let ignoring: IgnoredTrigger.Cause?
  }

  /// The meaning of a response for measurement.
  enum Finding: Sendable {
    case redirect(Redirect)
    case ignored(IgnoredTrigger)
  }

  /// Returns whether to send the next request. An HTTP request of an https page is upgraded or ends the load.
  mutating func admit(sites: SiteParser) -> Bool {
    guard !isAtEnd else { return false }
    if kind == .fetch, outcome.hops.isEmpty, url.hasCredentials {
      outcome.error = Reason("has-credentials", "fetch throws for a URL with a user name or a password")
      return false
    }
    switch MixedContent.treatment(of: url, kind: kind, isRedirected: !outcome.hops.isEmpty, on: page) {
    case .load: return true
    case .upgrade:
      // The normal form omits the default port, so the upgraded URL uses the default port of https.
      do throws(URLParsingError) {
        url = try sites.url("https" + url.text.dropFirst("http".count))
        return true
      } catch {
        outcome.error = Reason("location-invalid", "\(shownURL) cannot be requested over https: \(error.detail)")
        return false
      }
    case .block:
      outcome.error = Reason(
        "mixed-content-blocked",
        "an https page does not load the \(kind.rawValue) \(shownURL)\(outcome.hops.isEmpty ? "" : " after a redirect"); use an "
          + "https URL")
      return false
    }
  }

  /// Applies a response. Returns its redirect, whether or not the load follows it, or a similar event; nil for neither.
  mutating func receive(_ exchange: Exchange, sites: SiteParser) -> Finding? {
    var hop = LoadOutcome.Hop(
      url: shownURL, status: exchange.httpStatus, location: exchange.location?.withMarkedUserInformation, error: nil)
    // The head of a response is sufficient for a redirect, whatever happens to its body. An empty Location counts as none
    // (WebKit).
    guard let status = hop.status, Self.redirectStatuses.contains(status), let location = exchange.location, !location.isEmpty
    else {
      hop.error = Self.failure(of: exchange)
      end(with: hop)
      return lookalike(in: exchange, sites: sites).map { .ignored($0) }
    }
    do throws(URLParsingError) {
      let text = try sites.redirectTarget(of: location, from: url)
      return take(try sites.url(text), text, hop, ResourcePolicy(field: exchange.resourcePolicy))
    } catch {
      hop.error = Reason("location-invalid", "the Location is invalid: \(error.detail)")
      end(with: hop)
      let ignored = IgnoredTrigger(location, path: location, cause: .locationInvalid(error.detail))
      return IgnoredTrigger.isResembled(by: location) ? .ignored(ignored) : nil
    }
  }

  /// Applies a redirect. WebKit reads a trigger URL, and logs its errors, before it refuses a redirect.
  ///
  /// - Parameter policy: Which pages may use the response; nil for all.
  private mutating func take(
    _ target: WebURL, _ text: String, _ hop: LoadOutcome.Hop, _ policy: ResourcePolicy?
  ) -> Finding? {
    var hop = hop
    func redirect(_ cause: IgnoredTrigger.Cause?) -> Finding {
      .redirect(Redirect(from: url, to: target, toText: text, ignoring: cause))
    }
    guard outcome.hops.count < Self.redirectLimit else {
      let found = redirect(.tooManyRedirects(limit: Self.redirectLimit))
      end(with: hop)
      outcome.error = Reason("too-many-redirects", "a browser stops after \(Self.redirectLimit) redirects")
      return found
    }
    guard target.isHTTPFamily else {
      hop.error = Reason("location-not-http", "the Location's scheme is \(target.scheme), not http or https")
      end(with: hop)
      guard Self.unreadSchemes.contains(target.scheme) else { return redirect(nil) }
      let ignored = IgnoredTrigger(target.text, path: target.path, cause: .locationNotHTTP(scheme: target.scheme))
      return IgnoredTrigger.isResembled(by: target.path) ? .ignored(ignored) : nil
    }
    if let policy, policy.blocks(kind, from: url, on: page) {
      let found = redirect(.resourcePolicy(policy, response: shownURL))
      hop.error = policy.violation(response: shownURL).reason
      end(with: hop)
      return found
    }
    let found = redirect(kind == .syncXHR ? .synchronousRequest : nil)
    outcome.hops.append(hop)
    follow(target, status: hop.status)
    return found
  }

  /// The schemes of redirects that the HTTP library refuses before WebKit reads the URL.
  private static let unreadSchemes: Set = ["ftp", "blob", "data", "file", "mailto", "javascript"]

  /// Returns the trigger URL of a response that names one without a redirect.
  private func lookalike(in exchange: Exchange, sites: SiteParser) -> IgnoredTrigger? {
    guard let status = exchange.httpStatus else { return nil }
    let (target, cause): (String?, IgnoredTrigger.Cause) =
      if let location = exchange.location, !location.isEmpty {
        (location, .status(status))
      } else if let target = exchange.refresh.flatMap(MetaRefresh.trigger(inField:)) {
        (target, .refreshField)
      } else {
        (MetaRefresh.trigger(in: exchange.body), .refresh)
      }
    guard let target else { return nil }
    let found = (try? sites.redirectTarget(of: target, from: url)).flatMap { try? sites.url($0) }
    // An invalid URL may also resemble the trigger path.
    let path = found?.path ?? target
    return IgnoredTrigger.isResembled(by: path) ? IgnoredTrigger(found?.text ?? target, path: path, cause: cause) : nil
  }

  /// The trigger URL that the page requested itself; nil when it requested another URL, or when a redirect says more.
  var requestedTrigger: IgnoredTrigger? {
    guard outcome.triggeringEvents.isEmpty, outcome.ignored.isEmpty, IgnoredTrigger.isResembled(by: firstURL.path)
    else { return nil }
    return IgnoredTrigger(firstURL.text, path: firstURL.path, cause: .requested)
  }

  mutating func add(_ event: TriggerOutcome) {
    if event.kind == .notTriggering { outcome.ignored.append(event) } else { outcome.triggeringEvents.append(event) }
  }

  /// The URL without the user information of URLs in its path and query.
  private var shownURL: String { url.text.withMarkedUserInformation }

  /// Ends the load because its session ended.
  mutating func abandon() {
    isAtEnd = true
    outcome.error = Reason("session-ended", "the private session in which the page was loaded has ended")
  }

  private mutating func end(with hop: LoadOutcome.Hop) {
    outcome.hops.append(hop)
    outcome.error = hop.error
    isAtEnd = true
  }

  /// Follows a redirect. As in browsers, a POST becomes a GET, except with 307 and 308.
  private mutating func follow(_ target: WebURL, status: Int?) {
    url = target
    if let status, (301...303).contains(status) { method = .get }
  }

  private static func failure(of exchange: Exchange) -> Reason? {
    if let failure = exchange.failure { return Reason(failure.code.rawValue, failure.detail) }
    return exchange.httpStatus == nil ? Reason("connection-lost", "no answer arrived") : nil
  }
}

/// The outcome of a load.
package struct LoadOutcome: Hashable, Sendable {
  /// One request and its response.
  package struct Hop: Hashable, Sendable {
    package let url: String
    /// Nil when no response arrived.
    package let status: Int?
    /// The `Location` header as sent, with `removed@` instead of user information.
    package let location: String?
    /// The reason for which the load ended at this hop.
    package internal(set) var error: Reason?
  }

  package internal(set) var hops: [Hop] = []
  /// The outcomes of the redirects to the trigger path, in order.
  package internal(set) var triggeringEvents: [TriggerOutcome] = []
  /// The requests and redirects that resemble a triggering event, in order.
  package internal(set) var ignored: [TriggerOutcome] = []
  /// Nil when the load ended with a response.
  package internal(set) var error: Reason?

  /// The titles of loads that end, or have no triggering event.
  package static let titles = [
    RuleTitle(
      reason: "no-redirect", "No response of the load redirected to the trigger path.", .webkit("NetworkResourceLoader.cpp"),
      change: "redirect to \(TriggerURL.pathPrefix)DD with status 302"),
    RuleTitle(
      reason: "session-ended", "The private session in which the page was loaded has ended.", .webkit("NetworkSession.cpp"),
      change: "end the private session after the load"),
  ]

  /// Why the load has no triggering event; nil when it has one.
  package var reason: Reason? {
    guard triggeringEvents.isEmpty else { return nil }
    if let reason = ignored.last?.reasons.first ?? error { return reason }
    let answer =
      hops.last.map { "\($0.url) responded with \($0.status.map(String.init) ?? "an error")" } ?? "nothing was requested"
    return Reason(
      "no-redirect", "no response redirected to \(TriggerURL.pathPrefix)DD; \(answer)")
  }
}

extension LoadOutcome {
  /// The answer to the call.
  var json: JSON {
    [
      "hops": .array(hops.map(\.json)),
      "triggeringEvents": .array(triggeringEvents.map(\.record.json)),
      "ignored": .array(ignored.map(\.record.json)),
      "reason": reason?.json ?? .null,
      "error": error?.json ?? .null,
    ]
  }
}

extension LoadOutcome.Hop {
  fileprivate var json: JSON {
    [
      "url": .string(url),
      "status": status.map { .number(Int64($0)) } ?? .null,
      "location": .string(location),
      "error": error?.json ?? .null,
    ]
  }
}
