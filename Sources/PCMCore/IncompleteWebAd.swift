/// A link that is meant as a web ad of SKAdNetwork but lacks something that WebKit requires of one (reference, section 2.2;
/// SKAdNetwork reference, section 2.3).
package struct IncompleteWebAd: Hashable, Sendable {
  /// What is wrong with the link: its target, the destination, the page, the nonce, and the frame, in this order. Never empty.
  package let faults: [WebAdFault]

  package init(faults: [WebAdFault]) {
    self.faults = faults
  }

  /// The code of the first fault and the details of all.
  package var reason: Reason {
    Reason(faults.first?.reason.code ?? WebAdFault.linkCode, faults.map(\.reason.detail).joined(separator: "; "))
  }

  package var change: String { faults.map(\.change).joined(separator: "; ") }

  /// The fault of the link's target, which turns an ad with all other attributes of a click into a click.
  package var linkFault: WebAdFault? { faults.first { $0.reason.code == WebAdFault.linkCode } }
}

/// Something that a web ad lacks.
package enum WebAdFault: Hashable, Sendable {
  /// The target of the link is not the App Store URL that WebKit recognizes. The item is nil when the URL does not name it.
  case target(text: String, itemID: UInt64?)
  /// The link leads to the App Store by a redirect. The text is nil when the target of the link is not known.
  case redirect(text: String?, itemID: UInt64?)
  /// `attributiondestination` is a URL of the App Store and not the domain of the ad network.
  case destinationIsAppStore(text: String)
  case destinationMissing
  case destinationNotHTTP(text: String)
  case noSourceSite(page: String)
  case nonceMissing
  case nonceInvalid(text: String)
  /// The link is in a frame and does not navigate the main frame.
  case notMainFrame(target: String?)

  /// The code for a link that does not go straight to the App Store URL of an app.
  static let linkCode = "app-store-link-malformed"

  package var reason: Reason {
    switch self {
    case .target(let text, _):
      Reason(
        Self.linkCode, "the link is \(text.shown), but a web ad links to exactly \(AppStoreURL.form(itemID: nil)) over https")
    case .redirect(let text, _):
      Reason(
        Self.linkCode,
        "the link \(text.map { "\($0.shown) " } ?? "")leads to the App Store by a redirect, but a web ad links to exactly "
          + AppStoreURL.form(itemID: nil))
    case .destinationIsAppStore(let text):
      Reason(
        Self.linkCode, "attributiondestination \"\(text.shown)\" is the App Store; a web ad has the ad network's domain there")
    case .destinationMissing:
      Reason("attribute-missing", "attributiondestination is missing or empty; a web ad has the ad network's domain there")
    case .destinationNotHTTP(let text):
      Reason(
        "destination-not-http",
        "attributiondestination \"\(text.shown)\" is not an absolute http or https URL; a web ad has the ad network's domain there"
      )
    case .noSourceSite(let page):
      Reason("no-source-site", "the top page \"\(page.shown)\" has no site that could be the web ad's source")
    case .nonceMissing:
      Reason("attribute-missing", "attributionsourcenonce is missing or empty; a web ad has 16 bytes in Base64URL there")
    case .nonceInvalid(let text):
      Reason(
        "nonce-invalid",
        "attributionsourcenonce \"\(text.shown)\" is \(WebAdNonce(text).description); a web ad needs 16 bytes in Base64URL")
    case .notMainFrame(let target): DiscardReason.notMainFrame(target: target).reason
    }
  }

  package var change: String {
    switch self {
    case .target(_, let itemID), .redirect(_, let itemID):
      "link to \(AppStoreURL.form(itemID: itemID)), without a country, a name, a query, or a redirect"
    case .destinationIsAppStore, .destinationMissing:
      "make attributiondestination the https URL of the ad network's domain, such as https://network.example"
    case .destinationNotHTTP(let text): "make attributiondestination \(Self.destination(for: text))"
    case .noSourceSite: "show the link on a page with an https URL"
    case .nonceMissing: "make attributionsourcenonce the 16 bytes of a UUID in Base64URL, 22 characters"
    case .nonceInvalid(let text):
      WebAdNonce(text).suggestion.map { "make attributionsourcenonce \($0)" }
        ?? "make attributionsourcenonce the 16 bytes of a UUID in Base64URL, 22 characters"
    case .notMainFrame(let target): DiscardReason.notMainFrame(target: target).change
    }
  }

  /// Returns the URL that a destination without a scheme means.
  private static func destination(for text: String) -> String {
    let example = "the https URL of the ad network's domain, such as https://network.example"
    let host = text.drop { $0 == "/" }
    let identifierEndings = [".skadnetwork", ".adattributionkit"]
    if identifierEndings.contains(where: host.lowercased().hasSuffix) { return "\(example), not the ad network's identifier" }
    let isName = host.contains(".") && host.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || "-.".contains($0)) }
    return isName && !host.hasPrefix(".") && !host.hasSuffix(".") ? "https://\(host)" : example
  }
}

