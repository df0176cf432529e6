/// The body of `POST …/link-clicks`, as unchecked text.
package struct LinkClickInput: JSONBody {
  package var pageURL = ""
  package var attributionSourceID: String?
  package var attributionDestination: String?
  package var attributionSourceNonce: String?
  package var href: String?
  package var landingURL: String?
  package var userGesture = true
  package var app: String?

  package static let definition = BodyDefinition<Self>(
    "A user follows a link. The three attributes are the raw attribute strings. An optional member that is null counts as "
      + "absent.",
    [
      .required(
        "pageURL", \.pageURL, .string("a string with an absolute URL", keywords: [.init("format", "page-url")]),
        "The top page with the link, an absolute URL of any scheme; empty for a document without a URL"),
      .optional(
        "attributionSourceID", \.attributionSourceID, .attribute, "The attribute `attributionsourceid` as written"),
      .optional(
        "attributionDestination", \.attributionDestination, .attribute, "The attribute `attributiondestination` as written"),
      .optional(
        "attributionSourceNonce", \.attributionSourceNonce, .attribute, "The attribute `attributionsourcenonce` as written"),
      .optional("href", \.href, .url, "The target of the link, http or https; identifies App Store links"),
      .optional("landingURL", \.landingURL, .url, "The URL that the main frame commits, after redirects"),
      .defaulted(
        "userGesture", \.userGesture, .flag, "Whether the user, not a script, followed the link; true when absent"),
      .optional(
        "app", \.app, .bundleIdentifier,
        "The bundle identifier of the app whose web view shows the page; the browser's own when absent. "
          + "1 to 255 ASCII letters, digits, hyphens, periods, and underscores"),
    ])

  package init() {}

  package init(
    pageURL: String, attributionSourceID: String?, attributionDestination: String?, attributionSourceNonce: String? = nil,
    href: String? = nil, landingURL: String? = nil, userGesture: Bool = true, app: String? = nil
  ) {
    self.pageURL = pageURL
    self.attributionSourceID = attributionSourceID
    self.attributionDestination = attributionDestination
    self.attributionSourceNonce = attributionSourceNonce
    self.href = href
    self.landingURL = landingURL
    self.userGesture = userGesture
    self.app = app
  }
}
