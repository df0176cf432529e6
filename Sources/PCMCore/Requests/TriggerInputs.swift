/// The body of `POST …/triggering-events`, as unchecked text.
package struct TriggeringEventInput: JSONBody {
  package var firstPartyURL = ""
  package var redirect = Redirect()
  package var bundleIdentifier: String?

  package static let definition = BodyDefinition<Self>(
    "A page's request was redirected.",
    [
      .required("firstPartyURL", \.firstPartyURL, .url, "The page, an absolute http or https URL"),
      .required("redirect", \.redirect, .object("an object with from and to", component: "Redirect"), "The redirect"),
      .optional(
        "bundleIdentifier", \.bundleIdentifier, .bundleIdentifier,
        "The bundle identifier under which the page runs (an embedded Safari view); the browser's own when absent. "
          + "1 to 255 ASCII letters, digits, hyphens, periods, and underscores"),
    ])

  package init() {}

  package init(firstPartyURL: String, redirectFrom: String, redirectTo: String, bundleIdentifier: String? = nil) {
    self.firstPartyURL = firstPartyURL
    redirect.from = redirectFrom
    redirect.to = redirectTo
    self.bundleIdentifier = bundleIdentifier
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

/// The body of `POST …/loads`, as unchecked text.
package struct LoadInput: JSONBody {
  package var firstPartyURL = ""
  package var url = ""
  package var kind = LoadKind.image.rawValue
  package var method = "GET"
  package var bundleIdentifier: String?

  package static let definition = BodyDefinition<Self>(
    "A request that a page makes.",
    [
      .required(
        "firstPartyURL", \.firstPartyURL, .url, "The page that makes the request, an absolute http or https URL"),
      .required("url", \.url, .url, "The requested URL, http or https"),
      .defaulted(
        "kind", \.kind, .word(LoadKind.allCases.map(\.rawValue)),
        "The kind of the request; `image` when absent. On an https page, an http image is requested over https, "
          + "except from loopback, and all other http loads are blocked"),
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
