extension RuleCatalog {
  /// What each rule of Private Click Measurement requires, by its name.
  static let webTexts = clickTexts.merging(linkTexts) { $1 }.merging(triggerTexts) { $1 }.merging(sendingTexts) { $1 }

  private static let clickTexts = [
    "measurement-is-enabled": "The setting measurementEnabled is on.",
    "app-runs-on-iphone-or-ipad": "App-to-web measurement works on iPhone and iPad, and not in Mac Catalyst apps.",
    "manifest-names-report-endpoint": "The app's Info.plist has NSAdvertisingAttributionReportEndpoint.",
    "report-endpoint-is-usable": "The report endpoint is an https URL with a registrable domain, which is the source site.",
    "tap-is-verified": "The tap lands on a control that a UIEventAttributionView covers.",
    "safari-view-controller-opens-https": "The first URL of an SFSafariViewController is https.",
    "destination-is-opened": "The app opens a URL on the site of the ad's destination.",
    "landing-is-on-destination": "After redirects, the page is on the site of the ad's destination.",
  ]

  private static let linkTexts = [
    "user-gesture": "The user follows the link. A script that follows it makes no click.",
    "not-an-app-store-link": "The link does not lead to the App Store, where SKAdNetwork measures it instead.",
    "web-ad-is-complete":
      "A web ad links to exactly https://apps.apple.com/app/id and the app's number, has the ad network's domain as the "
      + "destination, and a nonce.",
    "both-attributes": "The link has both attributes, attributionsourceid and attributiondestination.",
    "source-id-is-a-number": "The attribute attributionsourceid is a non-negative integer.",
    "source-id-at-most-255": "The attribute attributionsourceid is at most 255.",
    "destination-is-http": "The attribute attributiondestination is an absolute http or https URL.",
    "page-has-a-site": "The page with the link has a site, which is the source of the click.",
    "destination-is-another-site": "The destination is on another site than the page with the link.",
    "link-navigates-main-frame": "A link in an iframe has the target _top or _parent. Other links in iframes are not measured.",
  ]

  private static let triggerTexts = [
    "url-is-reached-by-a-redirect": "A redirect leads to the URL. A page that requests it itself triggers nothing.",
    "location-is-an-http-url": "The Location of the redirect is an http or https URL.",
    "redirect-is-followed": "The redirect is among the first 20 of the load.",
    "request-is-asynchronous": "The request is not a synchronous XMLHttpRequest.",
    "path-is-the-trigger-path": "The redirect leads to /.well-known/private-click-measurement/trigger-attribution/.",
    "request-is-not-mixed-content": "A page over https requests its pixel over https.",
    "trigger-url-is-https": "The trigger URL is https.",
    "trigger-url-has-no-credentials": "The trigger URL has no user name and no password.",
    "trigger-url-has-no-fragment": "The trigger URL has no fragment. An empty one (#) counts, too.",
    "trigger-query-is-supported":
      "The query has no parameters but attributionSource and attributionDestinationNonce, once each and with a value.",
    "trigger-data-and-priority-are-in-range":
      "The path ends with the trigger data, 00 to 15, and optionally the priority, 00 to 63, in two digits each.",
    "private-session-holds-a-click": "In a private session, an ephemeral click exists.",
    "held-click-is-alive": "The ephemeral click did not expire.",
    "held-click-fits-pixel": "The ephemeral click has the pixel's site as its source.",
    "held-click-fits-page": "The ephemeral click leads to the site of the page.",
    "redirect-is-same-site": "The host that redirects is on the same site as the trigger URL.",
    "same-site-pixel-names-source": "A pixel on the page's own site names the source with attributionSource.",
    "cross-site-pixel-names-no-source": "A pixel on the source's site has no attributionSource.",
    "destination-nonce-is-valid": "The nonce in attributionDestinationNonce has 16 bytes in base64url.",
    "destination-token-is-signed": "The destination signs the token that the nonce requests.",
    "a-click-is-stored": "A click from the source to the destination is stored, in the same app, and did not expire.",
    "no-report-has-gone-out": "No report about the click was sent.",
    "priority-is-higher": "The priority is higher than that of the earlier triggering event of the click.",
  ]

  private static let sendingTexts = [
    "send-timer-has-fired": "The browser's timer fires. Each firing sends one report.",
    "a-report-is-left": "A report is left to send.",
    "report-is-due": "The report is due: 24 to 48 hours after the attribution, or at once in debug mode.",
    "token-keys-are-unchanged": "The sites serve the same token keys as when they signed.",
    "an-answer-arrived": "The endpoint responds over a verified connection.",
    "answer-is-2xx": "The status of the response is 2xx.",
    "answer-is-200": "The status of the response is 200. For AdAttributionKit, every 2xx status is sufficient.",
    "report-still-counts": "The report was not replaced by another one, and the data was not cleared.",
  ]
}
