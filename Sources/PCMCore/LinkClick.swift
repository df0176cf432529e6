/// A followed `<a attributionsourceid attributiondestination attributionsourcenonce>` (reference, sections 2.1 to 2.3).
package struct LinkClick: Sendable {
  /// The top document, even when the link is in a frame; nil when the document has no URL.
  package let page: WebURL?
  /// The page as given, for the explanation.
  package let pageText: String
  /// The raw attribute strings; nil for an absent attribute.
  package let sourceIDText: String?
  package let destinationText: String?
  /// `destinationText`, parsed without a base URL; nil when it is not an absolute URL.
  package let destination: WebURL?
  package let nonceText: String?
  /// The resolved `href` of the link; nil when it is irrelevant. App Store links are treated separately (section 2.2).
  package let href: WebURL?
  /// The URL that the main frame commits; nil when it is the destination.
  package let landing: WebURL?
  package let hasUserGesture: Bool
  /// The attribute `target` as written; nil when absent.
  package let target: String?
  /// Whether the link is in a frame of the page.
  package let isInFrame: Bool
  /// The app that shows the page; nil for the browser.
  package let bundleIdentifier: String?

  package init(
    page: WebURL?, pageText: String, sourceIDText: String?, destinationText: String?, destination: WebURL?, nonceText: String?,
    href: WebURL? = nil, landing: WebURL?, hasUserGesture: Bool, target: String? = nil, isInFrame: Bool = false,
    bundleIdentifier: String? = nil
  ) {
    self.page = page
    self.pageText = pageText
    self.sourceIDText = sourceIDText
    self.destinationText = destinationText
    self.destination = destination
    self.nonceText = nonceText
    self.href = href
    self.landing = landing
    self.hasUserGesture = hasUserGesture
    self.target = target
    self.isInFrame = isInFrame
    self.bundleIdentifier = bundleIdentifier
  }

  /// The steps of section 2.1 in their order, followed by the landing rule of section 2.3. A link that is meant as a web ad and
  /// makes no click is explained as a web ad.
  package static let rules: [Rule<LinkClick, DiscardReason>] =
    [
      Rule("user-gesture", inputs: ["userGesture": { .bool($0.hasUserGesture) }]) { link in
        link.hasUserGesture ? nil : .noUserGesture
      },
      Rule("not-an-app-store-link", inputs: ["href": { .string($0.href?.text) }]) { link in
        link.appStoreDonation.map { .appStoreLink($0) }
      },
      Rule(
        "web-ad-is-complete",
        inputs: [
          "href": { .string($0.href?.text) }, "attributionDestination": { .string($0.destinationText) },
          "attributionSourceNonce": { .string($0.nonceText) },
        ]
      ) { link in
        guard let ad = link.incompleteWebAd, clickRules.contains(where: { $0.violation(link) != nil }) else { return nil }
        return .incompleteWebAd(ad)
      },
    ] + clickRules

  private static let clickRules: [Rule<LinkClick, DiscardReason>] = [
    Rule(
      "both-attributes",
      inputs: [
        "attributionSourceID": { .string($0.sourceIDText) }, "attributionDestination": { .string($0.destinationText) },
      ]
    ) { link in
      if (link.sourceIDText ?? "").isEmpty {
        return link.hasAttributesOfWebAd ? .attributesOfWebAd : .attributeMissing(name: "attributionsourceid")
      }
      if (link.destinationText ?? "").isEmpty { return .attributeMissing(name: "attributiondestination") }
      return nil
    },
    Rule("source-id-is-a-number", inputs: ["attributionSourceID": { .string($0.sourceIDText) }]) { link in
      let text = link.sourceIDText ?? ""
      return HTMLInteger(text) == nil ? .sourceIDNotANumber(text: text) : nil
    },
    Rule("source-id-at-most-255", inputs: ["attributionSourceID": { .string($0.sourceIDText) }]) { link in
      let text = link.sourceIDText ?? ""
      return HTMLInteger(text)?.asSourceID == nil ? .sourceIDTooLarge(text: text) : nil
    },
    Rule("destination-is-http", inputs: ["attributionDestination": { .string($0.destinationText) }]) { link in
      link.destination?.isHTTPFamily == true ? nil : .destinationNotHTTP(text: link.destinationText ?? "")
    },
    Rule("page-has-a-site", inputs: ["pageURL": { .string($0.pageText) }]) { link in
      (link.page?.host ?? "").isEmpty ? .noSourceSite(page: link.pageText) : nil
    },
    Rule(
      "destination-is-another-site",
      inputs: [
        "sourceSite": { .string($0.page?.site.domain) }, "destinationSite": { .string($0.destination?.site.domain) },
      ]
    ) { link in
      // A suffix test: a page on `localhost` is on the site of `shop.localhost`, and one on `github.io` on the site of
      // `bob.github.io` (WebKit, HTMLAnchorElement.cpp).
      guard let source = link.page?.site, let destination = link.destination, source.contains(host: destination.host)
      else { return nil }
      return .sameSite(source)
    },
    // WebKit passes a measurement on only with the navigations of main frames.
    Rule(
      "link-navigates-main-frame",
      inputs: ["inFrame": { .bool($0.isInFrame) }, "target": { .string($0.target) }]
    ) { link in
      link.navigatesMainFrame ? nil : .notMainFrame(target: link.target)
    },
    Rule(
      "landing-is-on-destination",
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

  /// Whether the main frame, or a window that it opens, follows the link. A link in a frame that opens a window does not count,
  /// whatever the frame's site. Keywords have no case (HTML Standard, "valid navigable target name or keyword").
  var navigatesMainFrame: Bool {
    !isInFrame || ["_top", "_parent"].contains((target ?? "").lowercased())
  }

  package func decide(_ settings: MeasurementSettings, at now: Instant, _ evaluation: inout RuleEvaluation) -> ClickDecision {
    let violation =
      evaluation.firstViolation(of: MeasurementSettings.clickRules, to: settings)
      ?? evaluation.firstViolation(of: Self.rules, to: self)
    if let violation { return .discard(violation) }
    guard let page, let destination, let sourceID = HTMLInteger(sourceIDText ?? "")?.asSourceID
    else { return .discard(.noSourceSite(page: pageText)) }
    // An empty nonce attribute counts as absent (section 2.1).
    let nonce = nonceText.flatMap { $0.isEmpty ? nil : $0 }
    let validNonce = nonce.flatMap { Nonce.isValid($0) ? $0 : nil }
    let click = Click(
      key: ClickKey(
        source: page.site, destination: destination.site, bundleIdentifier: bundleIdentifier ?? BundleIdentifier.safari),
      sourceID: sourceID, clickedAt: now, nonce: validNonce)
    var notes = validNonce == nil ? nonce.map { [ClickNote.nonceInvalid(text: $0)] } ?? [] : []
    if let fault = incompleteWebAd?.linkFault { notes.append(.notAWebAd(fault)) }
    return settings.privateBrowsing ? .storeEphemeral(click, notes) : .store(click, notes)
  }
}

/// The HTML rules for parsing non-negative integers: they allow leading white space, a sign, and trailing text.
struct HTMLInteger: Equatable {
  let value: Int32

  init?(_ text: String) {
    let whiteSpace: Set<UInt8> = [0x09, 0x0A, 0x0C, 0x0D, 0x20]
    var rest = text.utf8.drop { whiteSpace.contains($0) }
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
