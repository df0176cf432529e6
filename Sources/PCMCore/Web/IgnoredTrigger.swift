/// A request or a redirect of a load that resembles a triggering event, and that browsers ignore.
package struct IgnoredTrigger: Hashable, Sendable {
  package enum Cause: Hashable, Sendable {
    /// The page requested the URL, without a redirect.
    case requested
    /// A script of the page navigated to the URL.
    case script
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
    /// The response that redirects, with this URL, forbids its use on the page's site.
    case resourcePolicy(ResourcePolicy, response: String)
  }

  /// The URL, or an invalid `Location`, without user information, and shortened.
  package let url: String
  package let cause: Cause
  /// The trigger path that the URL most likely means; nil when it has that path.
  let intended: String?
  /// The end of a sentence with this path.
  private let spelling: String
  private let isChromes: Bool

  /// - Parameter path: The path of the URL, or an invalid `Location`.
  package init(_ url: String, path: String, cause: Cause) {
    self.url = url.withMarkedUserInformation.asShown(upTo: 600)
    self.cause = cause
    let isRight = path.hasPrefix(TriggerURL.pathPrefix)
    intended = isRight ? nil : TriggerPath.intended(by: path)
    spelling = isRight ? "" : TriggerPath.spelling(of: path).map { "; \($0)" } ?? ""
    isChromes = TriggerPath.isChromes(path)
  }

  /// Returns whether a path is the trigger path, or resembles it.
  package static func isResembled(by path: String) -> Bool {
    path.hasPrefix(TriggerURL.pathPrefix) || TriggerPath.intended(by: path) != nil
  }

  /// A load's rules, which precede the rules of a triggering event.
  package static let rules: [Rule<IgnoredTrigger>] = [
    rule(
      "url-is-reached-by-a-redirect", "A redirect leads to the URL. A page that requests it itself triggers nothing.",
      .webkit("NetworkResourceLoader.cpp"),
      reasons: [
        "not-a-redirect":
          "request another URL on the same site, such as /pixel, that redirects to the trigger URL with status 302"
      ], reads: ("reachedBy", { .string($0.cause.means) })
    ) { cause in
      switch cause {
      case .requested, .script, .status, .refresh, .refreshField: true
      default: false
      }
    },
    rule(
      "location-is-an-http-url", "The Location of the redirect is an http or https URL.",
      .measured("WebKitGTK 2.50.6"),
      reasons: [
        "location-invalid": "redirect to a valid https URL", "location-not-http": "redirect to the same URL with https",
      ], reads: ("triggerURL", { .string($0.url) })
    ) { cause in
      switch cause {
      case .locationInvalid, .locationNotHTTP: true
      default: false
      }
    },
    rule(
      "redirect-is-followed", "The redirect is among the first 20 of the load.",
      .measured("WebKitGTK 2.50.6"), reasons: ["too-many-redirects": "redirect at most 20 times"],
      reads: ("exceedsRedirects", { .bool($0.cause.exceedsRedirects) })
    ) { $0.exceedsRedirects },
    rule(
      "request-is-asynchronous", "The request is not a synchronous XMLHttpRequest.",
      .measured("WebKitGTK 2.50.6"), reasons: ["synchronous-request": "make the request asynchronous, or use an image"],
      reads: ("synchronous", { .bool($0.cause == .synchronousRequest) })
    ) { cause in
      cause == .synchronousRequest
    },
    rule(
      "response-is-for-other-sites",
      "The response that redirects has no Cross-Origin-Resource-Policy that forbids its use on the page.",
      .measured("WebKitGTK 2.50.6"),
      reasons: ["resource-policy-blocked": "respond with Cross-Origin-Resource-Policy: cross-origin, or without this field"],
      reads: ("resourcePolicy", { .string($0.cause.resourcePolicy?.rawValue) })
    ) { $0.resourcePolicy != nil },
  ]

  private static func rule(
    _ name: String, _ text: String, _ origin: RuleOrigin, reasons: KeyValuePairs<String, String>,
    reads input: (name: String, value: @Sendable (IgnoredTrigger) -> JSON),
    _ fails: @escaping @Sendable (Cause) -> Bool
  ) -> Rule<IgnoredTrigger> {
    Rule(name, text, origin, reasons: reasons, inputs: ["triggerURL": { .string($0.url) }, input.name: input.value]) {
      ignored in
      fails(ignored.cause) ? ignored.violation : nil
    }
  }
}

extension IgnoredTrigger.Cause {
  fileprivate var means: String {
    switch self {
    case .requested: "request"
    case .script: "script"
    case .status(let status): "Location of status \(status)"
    case .refresh: "meta refresh"
    case .refreshField: "Refresh"
    default: "redirect"
    }
  }

  fileprivate var resourcePolicy: ResourcePolicy? {
    if case .resourcePolicy(let policy, _) = self { policy } else { nil }
  }

  fileprivate var exceedsRedirects: Bool {
    if case .tooManyRedirects = self { true } else { false }
  }
}

extension IgnoredTrigger {
  /// Why browsers ignore it.
  package var violation: Violation {
    let target = intended ?? "this URL"
    let (redirect, anotherScheme) = (
      "redirect to \(target) with status 302", "redirect to \(intended ?? "the same URL with https")"
    )
    return switch cause {
    case .requested:
      Violation(
        "not-a-redirect",
        "the page requested \(url) itself; browsers evaluate only redirects to \(intended ?? "this path")\(isChromes ? spelling : "")",
        change: "request another URL on the same site, such as /pixel, that redirects to \(target) with status 302")
    case .script:
      Violation(
        "not-a-redirect", "a script navigated to \(url); browsers evaluate only redirects of HTTP\(spelling)", change: redirect)
    case .status(let status):
      Violation(
        "not-a-redirect",
        "\(url) is the Location of a response with status \(status); browsers evaluate only redirects, which have status "
          + "301, 302, 303, 307, or 308\(spelling)", change: redirect)
    case .refresh:
      Violation(
        "not-a-redirect", "\(url) is the target of a meta refresh; browsers evaluate only redirects of HTTP\(spelling)",
        change: redirect)
    case .refreshField:
      Violation(
        "not-a-redirect",
        "\(url) is the target of the header field Refresh; browsers evaluate only redirects, which have a Location\(spelling)",
        change: redirect)
    case .locationInvalid(let why):
      Violation(
        "location-invalid", "the Location \(url) is invalid: \(why.hasSuffix(".") ? String(why.dropLast()) : why)\(spelling)",
        change: anotherScheme)
    case .locationNotHTTP(let scheme):
      Violation(
        "location-not-http", "the scheme of the Location \(url) is \(scheme), not http or https\(spelling)",
        change: anotherScheme)
    case .tooManyRedirects(let limit):
      Violation(
        "too-many-redirects", "a browser stops after \(limit) redirects, and does not follow the one to \(url)",
        change: "redirect at most \(limit) times")
    case .synchronousRequest:
      Violation(
        "synchronous-request", "a synchronous XMLHttpRequest was redirected to \(url); synchronous requests never attribute",
        change: "make the request asynchronous, or use an image")
    case .resourcePolicy(let policy, let response): policy.violation(response: response)
    }
  }
}

extension ResourcePolicy {
  /// Why a response ends a load.
  package func violation(response: String) -> Violation {
    Violation(
      "resource-policy-blocked",
      "\(response) responded with Cross-Origin-Resource-Policy: \(rawValue), so a page of another "
        + "\(self == .sameOrigin ? "origin" : "site") does not follow its redirect")
  }
}
