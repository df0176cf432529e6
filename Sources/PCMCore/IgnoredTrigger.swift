/// A request or a redirect of a load that resembles a triggering event, and that browsers ignore.
package struct IgnoredTrigger: Hashable, Sendable {
  package enum Cause: Hashable, Sendable {
    /// The page requested the URL, without a redirect.
    case requested
    /// A response with a status that is no redirect contains the URL in its `Location`.
    case status(Int)
    /// A `<meta http-equiv="refresh">` contains the URL.
    case refresh
    /// The header field `Refresh` of a response contains the URL.
    case refreshField
    /// The `Location` is invalid, for this reason.
    case locationInvalid(String)
    case locationNotHTTP(scheme: String)
    case tooManyRedirects(limit: Int)
    case synchronousRequest
  }

  /// The URL, or an invalid `Location`, without user information, and shortened.
  package let url: String
  package let cause: Cause
  /// The trigger path that the URL most likely means; nil when it has that path.
  let intended: String?

  /// - Parameter path: The path of the URL, or an invalid `Location`.
  package init(_ url: String, path: String, cause: Cause) {
    self.url = url.withMarkedUserInformation.asShown(upTo: 600)
    self.cause = cause
    intended = path.hasPrefix(TriggerURL.pathPrefix) ? nil : TriggerPath.intended(by: path)
  }

  /// Returns whether a path is the trigger path, or resembles it.
  package static func isResembled(by path: String) -> Bool {
    path.hasPrefix(TriggerURL.pathPrefix) || TriggerPath.intended(by: path) != nil
  }

  /// A load's rules, which precede the rules of a triggering event.
  package static let rules: [Rule<IgnoredTrigger, RejectionReason>] = [
    rule("url-is-reached-by-a-redirect", reads: ("reachedBy", { .string($0.cause.means) })) { cause in
      switch cause {
      case .requested, .status, .refresh, .refreshField: true
      default: false
      }
    },
    rule("location-is-an-http-url", reads: ("triggerURL", { .string($0.url) })) { cause in
      switch cause {
      case .locationInvalid, .locationNotHTTP: true
      default: false
      }
    },
    rule("redirect-is-followed", reads: ("exceedsRedirects", { .bool($0.cause.exceedsRedirects) })) { $0.exceedsRedirects },
    rule("request-is-asynchronous", reads: ("synchronous", { .bool($0.cause == .synchronousRequest) })) { cause in
      cause == .synchronousRequest
    },
  ]

  private static func rule(
    _ name: String, reads input: (name: String, value: @Sendable (IgnoredTrigger) -> JSON),
    _ fails: @escaping @Sendable (Cause) -> Bool
  ) -> Rule<IgnoredTrigger, RejectionReason> {
    Rule(name, inputs: ["triggerURL": { .string($0.url) }, input.name: input.value]) { ignored in
      fails(ignored.cause) ? .ignored(ignored) : nil
    }
  }
}

extension IgnoredTrigger.Cause {
  fileprivate var means: String {
    switch self {
    case .requested: "request"
    case .status(let status): "Location of status \(status)"
    case .refresh: "meta refresh"
    case .refreshField: "Refresh"
    default: "redirect"
    }
  }

  fileprivate var exceedsRedirects: Bool {
    if case .tooManyRedirects = self { true } else { false }
  }
}

extension IgnoredTrigger: RuleViolation {
  package var reason: Reason {
    switch cause {
    case .requested:
      Reason(
        "not-a-redirect", "the page requested \(url) itself; browsers evaluate only redirects to \(intended ?? "this path")")
    case .status(let status):
      Reason(
        "not-a-redirect",
        "\(url) is the Location of a response with status \(status); browsers evaluate only redirects, which have status "
          + "301, 302, 303, 307, or 308\(spelling)")
    case .refresh:
      Reason("not-a-redirect", "\(url) is the target of a meta refresh; browsers evaluate only redirects of HTTP\(spelling)")
    case .refreshField:
      Reason(
        "not-a-redirect",
        "\(url) is the target of the header field Refresh; browsers evaluate only redirects, which have a Location\(spelling)")
    case .locationInvalid(let why):
      Reason(
        "location-invalid", "the Location \(url) is invalid: \(why.hasSuffix(".") ? String(why.dropLast()) : why)\(spelling)")
    case .locationNotHTTP(let scheme):
      Reason("location-not-http", "the scheme of the Location \(url) is \(scheme), not http or https\(spelling)")
    case .tooManyRedirects(let limit):
      Reason("too-many-redirects", "a browser stops after \(limit) redirects, and does not follow the one to \(url)")
    case .synchronousRequest:
      Reason(
        "synchronous-request", "a synchronous XMLHttpRequest was redirected to \(url); synchronous requests never attribute")
    }
  }

  package var change: String {
    let target = intended ?? "this URL"
    return switch cause {
    case .requested: "request another URL on the same site, such as /pixel, that redirects to \(target) with status 302"
    case .status, .refresh, .refreshField: "redirect to \(target) with status 302"
    case .locationInvalid, .locationNotHTTP: "redirect to \(intended ?? "the same URL with https")"
    case .tooManyRedirects(let limit): "redirect at most \(limit) times"
    case .synchronousRequest: "make the request asynchronous, or use an image"
    }
  }

  private var spelling: String { intended.map { "; the closest correct spelling is \($0)" } ?? "" }
}
