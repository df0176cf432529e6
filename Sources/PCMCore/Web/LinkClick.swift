/// A followed `<a attributionsourceid attributiondestination attributionsourcenonce>` (reference, sections 2.1 to 2.3).
package struct LinkClick: Sendable {
  /// The link as given: the page's URL and the raw attribute strings.
  package let input: LinkClickInput
  /// The top document, even when the link is in a frame; nil when the document has no URL.
  package let page: WebURL?
  /// The attribute, parsed without a base URL; nil when it is not an absolute URL.
  package let destination: WebURL?
  /// The resolved `href` of the link; nil when it is irrelevant. App Store links are treated separately (section 2.2).
  package let href: WebURL?
  /// The URL that the main frame commits; nil when it is the destination.
  package let landing: WebURL?

  package init(_ input: LinkClickInput, page: WebURL?, destination: WebURL?, href: WebURL?, landing: WebURL?) {
    self.input = input
    self.page = page
    self.destination = destination
    self.href = href
    self.landing = landing
  }

  /// The steps of section 2.1 in their order, followed by the landing rule of section 2.3. A link that is meant as a web ad and
  /// makes no click is explained as a web ad.
  package static let rules: [Rule<LinkClick>] =
    [
      Rule(
        "user-gesture", "The user follows the link. A script that follows it makes no click.",
        .webkit("HTMLAnchorElement.cpp"), reasons: ["no-user-gesture": "follow the link by a user gesture (userGesture: true)"],
        inputs: ["userGesture": { .bool($0.input.userGesture) }]
      ) { link in
        guard !link.input.userGesture else { return nil }
        return Violation(
          "no-user-gesture", "the link was followed by script, not by the user")
      },
      Rule(
        "not-an-app-store-link", "The link does not lead to the App Store, where SKAdNetwork measures it instead.",
        .webkit("HTMLAnchorElement.cpp"),
        reasons: ["app-store-link": "link to a page of the destination instead of the App Store"],
        inputs: ["href": { .string($0.href?.text) }]
      ) { link in
        link.appStoreDonation?.violation
      },
      Rule(
        "web-ad-is-complete",
        "A web ad links to exactly https://apps.apple.com/app/id and the app's number, has the ad network's "
          + "domain as the destination, and a nonce.",
        .webkit("HTMLAnchorElement.cpp"),
        reasons: [
          "app-store-link-malformed":
            "link to exactly https://apps.apple.com/app/id and the number, without a country, a name, a query, or a redirect",
          "attribute-missing":
            "add attributiondestination with the https URL of the ad network's domain, and attributionsourcenonce",
          "destination-not-http":
            "make attributiondestination the https URL of the ad network's domain, such as https://network.example",
          "no-source-site": "show the link on a page with an https URL",
          "nonce-invalid": "make attributionsourcenonce the 16 bytes of a UUID in Base64URL, 22 characters",
          "not-main-frame": "give the link target=\"_top\", or put it on the page itself",
          "navigation-did-not-commit": commit,
        ],
        inputs: [
          "href": { .string($0.href?.text) }, "attributionDestination": { .string($0.input.attributionDestination) },
          "attributionSourceNonce": { .string($0.input.attributionSourceNonce) }, "landed": { .bool($0.input.landed) },
        ]
      ) { link in
        let faults = link.faultsOfWebAd
        return !faults.isEmpty && clickRules.contains { $0.violation(link) != nil } ? Violation(faults) : nil
      },
    ] + clickRules

  private static let clickRules: [Rule<LinkClick>] = [
    Rule(
      "both-attributes",
      "The link has both attributes, attributionsourceid and attributiondestination.",
      .webkit("HTMLAnchorElement.cpp"),
      reasons: ["attribute-missing": "add attributionsourceid and attributiondestination to the link"],
      inputs: [
        "attributionSourceID": { .string($0.input.attributionSourceID) },
        "attributionDestination": { .string($0.input.attributionDestination) },
      ]
    ) { link in
      if (link.input.attributionSourceID ?? "").isEmpty {
        return link.hasAttributesOfWebAd ? attributesOfWebAd : missing("attributionsourceid")
      }
      return (link.input.attributionDestination ?? "").isEmpty ? missing("attributiondestination") : nil
    },
    Rule(
      "source-id-is-a-number", "The attribute attributionsourceid is a non-negative integer.",
      .webkit("HTMLAnchorElement.cpp and HTMLParserIdioms.cpp"), reasons: ["source-id-not-a-number": validSourceID],
      inputs: ["attributionSourceID": { .string($0.input.attributionSourceID) }]
    ) { link in
      let text = link.input.attributionSourceID ?? ""
      guard HTMLInteger(text) == nil else { return nil }
      return Violation(
        "source-id-not-a-number", "attributionsourceid \"\(text)\" is not a non-negative integer", change: validSourceID)
    },
    Rule(
      "source-id-at-most-255", "The attribute attributionsourceid is at most 255.",
      .webkit("HTMLAnchorElement.cpp"), reasons: ["source-id-too-large": validSourceID],
      inputs: ["attributionSourceID": { .string($0.input.attributionSourceID) }]
    ) { link in
      let text = link.input.attributionSourceID ?? ""
      guard link.sourceID == nil else { return nil }
      return Violation(
        "source-id-too-large", "attributionsourceid \"\(text)\" is above the maximum of 255", change: validSourceID)
    },
    Rule(
      "destination-is-http", "The attribute attributiondestination is an absolute http or https URL.",
      .webkit("HTMLAnchorElement.cpp"),
      reasons: ["destination-not-http": "make attributiondestination an absolute https URL, such as https://shop.example"],
      inputs: ["attributionDestination": { .string($0.input.attributionDestination) }]
    ) { link in
      guard link.destination?.isHTTPFamily != true else { return nil }
      return Violation(
        "destination-not-http",
        "attributiondestination \"\(link.input.attributionDestination ?? "")\" is not an absolute http or https URL")
    },
    Rule(
      "page-has-a-site",
      "The page with the link has a URL, whose site is the source of the click. A document without a host, such as about:blank, has "
        + "the site nullOrigin, and no report leaves for it.",
      .webkit("HTMLAnchorElement.cpp"), reasons: ["no-source-site": "show the link on a page with an https URL"],
      inputs: ["pageURL": { .string($0.input.pageURL) }]
    ) { link in
      link.source == nil ? link.lacksSourceSite : nil
    },
    Rule(
      "destination-is-another-site",
      "The destination is on another site than the page with the link.",
      .webkit("HTMLAnchorElement.cpp"), reasons: ["same-site": "make attributiondestination another site than the page's"],
      inputs: [
        "sourceSite": { .string($0.page?.site.domain) }, "destinationSite": { .string($0.destination?.site.domain) },
      ]
    ) { link in
      // A suffix test: a page on `localhost` is on the site of `shop.localhost`, and one on `github.io` on the site of
      // `bob.github.io` (WebKit, HTMLAnchorElement.cpp).
      guard let source = link.page?.site, let destination = link.destination, source.contains(host: destination.host)
      else { return nil }
      return Violation(
        "same-site", "the destination is on the page's own site, \(source.domain)",
        change: "make attributiondestination another site than \(source.domain)")
    },
    // WebKit passes a measurement on only with the navigations of main frames.
    Rule(
      "link-navigates-main-frame",
      "A link in an iframe has the target _top or _parent. Other links in iframes are not measured.",
      .measured("WebKitGTK 2.50.6, 24 links in frames"),
      reasons: ["not-main-frame": "give the link target=\"_top\", or put it on the page itself"],
      inputs: ["inFrame": { .bool($0.input.inFrame) }, "target": { .string($0.input.target) }]
    ) { link in
      link.navigatesMainFrame ? nil : link.isNotMainFrame
    },
    Rule(
      "navigation-commits", "The navigation of the main frame commits. A download or a failure does not commit.",
      .webkit("WebPageProxy.cpp"), reasons: ["navigation-did-not-commit": commit],
      inputs: ["landed": { .bool($0.input.landed) }]
    ) { link in
      link.didNotCommit
    },
    Rule(
      .landingIsOnDestination,
      inputs: [
        "destinationSite": { .string($0.destination?.site.domain) },
        "landingSite": { .string(($0.landing ?? $0.destination)?.site.domain) },
      ]
    ) { link in
      guard let landing = link.landing?.site, let destination = link.destination?.site, landing != destination
      else { return nil }
      return .landingSiteMismatch(landing: landing, destination: destination)
    },
  ]

  /// The title of the note about a link that is measured as a click.
  static let malformedWebAd = RuleTitle(
    reason: malformedAppStoreLink, "The link leads to the App Store and has the attributes of a click. It is no web ad.",
    .webkit("HTMLAnchorElement.cpp"), change: "link to \(AppStoreURL.form(itemID: nil)) if it is meant as a web ad")

  private static func missing(_ name: String) -> Violation {
    Violation(
      "attribute-missing", "\(name) is missing or empty; a measured link needs attributionsourceid and attributiondestination",
      change: "add \(name) to the link")
  }

  /// A link that could be meant as a click or, by a redirect that is not known, as a web ad.
  private static let attributesOfWebAd = Violation(
    "attribute-missing",
    "attributionsourceid is missing or empty; a web ad needs none, but links to exactly \(AppStoreURL.form(itemID: nil)), "
      + "without a redirect",
    change: "add attributionsourceid to the link, or, for a web ad, link to \(AppStoreURL.form(itemID: nil))")

  private static let validSourceID = "make attributionsourceid an integer from 0 to 255"

  private static let commit = "let the navigation commit a page"

  /// The navigation that carries the click ends without a page, on which WebKit stores the click.
  var didNotCommit: Violation? {
    guard !input.landed else { return nil }
    return Violation(
      "navigation-did-not-commit", "the navigation committed no page; a click is stored when the main frame commits one",
      change: Self.commit)
  }

  /// The site of the page; nil for a page without a URL. WebKit gives a document without a host the site `nullOrigin`, which no
  /// redirect has.
  private var source: Site? {
    page.flatMap { $0.host.isEmpty ? FirstParty.lacksSite($0) ? Site("nullOrigin") : nil : $0.site }
  }

  private var lacksSourceSite: Violation {
    Violation(
      "no-source-site", "the top page \"\(input.pageURL)\" has no site that could be the click's source",
      change: "show the link on a page with an https URL")
  }

  var isNotMainFrame: Violation {
    let opened = input.target.flatMap { $0.isEmpty || $0.lowercased() == "_self" ? nil : $0 }
    let navigation = opened.map { "opens a window with target=\"\($0)\"" } ?? "navigates the iframe"
    return Violation(
      "not-main-frame", "the link is in an iframe and \(navigation); WebKit measures only main frames",
      change: "give the link target=\"_top\", or put it on the page itself")
  }

  /// Whether the main frame, or a window that it opens, follows the link. A link in a frame that opens a window does not count,
  /// whatever the frame's site. Keywords have no case (HTML Standard, "valid navigable target name or keyword").
  var navigatesMainFrame: Bool {
    !input.inFrame || ["_top", "_parent"].contains((input.target ?? "").lowercased())
  }

  /// Nil unless the attribute is an integer from 0 to 255.
  package var sourceID: UInt8? { HTMLInteger(input.attributionSourceID ?? "")?.asSourceID }

  package func decide(_ settings: MeasurementSettings, at now: Instant, _ evaluation: inout RuleEvaluation) -> ClickDecision {
    let violation =
      evaluation.firstViolation(of: MeasurementSettings.rules, to: settings)
      ?? evaluation.firstViolation(of: Self.rules, to: self)
    if let violation { return .discard(violation) }
    guard let source, let destination, let sourceID else { return .discard(lacksSourceSite) }
    // An empty nonce attribute counts as absent (section 2.1).
    let nonce = input.attributionSourceNonce.flatMap { $0.isEmpty ? nil : $0 }
    let validNonce = nonce.flatMap { Nonce.isValid($0) ? $0 : nil }
    let click = Click(
      key: ClickKey(
        source: source, destination: destination.site, bundleIdentifier: input.bundleIdentifier ?? BundleIdentifier.safari),
      sourceID: sourceID, clickedAt: input.clickedAt ?? now, nonce: validNonce)
    var notes = validNonce == nil ? nonce.map { [Reason.nonceInvalid($0)] } ?? [] : []
    if let reason = faultsOfWebAd.lazy.map(\.reason).first(where: { $0.code == Self.malformedAppStoreLink }) {
      notes.append(Reason(reason.code, "\(reason.detail); the link is measured as a click and not as a web ad"))
    }
    if page?.host.isEmpty == true {
      notes.append(Reason("no-source-site", "\(lacksSourceSite.reason.detail); WebKit keeps the click, and reports nothing"))
    }
    return settings.privateBrowsing ? .storeEphemeral(click, notes) : .store(click, notes)
  }
}

/// The HTML rules for parsing non-negative integers: they allow leading white space, a sign, and trailing text.
struct HTMLInteger: Equatable {
  let value: Int32

  init?(_ text: String) {
    var rest = text.utf8.drop { [0x09, 0x0A, 0x0C, 0x0D, 0x20].contains($0) }
    let isNegative = rest.first == UInt8(ascii: "-")
    if isNegative || rest.first == UInt8(ascii: "+") { rest = rest.dropFirst() }
    let digits = rest.prefix { $0 >= UInt8(ascii: "0") && $0 <= UInt8(ascii: "9") }
    guard !digits.isEmpty else { return nil }
    // WebKit parses a signed 32-bit integer; a number out of range is an error (HTMLParserIdioms.cpp).
    guard let number = Int32(Substring(digits)) else { return nil }
    // Minus zero is zero; every other negative number is an error.
    if isNegative, number > 0 { return nil }
    value = number
  }

  var asSourceID: UInt8? { UInt8(exactly: value) }
}
