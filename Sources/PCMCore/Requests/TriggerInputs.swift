extension OperationCatalog {
  static let triggers: [any OperationInput.Type] = [TriggeringEventInput.self, LoadInput.self]
}

/// The body of `POST …/triggering-events`, as unchecked text.
package struct TriggeringEventInput: OperationInput {
  package var firstPartyURL = ""
  package var redirect: Redirect?
  package var pixelOf: String?
  package var triggerData: Int?
  package var priority: Int?
  package var bundleIdentifier: String?
  package var observed: Provenance?
  package var reachedBy: ReachedBy?
  /// Why the load that causes the event ignores a valid trigger URL; nil when it does not. It is no member of the body.
  package var ignoredFor: IgnoredTrigger.Cause?

  /// The numbers that fit into the two digits of a trigger path. WebKit rejects larger numbers.
  private static let twoDigits = 0...99

  package static let name = "triggering-event"
  package static let path = "/v1/browsers/:browser/triggering-events"
  package static let summary = "Handles a redirected request of a page"

  package static let form: OperationForm? = OperationForm(
    "try-trigger", "Triggering event", "A pixel of the source on a page of the destination.", button: "Load the pixel",
    [
      "firstPartyURL": "https://shop.example/thanks", "pixelOf": "news.example", "triggerData": "12", "priority": "3",
      "bundleIdentifier": "",
    ])

  package static let definition = BodyDefinition<Self>(
    "A page's request was redirected. Exactly one of `redirect` and `pixelOf` is present; `triggerData` is present with "
      + "`pixelOf`.",
    [
      .required(
        "firstPartyURL", \.firstPartyURL, .url,
        "The page, an absolute http or https URL. A page without a host, such as `about:blank`, triggers nothing"),
      .optional("redirect", \.redirect, .object("an object with from and to", component: "Redirect"), "The redirect"),
      .optional(
        "pixelOf", \.pixelOf, .string("a string with a host"),
        "The host of a classic pixel, such as `news.example`: its redirect leads to the trigger path on the same host, with "
          + "`triggerData` and `priority`"),
      .optional(
        "triggerData", \.triggerData,
        .integer("an integer from 0 to 99", in: twoDigits, keywords: [.init("minimum", 0), .init("maximum", 99)]),
        "The trigger data of the pixel. WebKit rejects values over 15"),
      .optional(
        "priority", \.priority,
        .integer("an integer from 0 to 99", in: twoDigits, keywords: [.init("minimum", 0), .init("maximum", 99)]),
        "The priority of the pixel; not in its path when absent, which means 0. WebKit rejects values over 63"),
      .optional(
        "bundleIdentifier", \.bundleIdentifier, .bundleIdentifier,
        "The bundle identifier under which the page runs (an embedded Safari view); the browser's own when absent. "
          + "1 to 255 ASCII letters, digits, hyphens, periods, and underscores"),
      .optional(
        "observed", \.observed, .object("an object with frame, load, and inferred", component: "Provenance"),
        "What an observer of the page saw"),
      .optional(
        "reachedBy", \.reachedBy, .choice(ReachedBy.self),
        "How the page reached `redirect.to`; `redirect` when absent. Only a redirect of HTTP triggers: any other way is recorded "
          + "with the reason `not-a-redirect`"),
    ],
    rules: [
      .exactlyOne(of: ["redirect", "pixelOf"]),
      .check { body in
        guard body.pixelOf != nil, body.reachedBy?.ignoring != nil else { return nil }
        return InputError(["reachedBy"], "reachedBy belongs to redirect; a pixel redirects", .conflictingMembers)
      },
      .check { body in
        guard body.pixelOf != nil, body.triggerData == nil else { return nil }
        return InputError(["triggerData"], "triggerData is missing; a pixel has an integer from 0 to 99", .missing)
      },
      .check { body in
        guard body.pixelOf == nil, body.triggerData != nil || body.priority != nil else { return nil }
        return InputError(
          [body.triggerData == nil ? "priority" : "triggerData"],
          "triggerData and priority belong to pixelOf; the URL of a redirect contains them", .conflictingMembers)
      },
    ])

  package init() {}

  package init(firstPartyURL: String, redirectFrom: String?, redirectTo: String, bundleIdentifier: String? = nil) {
    self.firstPartyURL = firstPartyURL
    redirect = Redirect(from: redirectFrom, to: redirectTo)
    self.bundleIdentifier = bundleIdentifier
  }

  package init(
    firstPartyURL: String, pixelOf host: String, triggerData: Int, priority: Int? = nil, bundleIdentifier: String? = nil
  ) {
    self.firstPartyURL = firstPartyURL
    pixelOf = host
    self.triggerData = triggerData
    self.priority = priority
    self.bundleIdentifier = bundleIdentifier
  }

  /// The redirect. A classic pixel's redirect is derived from the other members.
  package var observedRedirect: Redirect {
    redirect ?? Redirect(ofPixelAt: pixelOf ?? "", data: triggerData ?? 0, priority: priority)
  }

  package struct Redirect: JSONBody {
    package var from: String?
    package var to = ""

    package static let definition = BodyDefinition<Self>(
      "One redirect.",
      [
        .optional(
          "from", \.from, .url,
          "The URL that responded with the redirect, http or https. When absent, its site is not compared with the site of `to`"
        ),
        .required("to", \.to, .url, "The target of the redirect, an absolute URL of any scheme"),
      ])

    package init() {}

    package init(from: String?, to: String) {
      self.from = from
      self.to = to
    }

    /// Creates the redirect of a classic pixel: a request to a site, redirected to the trigger path on the same site.
    ///
    /// - Parameters:
    ///   - data: The trigger data, 0 to 99, in two digits.
    ///   - priority: The priority, 0 to 99, in two digits; nil omits it.
    package init(ofPixelAt host: String, data: Int, priority: Int?) {
      let tail = [data, priority].compactMap { $0 }.map { $0 < 10 ? "0\($0)" : "\($0)" }.joined(separator: "/")
      self.init(from: "https://\(host)/pixel", to: "https://\(host)\(TriggerURL.pathPrefix)\(tail)")
    }
  }
}

