/// The page whose request was redirected. Its site is the destination.
package enum FirstParty {
  /// Returns whether the document of a URL has no site, such as `about:blank`.
  package static func lacksSite(_ url: WebURL) -> Bool { url.host.isEmpty && schemesWithoutHost.contains(url.scheme) }

  /// The schemes of such documents. Any other URL without a host, such as `localhost:8080`, is a mistake.
  private static let schemesWithoutHost: Set = ["about", "blob", "data", "file"]

  package static let rules: [Rule<WebURL>] = [
    Rule(
      "first-party-has-a-site", "The page has a site, which is the destination.",
      .ours("WebKit looks for a click to the page's site, and no click leads to a page without a host"),
      reasons: ["no-first-party-site": "trigger the event on a page with an http or https URL"],
      inputs: ["pageURL": { .string($0.text) }]
    ) { page in
      guard lacksSite(page) else { return nil }
      return Violation(
        "no-first-party-site", "the page \(page.text.asShown(upTo: 200)) has no site that could be a click's destination")
    }
  ]
}
