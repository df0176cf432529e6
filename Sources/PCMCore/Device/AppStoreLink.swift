/// The install attribution that an App Store link donates to the operating system instead of becoming a click
/// (reference, section 2.2). Private Click Measurement does not store it.
package struct AppStoreDonation: Hashable, Sendable {
  package let itemID: UInt64
  package let adNetwork: Site
  package let impressionID: String
  package let source: Site

  /// The code of the reason for which the browser hands the click over.
  package static let reasonCode = "app-store-link"

  var violation: Violation {
    Violation(
      Self.reasonCode,
      "the link leads to App Store item \(itemID): it is a web ad of SKAdNetwork (ad network \(adNetwork.domain), "
        + "impression \(impressionID), source \(source.domain), version 4.0), which is not measured as a click",
      change: "link to a page of the destination instead of the App Store")
  }
}

extension LinkClick {
  /// The donation, or nil when a condition of section 2.2 is not met. The remaining rules then apply.
  package var appStoreDonation: AppStoreDonation? {
    guard
      let item = href.flatMap(AppStoreURL.item(ofLink:)),
      let destination, destination.isHTTPFamily,
      let page, !page.host.isEmpty,
      let nonce = input.attributionSourceNonce, Nonce.isValid(nonce),
      navigatesMainFrame, input.landed
    else { return nil }
    return AppStoreDonation(itemID: item, adNetwork: destination.site, impressionID: nonce, source: page.site)
  }
}

/// URLs of the App Store.
enum AppStoreURL {
  private static let prefix = "https://apps.apple.com/app/id"

  /// Returns the item of the only URL that WebKit recognizes: decimal digits follow the prefix, and nothing follows them
  /// (reference, section 2.2).
  static func item(ofLink url: WebURL) -> UInt64? {
    guard url.text.hasPrefix(prefix) else { return nil }
    let digits = url.text.dropFirst(prefix.count)
    // `UInt64.init` also accepts a sign.
    return digits.allSatisfy(isDigit) ? UInt64(digits) : nil
  }

  /// Returns whether a URL opens the App Store. Apps and old links use further hosts and schemes, which redirect.
  static func isAppStore(_ url: WebURL) -> Bool {
    let host = url.host.lowercased()
    return hosts.contains(host) || host.hasSuffix(".itunes.apple.com")
  }

  /// Returns whether a URL of another site contains a URL of the App Store, as the links of a redirector do.
  static func isNamed(in url: WebURL) -> Bool {
    let text = decoded(url).lowercased()
    return hosts.contains { text.contains("://\($0)/") }
  }

  /// Returns the item in any URL of the App Store or of a redirector to it, such as `/us/app/name/id42` or `?id=42`.
  static func item(namedIn url: WebURL) -> UInt64? {
    let text = decoded(url)
    for marker in ["/id", "?id=", "&id="] {
      for part in text.split(separator: marker, omittingEmptySubsequences: false).dropFirst() {
        if let item = UInt64(part.prefix(while: isDigit)) { return item }
      }
    }
    return nil
  }

  /// The URL for a sentence: an item's URL, or the form of such URLs.
  static func form(itemID: UInt64?) -> String { itemID.map { prefix + "\($0)" } ?? "\(prefix) and the app's number" }

  private static let hosts = ["apps.apple.com", "itunes.apple.com", "geo.itunes.apple.com", "appsto.re", "itun.es"]

  private static func isDigit(_ character: Character) -> Bool { ("0"..."9").contains(character) }

  private static func decoded(_ url: WebURL) -> String { PercentEncoding.decoded(url.text[...].utf8, plusIsSpace: false) }
}