extension LinkClick {
  /// What the link lacks to be a web ad, or nil when it is one or is not meant as one.
  ///
  /// A link to the App Store is meant as a web ad. With `attributionsourceid` and without a nonce, it is an ordinary link.
  var incompleteWebAd: IncompleteWebAd? {
    let isOrdinary = !(sourceIDText ?? "").isEmpty && (nonceText ?? "").isEmpty
    guard !isOrdinary, leadsToAppStore, appStoreDonation == nil else { return nil }
    let frameFault = navigatesMainFrame ? nil : WebAdFault.notMainFrame(target: target)
    let faults = [targetFault, destinationFault, pageFault, nonceFault, frameFault].compactMap { $0 }
    return faults.isEmpty ? nil : IncompleteWebAd(faults: faults)
  }

  /// Whether the link has the attributes of a web ad, no attributes of a click, and a target that need not lead to the App Store.
  var hasAttributesOfWebAd: Bool {
    href != nil && (sourceIDText ?? "").isEmpty && ![destinationText, nonceText].contains { ($0 ?? "").isEmpty }
  }

  private var leadsToAppStore: Bool {
    let isDestination = destination.map(AppStoreURL.isAppStore) == true && !(nonceText ?? "").isEmpty
    return isDestination || [href, landing].contains { $0.map(AppStoreURL.isAppStore) == true }
      || href.map(AppStoreURL.isNamed) == true
  }

  private var targetFault: WebAdFault? {
    if let href, AppStoreURL.isAppStore(href) {
      return AppStoreURL.item(ofLink: href) == nil ? .target(text: href.text, itemID: AppStoreURL.item(namedIn: href)) : nil
    }
    // The destination may be the only URL of the App Store.
    let isRedirect = href.map(AppStoreURL.isNamed) == true || landing.map(AppStoreURL.isAppStore) == true
    guard isRedirect else { return nil }
    return .redirect(
      text: href?.text, itemID: [landing, href].lazy.compactMap { $0.flatMap(AppStoreURL.item(namedIn:)) }.first)
  }

  private var destinationFault: WebAdFault? {
    guard let text = destinationText, !text.isEmpty else { return .destinationMissing }
    guard let destination, destination.isHTTPFamily else { return .destinationNotHTTP(text: text) }
    return AppStoreURL.isAppStore(destination) ? .destinationIsAppStore(text: text) : nil
  }

  private var pageFault: WebAdFault? { (page?.host ?? "").isEmpty ? .noSourceSite(page: pageText) : nil }

  private var nonceFault: WebAdFault? {
    guard let nonceText, !nonceText.isEmpty else { return .nonceMissing }
    return Nonce.isValid(nonceText) ? nil : .nonceInvalid(text: nonceText)
  }
}

/// A text that is not a valid nonce, and the nonce that it means.
private struct WebAdNonce {
  let description: String
  /// The same bytes in Base64URL; nil when the text is no known form of 16 bytes.
  let suggestion: String?

  init(_ text: String) {
    let digits = text.filter { !"-{}".contains($0) }
    if digits.utf8.count == 32, let bytes = Hexadecimal.bytes(digits) {
      self.init("a UUID in hexadecimal digits", bytes)
      return
    }
    let plain = PercentEncoding.decoded(text[...].utf8, plusIsSpace: false).filter { !$0.isWhitespace }
    let padding = plain.reversed().prefix { $0 == "=" }.count
    let characters = plain.dropLast(padding).map { $0 == "+" ? "-" : $0 == "/" ? "_" : $0 }
    guard let bytes = Base64URL.decode(String(characters)) else {
      self.init("not Base64URL", nil)
      return
    }
    let uuid = String(decoding: bytes, as: UTF8.self)
    if UUIDText.isValid(uuid) {
      self.init("the text of a UUID in Base64", Hexadecimal.bytes(uuid.filter { $0 != "-" }))
    } else if bytes.count == 16 {
      let hasSpace = text.contains(where: \.isWhitespace)
      self.init(
        hasSpace
          ? "Base64 with white space" : text.contains("%") ? "percent-encoded Base64" : "Base64 and not Base64URL", bytes)
    } else {
      self.init("\(bytes.count) bytes", nil)
    }
  }

  private init(_ description: String, _ bytes: [UInt8]?) {
    self.description = description
    suggestion = bytes.map(Base64URL.encode)
  }
}

extension String {
  fileprivate var shown: String { asShown(upTo: 200) }
}
