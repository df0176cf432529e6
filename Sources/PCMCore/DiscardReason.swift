/// Why a browser discards a well-formed click, silently or with a message on the console.
package enum DiscardReason: Hashable, RuleViolation {
  case measurementDisabled
  case macCatalyst(bundleIdentifier: String)
  case noReportEndpoint(bundleIdentifier: String)
  case reportEndpointInvalid(why: String)
  case tapNotVerified
  case safariViewControllerHTTP(opened: String)
  case destinationNotOpened(opened: Site, destination: Site)
  case landingSiteMismatch(landing: Site, destination: Site)
  case noUserGesture
  case appStoreLink(AppStoreDonation)
  case incompleteWebAd(IncompleteWebAd)
  case attributeMissing(name: String)
  /// A link that could be meant as a click or, by a redirect that is not known, as a web ad.
  case attributesOfWebAd
  case sourceIDNotANumber(text: String)
  case sourceIDTooLarge(text: String)
  case destinationNotHTTP(text: String)
  case noSourceSite(page: String)
  case sameSite(Site)
  case notMainFrame(target: String?)

  package var reason: Reason {
    switch self {
    case .measurementDisabled:
      Reason("measurement-disabled", "measurement is switched off in this browser's settings (measurementEnabled)")
    case .macCatalyst(let app):
      Reason("mac-catalyst", "\(app) is a Mac Catalyst app; app-to-web measurement works on iPhone and iPad only")
    case .noReportEndpoint(let app):
      Reason("no-report-endpoint", "the Info.plist of \(app) has no NSAdvertisingAttributionReportEndpoint")
    case .reportEndpointInvalid(let why):
      Reason("report-endpoint-invalid", "the report endpoint cannot be used: \(why)")
    case .tapNotVerified:
      Reason("tap-not-verified", "the tap did not land on a control that a UIEventAttributionView covers")
    case .safariViewControllerHTTP(let opened):
      Reason("safari-view-controller-http", "SFSafariViewController ignores the attribution when it opens http: \(opened)")
    case .destinationNotOpened(let opened, let destination):
      Reason("destination-not-opened", "the opened URL is on \(opened.domain), the ad's destination is \(destination.domain)")
    case .landingSiteMismatch(let landing, let destination):
      Reason(
        "landing-site-mismatch",
        "the page that loaded is on \(landing.domain), the click's destination is \(destination.domain)")
    case .noUserGesture:
      Reason("no-user-gesture", "the link was followed by script, not by the user")
    case .appStoreLink(let donation):
      Reason(AppStoreDonation.reasonCode, donation.detail)
    case .incompleteWebAd(let ad): ad.reason
    case .attributeMissing(let name):
      Reason(
        "attribute-missing", "\(name) is missing or empty; a measured link needs attributionsourceid and attributiondestination"
      )
    case .attributesOfWebAd:
      Reason(
        "attribute-missing",
        "attributionsourceid is missing or empty; a web ad needs none, but links to exactly \(AppStoreURL.form(itemID: nil)), "
          + "without a redirect")
    case .sourceIDNotANumber(let text):
      Reason("source-id-not-a-number", "attributionsourceid \"\(text)\" is not a non-negative integer")
    case .sourceIDTooLarge(let text):
      Reason("source-id-too-large", "attributionsourceid \"\(text)\" is above the maximum of 255")
    case .destinationNotHTTP(let text):
      Reason("destination-not-http", "attributiondestination \"\(text)\" is not an absolute http or https URL")
    case .noSourceSite(let page):
      Reason("no-source-site", "the top page \"\(page)\" has no site that could be the click's source")
    case .sameSite(let site):
      Reason("same-site", "the destination is on the page's own site, \(site.domain)")
    case .notMainFrame(let target):
      Reason("not-main-frame", "the link is in an iframe and \(Self.navigation(target)); WebKit measures only main frames")
    }
  }

  package var change: String {
    switch self {
    case .measurementDisabled: "set measurementEnabled to true in the browser's settings"
    case .macCatalyst: "build the app for iPhone or iPad: name 1 or 2 in UIDeviceFamily, and register its Info.plist again"
    case .noReportEndpoint(let app):
      "add NSAdvertisingAttributionReportEndpoint with an https URL to the Info.plist of \(app), and register it again"
    case .reportEndpointInvalid:
      "make NSAdvertisingAttributionReportEndpoint an https URL on a registrable domain, such as https://news.example"
    case .tapNotVerified: "cover the tapped control with a UIEventAttributionView (tapVerified: true)"
    case .safariViewControllerHTTP(let opened): "open https\(opened.dropFirst("http".count))"
    case .destinationNotOpened(let opened, let destination):
      "open a URL on \(destination.domain), or make \(opened.domain) the attribution's destination"
    case .landingSiteMismatch(let landing, let destination):
      "redirect to a page on \(destination.domain), or make \(landing.domain) the destination"
    case .noUserGesture: "follow the link by a user gesture (userGesture: true)"
    case .appStoreLink: "link to a page of the destination instead of the App Store"
    case .incompleteWebAd(let ad): ad.change
    case .attributeMissing(let name): "add \(name) to the link"
    case .attributesOfWebAd: "add attributionsourceid to the link, or, for a web ad, link to \(AppStoreURL.form(itemID: nil))"
    case .sourceIDNotANumber, .sourceIDTooLarge: "make attributionsourceid an integer from 0 to 255"
    case .destinationNotHTTP: "make attributiondestination an absolute https URL, such as https://shop.example"
    case .noSourceSite: "show the link on a page with an https URL"
    case .sameSite(let site): "make attributiondestination another site than \(site.domain)"
    case .notMainFrame: "give the link target=\"_top\", or put it on the page itself"
    }
  }

  private static func navigation(_ target: String?) -> String {
    guard let target, !target.isEmpty, target.lowercased() != "_self" else { return "navigates the iframe" }
    return "opens a window with target=\"\(target)\""
  }
}

/// A finding about a click that is kept nevertheless.
package enum ClickNote: Hashable, Sendable {
  case nonceInvalid(text: String)
  case notAWebAd(WebAdFault)
  case textTruncated(member: String, length: Int)
  case visionOS(bundleIdentifier: String)
  case ephemeralClickReplaced(id: Int64)
  case clickReplaced(id: Int64)

  package var reason: Reason {
    switch self {
    case .nonceInvalid(let text):
      Reason("nonce-invalid", "the nonce \"\(text)\" is not 16 bytes in base64url; the click is kept without it")
    case .notAWebAd(let fault):
      Reason(fault.reason.code, "\(fault.reason.detail); the link is measured as a click and not as a web ad")
    case .textTruncated(let member, let length):
      Reason("text-truncated", "\(member) has \(length) characters; the system may truncate it after 100")
    case .visionOS(let app):
      Reason(
        "visionos",
        "\(app) is an app for visionOS; Apple documents the interface there, but whether Safari measures the click is not established"
      )
    case .ephemeralClickReplaced(let id):
      Reason("held-click-replaced", "only one ephemeral click is kept; this click replaces \(RecordName.click(id))")
    case .clickReplaced(let id):
      Reason("click-replaced", "\(RecordName.click(id)) had the same source, destination, and app; only the newest counts")
    }
  }
}
