extension OperationCatalog {
  static let clicks: [any OperationInput.Type] = [EventAttributionInput.self, LinkClickInput.self]
}

/// The body of `POST …/event-attributions`, as unchecked text and numbers.
package struct EventAttributionInput: OperationInput {
  package var bundleIdentifier = ""
  package var sourceIdentifier = 0
  package var destinationURL = ""
  package var sourceDescription: String?
  package var purchaser: String?
  package var sourceNonce: String?
  package var tapVerified = true
  package var presentation = AppTap.Presentation.openURL.rawValue
  package var openedURL: String?
  package var landingURL: String?

  package static let name = "event-attribution"
  package static let path = "/v1/browsers/:browser/event-attributions"
  package static let summary = "Opens a URL with a `UIEventAttribution` from an app"

  package static let form: OperationForm? = OperationForm(
    "try-tap", "Tapped ad", "The app opens a URL with a UIEventAttribution.", button: "Tap the ad",
    [
      "bundleIdentifier": "com.example.news", "sourceIdentifier": "4", "destinationURL": "https://shop.example/stand",
      "sourceDescription": "Banner ad for Tablet Stand Deluxe.", "purchaser": "Shop Example, Inc.",
    ])

  package static let definition = BodyDefinition<Self>(
    "An app opens a URL with a `UIEventAttribution`.",
    [
      .required(
        "bundleIdentifier", \.bundleIdentifier, .string(keywords: [.init("format", "bundle-identifier")]),
        "The bundle identifier of a registered app"),
      .required(
        "sourceIdentifier", \.sourceIdentifier,
        .integer("an integer from 0 to 255", keywords: [.init("minimum", 0), .init("maximum", 255)]), "The ad, 0 to 255"),
      .required(
        "destinationURL", \.destinationURL, .url, "The ad's destination, an absolute http or https URL of at most 8,192 bytes"),
      .optional(
        "sourceDescription", \.sourceDescription, .text,
        "A description of the ad. The system may truncate it after 100 characters"),
      .optional("purchaser", \.purchaser, .text, "The buyer of the ad. The system may truncate it after 100 characters"),
      .optional(
        "sourceNonce", \.sourceNonce, .string("a string, 16 bytes in base64url"),
        "An extension that the app API of iOS lacks: a nonce for which the source's site signs a token, as for a link; "
          + "16 bytes in base64url"),
      .defaulted(
        "tapVerified", \.tapVerified, .flag,
        "Whether the tap landed on a control that a `UIEventAttributionView` covers; true when absent"),
      .defaulted(
        "presentation", \.presentation,
        .string(
          keywords: [.init("enum", .array(AppTap.Presentation.allCases.map { .string($0.rawValue) }))],
          component: "Presentation"),
        "`openURL` when absent"),
      .optional(
        "openedURL", \.openedURL, .url, "The URL that the app opens, http or https; `destinationURL` when absent"),
      .optional(
        "landingURL", \.landingURL, .url, "The URL that the main frame commits, after redirects; `openedURL` when absent"),
    ])

  package init() {}

  package init(
    bundleIdentifier: String, sourceIdentifier: Int, destinationURL: String, sourceDescription: String? = nil,
    purchaser: String? = nil,
    sourceNonce: String? = nil, tapVerified: Bool = true, presentation: String = AppTap.Presentation.openURL.rawValue,
    openedURL: String? = nil, landingURL: String? = nil
  ) {
    self.bundleIdentifier = bundleIdentifier
    self.sourceIdentifier = sourceIdentifier
    self.destinationURL = destinationURL
    self.sourceDescription = sourceDescription
    self.purchaser = purchaser
    self.sourceNonce = sourceNonce
    self.tapVerified = tapVerified
    self.presentation = presentation
    self.openedURL = openedURL
    self.landingURL = landingURL
  }
}

