/// The body of `POST …/triggering-events`, as unchecked text.
package struct TriggeringEventInput: JSONBody {
  package var firstPartyURL = ""
  package var redirect = Redirect()
  package var app: String?

  package static let definition = BodyDefinition<Self>(
    "A page's request was redirected. An optional member that is null counts as absent.",
    [
      .required("firstPartyURL", \.firstPartyURL, .url, "The page, an absolute http or https URL"),
      .required("redirect", \.redirect, .object("an object with from and to", component: "Redirect"), "The redirect"),
      .optional(
        "app", \.app, .bundleIdentifier,
        "The bundle identifier under which the page runs (an embedded Safari view); the browser's own when absent. "
          + "1 to 255 ASCII letters, digits, hyphens, periods, and underscores"),
    ])

  package init() {}

  package init(firstPartyURL: String, redirectFrom: String, redirectTo: String, app: String? = nil) {
    self.firstPartyURL = firstPartyURL
    redirect.from = redirectFrom
    redirect.to = redirectTo
    self.app = app
  }

  package struct Redirect: JSONBody {
    package var from = ""
    package var to = ""

    package static let definition = BodyDefinition<Self>(
      "One redirect.",
      [
        .required("from", \.from, .url, "The URL that responded with the redirect, http or https"),
        .required("to", \.to, .url, "The target of the redirect, an absolute URL of any scheme"),
      ])

    package init() {}
  }
}