/// How a page reached a URL.
package enum ReachedBy: String, Hashable, Sendable, CaseIterable {
  /// A response with a `Location`.
  case redirect
  /// The page requested the URL itself, for example as an image.
  case request
  /// A script set the location of a page or a frame.
  case script
  /// `<meta http-equiv="refresh">`.
  case metaRefresh = "meta-refresh"
  /// The header field `Refresh`.
  case refreshField = "refresh-field"

  /// Why browsers ignore such a trigger URL; nil for a redirect.
  package var ignoring: IgnoredTrigger.Cause? {
    switch self {
    case .redirect: nil
    case .request: .requested
    case .script: .script
    case .metaRefresh: .refresh
    case .refreshField: .refreshField
    }
  }
}

/// The body of `POST …/loads`, as unchecked text.
package struct LoadInput: OperationInput {
  package var firstPartyURL = ""
  package var url = ""
  package var kind = LoadKind.image.rawValue
  package var method = "GET"
  package var bundleIdentifier: String?

  package static let name = "load"
  package static let path = "/v1/browsers/:browser/loads"
  package static let summary = "Sends a request of a page"

  package static let form: OperationForm? = OperationForm(
    "try-load", "Load", "A page requests a URL. The service follows its redirects and evaluates each one.",
    button: "Load the URL",
    ["firstPartyURL": "https://shop.example/thanks", "url": "https://social.example/pixel", "bundleIdentifier": ""])

  package static let definition = BodyDefinition<Self>(
    "A request that a page makes.",
    [
      .required(
        "firstPartyURL", \.firstPartyURL, .url, "The page that makes the request, an absolute http or https URL"),
      .required("url", \.url, .url, "The requested URL, http or https"),
      .defaulted(
        "kind", \.kind, .word(LoadKind.allCases.map(\.rawValue)),
        "The kind of the request; `image` when absent, `imageset` for `srcset` and `<picture>`, `sync-xhr` for a synchronous "
          + "`XMLHttpRequest`. On an https page, an http image is requested over https, unless its first URL is on loopback, "
          + "and all other http loads are blocked"),
      .defaulted("method", \.method, .word(["GET", "POST"]), "`GET` when absent"),
      .optional(
        "bundleIdentifier", \.bundleIdentifier, .bundleIdentifier,
        "The bundle identifier under which the page runs; the browser's own when absent"),
    ])

  package init() {}

  package init(
    firstPartyURL: String, url: String, kind: String = "image", method: String = "GET", bundleIdentifier: String? = nil
  ) {
    self.firstPartyURL = firstPartyURL
    self.url = url
    self.kind = kind
    self.method = method
    self.bundleIdentifier = bundleIdentifier
  }
}
