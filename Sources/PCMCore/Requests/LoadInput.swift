/// The body of `POST …/loads`, as unchecked text.
package struct LoadInput: JSONBody {
  package var firstPartyURL = ""
  package var url = ""
  package var kind = LoadKind.image.rawValue
  package var method = "GET"
  package var app: String?

  package static let definition = BodyDefinition<Self>(
    "A request that a page makes. An optional member that is null counts as absent.",
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
        "app", \.app, .bundleIdentifier, "The bundle identifier under which the page runs; the browser's own when absent"),
    ])

  package init() {}

  package init(firstPartyURL: String, url: String, kind: String = "image", method: String = "GET", app: String? = nil) {
    self.firstPartyURL = firstPartyURL
    self.url = url
    self.kind = kind
    self.method = method
    self.app = app
  }
}
