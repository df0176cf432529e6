extension TryForm {
  /// The calls of Private Click Measurement in an order that works in a new browser.
  static let web = [network, app, tap, link, trigger, site, load]

  private static let network = TryForm(
    "try-network", "Network", "Simulated sites accept every report, and no connection leaves the service.", "PUT", "network",
    button: "Use this network",
    [
      TryField(
        "/mode", "Network", "simulated",
        kind: .choice([.init(value: "simulated", title: "Simulated sites"), .init(value: "real", title: "Real endpoints")]))
    ])

  private static let app = TryForm(
    "try-app", "App", "The Info.plist of the app that shows ads. Its report endpoint is the source of clicks.", "PUT", "apps",
    button: "Register the app", [TryField("", "Info.plist", manifest, kind: .manifest)])

  private static let tap = TryForm(
    "try-tap", "Tapped ad", "The app opens a URL with a UIEventAttribution.", "POST", "event-attributions",
    button: "Tap the ad",
    [
      TryField("/bundleIdentifier", "Bundle identifier", "com.example.news"),
      TryField("/sourceIdentifier", "Source identifier, 0 to 255", "4", kind: .number),
      TryField("/destinationURL", "Destination", "https://shop.example/stand"),
      TryField("/sourceDescription", "Description", "Banner ad for Tablet Stand Deluxe."),
      TryField("/purchaser", "Purchaser", "Shop Example, Inc."),
      TryField(
        "/presentation", "Presentation", "openURL",
        kind: .choice([
          .init(value: "openURL", title: "openURL"), .init(value: "safariViewController", title: "safariViewController"),
        ])),
      TryField("/tapVerified", "Verified tap", "true", kind: .flag),
    ])

  private static let link = TryForm(
    "try-link", "Link click", "A user follows a link with attribution attributes on a page.", "POST", "link-clicks",
    button: "Follow the link",
    [
      TryField("/pageURL", "Page", "https://social.example/feed"),
      TryField("/attributionSourceID", "attributionsourceid", "7"),
      TryField("/attributionDestination", "attributiondestination", "https://shop.example"),
      TryField("/attributionSourceNonce", "attributionsourcenonce (optional)"),
      TryField("/landingURL", "Landing page (optional)"),
      TryField("/userGesture", "Followed by the user", "true", kind: .flag),
    ])

  private static let trigger = TryForm(
    "try-trigger", "Triggering event", "A pixel of the source on a page of the destination.", "POST", "triggering-events",
    button: "Load the pixel",
    [
      TryField("/firstPartyURL", "Page", "https://shop.example/thanks"),
      TryField("/pixelOf", "Host of the pixel", "news.example"),
      TryField("/triggerData", "Trigger data, 0 to 15", "12", kind: .number),
      TryField("/priority", "Priority, 0 to 63", "3", kind: .number),
      TryField("/bundleIdentifier", "App that shows the page (optional)"),
    ])

  private static let site = TryForm(
    "try-site", "Simulated site", "The pages of a host by path and query. The pixel redirects to the trigger path.", "PUT",
    "sites/{host}", button: "Set up the site",
    [
      TryField("{host}", "Host", "social.example"),
      TryField(
        "/loads", "Pages as JSON",
        """
        {
          "/pixel": { "location": "/.well-known/private-click-measurement/trigger-attribution/12" }
        }
        """, kind: .json),
    ])

  private static let load = TryForm(
    "try-load", "Load", "A page requests a URL. The service follows its redirects and evaluates each one.", "POST", "loads",
    button: "Load the URL",
    [
      TryField("/firstPartyURL", "Page", "https://shop.example/thanks"),
      TryField("/url", "URL", "https://social.example/pixel"),
      TryField(
        "/kind", "Kind", "image",
        kind: .names(["image", "imageset", "script", "fetch", "xhr", "sync-xhr", "frame", "style"])),
      TryField("/method", "Method", "GET", kind: .names(["GET", "POST"])),
      TryField("/bundleIdentifier", "App that shows the page (optional)"),
    ])

  private static let manifest = """
    <?xml version="1.0" encoding="UTF-8"?>
    <plist version="1.0">
    <dict>
      <key>CFBundleIdentifier</key>
      <string>com.example.news</string>
      <key>NSAdvertisingAttributionReportEndpoint</key>
      <string>https://news.example</string>
    </dict>
    </plist>
    """
}
