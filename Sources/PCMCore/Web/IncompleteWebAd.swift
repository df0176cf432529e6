// A link that is meant as a web ad of SKAdNetwork but lacks something that WebKit requires of one (reference, section 2.2;
// SKAdNetwork reference, section 2.3).
extension LinkClick {
  /// The code for a link that does not go straight to the App Store URL of an app.
  static let malformedAppStoreLink = "app-store-link-malformed"

  /// The omissions that keep the link from being a web ad: its target, the destination, the page, the nonce, the frame, and the
  /// commit, in this order. Empty when it is one or is not meant as one.
  ///
  /// A link to the App Store is meant as a web ad. With `attributionsourceid` and without a nonce, it is an ordinary link.
  var faultsOfWebAd: [Violation] {
    let isOrdinary = !(input.attributionSourceID ?? "").isEmpty && (input.attributionSourceNonce ?? "").isEmpty
    guard !isOrdinary, leadsToAppStore, appStoreDonation == nil else { return [] }
    let frameFault = navigatesMainFrame ? nil : isNotMainFrame
    return [targetFault, destinationFault, pageFault, nonceFault, frameFault, didNotCommit].compactMap { $0 }
  }

  /// Whether the link has the attributes of a web ad, no attributes of a click, and a target that need not lead to the App Store.
  var hasAttributesOfWebAd: Bool {
    href != nil && (input.attributionSourceID ?? "").isEmpty
      && ![input.attributionDestination, input.attributionSourceNonce].contains { ($0 ?? "").isEmpty }
  }

  private var leadsToAppStore: Bool {
    let isDestination = destination.map(AppStoreURL.isAppStore) == true && !(input.attributionSourceNonce ?? "").isEmpty
    return isDestination || [href, landing].contains { $0.map(AppStoreURL.isAppStore) == true }
      || href.map(AppStoreURL.isNamed) == true
  }

  /// The link is not the App Store URL that WebKit recognizes, or redirects to it.
  private var targetFault: Violation? {
    let form = "a web ad links to exactly \(AppStoreURL.form(itemID: nil))"
    func fault(_ detail: String, _ itemID: UInt64?) -> Violation {
      Violation(
        Self.malformedAppStoreLink, detail,
        change: "link to \(AppStoreURL.form(itemID: itemID)), without a country, a name, a query, or a redirect")
    }
    if let href, AppStoreURL.isAppStore(href) {
      guard AppStoreURL.item(ofLink: href) == nil else { return nil }
      return fault("the link is \(href.text.shown), but \(form) over https", AppStoreURL.item(namedIn: href))
    }
    // The destination may be the only URL of the App Store.
    let isRedirect = href.map(AppStoreURL.isNamed) == true || landing.map(AppStoreURL.isAppStore) == true
    guard isRedirect else { return nil }
    return fault(
      "the link \(href.map { "\($0.text.shown) " } ?? "")leads to the App Store by a redirect, but \(form)",
      [landing, href].lazy.compactMap { $0.flatMap(AppStoreURL.item(namedIn:)) }.first)
  }

  private var destinationFault: Violation? {
    let domain = "the https URL of the ad network's domain, such as https://network.example"
    guard let text = input.attributionDestination, !text.isEmpty else {
      return Violation(
        "attribute-missing", "attributiondestination is missing or empty; a web ad has the ad network's domain there",
        change: "make attributiondestination \(domain)")
    }
    guard let destination, destination.isHTTPFamily else {
      return Violation(
        "destination-not-http",
        "attributiondestination \"\(text.shown)\" is not an absolute http or https URL; a web ad has the ad network's domain there",
        change: "make attributiondestination \(Self.destination(for: text, domain))")
    }
    guard AppStoreURL.isAppStore(destination) else { return nil }
    return Violation(
      Self.malformedAppStoreLink,
      "attributiondestination \"\(text.shown)\" is the App Store; a web ad has the ad network's domain there",
      change: "make attributiondestination \(domain)")
  }

  /// Returns the URL that a destination without a scheme means.
  private static func destination(for text: String, _ example: String) -> String {
    let host = text.drop { $0 == "/" }
    let identifierEndings = [".skadnetwork", ".adattributionkit"]
    if identifierEndings.contains(where: host.lowercased().hasSuffix) { return "\(example), not the ad network's identifier" }
    let isName = host.contains(".") && host.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || "-.".contains($0)) }
    return isName && !host.hasPrefix(".") && !host.hasSuffix(".") ? "https://\(host)" : example
  }

  private var pageFault: Violation? {
    guard (page?.host ?? "").isEmpty else { return nil }
    return Violation(
      "no-source-site", "the top page \"\(input.pageURL.shown)\" has no site that could be the web ad's source",
      change: "show the link on a page with an https URL")
  }

  private var nonceFault: Violation? {
    let form = "the 16 bytes of a UUID in Base64URL, 22 characters"
    guard let text = input.attributionSourceNonce, !text.isEmpty else {
      return Violation(
        "attribute-missing", "attributionsourcenonce is missing or empty; a web ad has 16 bytes in Base64URL there",
        change: "make attributionsourcenonce \(form)")
    }
    guard !Nonce.isValid(text) else { return nil }
    let nonce = WebAdNonce(text)
    return Violation(
      "nonce-invalid",
      "attributionsourcenonce \"\(text.shown)\" is \(nonce.description); a web ad needs 16 bytes in Base64URL",
      change: "make attributionsourcenonce \(nonce.suggestion ?? form)")
  }
}

extension Violation {
  /// Joins faults: the code of the first, and the details and changes of all.
  init(_ faults: [Violation]) {
    self.init(
      faults.first?.reason.code ?? LinkClick.malformedAppStoreLink, faults.map(\.reason.detail).joined(separator: "; "),
      change: faults.map(\.change).joined(separator: "; "))
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