/// The body of `POST …/link-clicks`, as unchecked text.
package struct LinkClickInput: OperationInput {
  package var pageURL = ""
  package var attributionSourceID: String?
  package var attributionDestination: String?
  package var attributionSourceNonce: String?
  package var href: String?
  package var landingURL: String?
  package var landed = true
  package var clickedAt: Instant?
  package var userGesture = true
  package var target: String?
  package var inFrame = false
  package var bundleIdentifier: String?
  package var observed: Provenance?

  /// The greatest age of a click, which is more than a navigation takes to commit.
  package static let maximumAge = Interval.minutes(1)

  package static let name = "link-click"
  package static let path = "/v1/browsers/:browser/link-clicks"
  package static let summary = "Follows a link"

  package static let form: OperationForm? = OperationForm(
    "try-link", "Link click", "A user follows a link with attribution attributes on a page.", button: "Follow the link",
    [
      "pageURL": "https://social.example/feed", "attributionSourceID": "7", "attributionDestination": "https://shop.example",
      "attributionSourceNonce": "", "landingURL": "",
    ])

  package static let definition = BodyDefinition<Self>(
    "A user follows a link. The three attributes are the raw attribute strings.",
    [
      .required(
        "pageURL", \.pageURL, .string("a string with an absolute URL", keywords: [.init("format", "page-url")]),
        "The top page with the link, also for a link in an iframe: an absolute URL of any scheme; empty for a document without a "
          + "URL"),
      .optional(
        "attributionSourceID", \.attributionSourceID, .attribute, "The attribute `attributionsourceid` as written"),
      .optional(
        "attributionDestination", \.attributionDestination, .attribute, "The attribute `attributiondestination` as written"),
      .optional(
        "attributionSourceNonce", \.attributionSourceNonce, .attribute, "The attribute `attributionsourcenonce` as written"),
      .optional("href", \.href, .url, "The target of the link, an absolute URL; identifies App Store links"),
      .optional("landingURL", \.landingURL, .url, "The URL that the main frame commits, after redirects"),
      .defaulted(
        "landed", \.landed, .flag,
        "Whether the navigation of the main frame commits. Without a commit, as after a failure or a download, nothing is stored; "
          + "true when absent"),
      .optional(
        "clickedAt", \.clickedAt, .instant,
        "The time of the user's action, at most a minute before the browser's time, which it is when absent"),
      .defaulted(
        "userGesture", \.userGesture, .flag, "Whether the user, not a script, followed the link; true when absent"),
      .optional(
        "target", \.target, .attribute,
        "The attribute `target` as written. In an iframe, WebKit measures only links with `_top` or `_parent`"),
      .defaulted(
        "inFrame", \.inFrame, .flag, "Whether the link is in an iframe of the top page; false when absent"),
      .optional(
        "bundleIdentifier", \.bundleIdentifier, .bundleIdentifier,
        "The bundle identifier of the app whose web view shows the page; the browser's own when absent. "
          + "1 to 255 ASCII letters, digits, hyphens, periods, and underscores"),
      .optional(
        "observed", \.observed, .object("an object with frame, load, and inferred", component: "Provenance"),
        "What an observer of the page saw"),
    ])

  package init() {}

  package init(
    pageURL: String, attributionSourceID: String?, attributionDestination: String?, attributionSourceNonce: String? = nil,
    href: String? = nil, landingURL: String? = nil, landed: Bool = true, clickedAt: Instant? = nil, userGesture: Bool = true,
    target: String? = nil, inFrame: Bool = false, bundleIdentifier: String? = nil, observed: Provenance? = nil
  ) {
    self.pageURL = pageURL
    self.attributionSourceID = attributionSourceID
    self.attributionDestination = attributionDestination
    self.attributionSourceNonce = attributionSourceNonce
    self.href = href
    self.landingURL = landingURL
    self.landed = landed
    self.clickedAt = clickedAt
    self.userGesture = userGesture
    self.target = target
    self.inFrame = inFrame
    self.bundleIdentifier = bundleIdentifier
    self.observed = observed
  }
}
