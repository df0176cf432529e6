/// The install attribution that an App Store link donates to the operating system instead of becoming a click
/// (reference, section 2.2). Private Click Measurement does not store it.
package struct AppStoreDonation: Hashable, Sendable {
  package let itemID: UInt64
  package let adNetwork: Site
  package let impressionID: String
  package let source: Site

  package init(itemID: UInt64, adNetwork: Site, impressionID: String, source: Site) {
    self.itemID = itemID
    self.adNetwork = adNetwork
    self.impressionID = impressionID
    self.source = source
  }

  /// The code of the reason for which the browser discards the click.
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
      let nonce = nonceText, Nonce.isValid(nonce),
      navigatesMainFrame
    else { return nil }
    return AppStoreDonation(itemID: item, adNetwork: destination.site, impressionID: nonce, source: page.site)
  }
}
