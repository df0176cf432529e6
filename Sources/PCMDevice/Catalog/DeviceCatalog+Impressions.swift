internal import PCMCore
internal import PCMSignatures

extension DeviceCatalog {
  static let partyRules: [CatalogEntry] = [
    CatalogEntry(
      "ad-network-id-is-valid", "The identifier of an ad network is valid",
      "It is \(AdNetworkIdentifier.form).", .skAdNetwork("1")),
    CatalogEntry(
      "ad-network-id-is-lower-case", "The identifier of an ad network is in lower case",
      "A device compares identifiers as they are written, and registered ones have no upper-case letter.", .skAdNetwork("1")),
    CatalogEntry(
      "key-is-on-p256", "The ad network's key is on P-256", "Ads of every version are signed on this curve.", .skAdNetwork("2")),
    CatalogEntry(
      "postback-url-is-https", "The ad network receives postbacks over TLS", "Devices send postbacks only to HTTPS URLs.",
      .skAdNetwork("9")),
  ]

  static let impressionRules: [CatalogEntry] = [
    CatalogEntry(
      "app-runs-on-iphone-or-ipad", "The app runs on iPhone, iPad, or Apple Vision",
      "In Mac Catalyst apps and App Clips, the calls do nothing.", .skAdNetwork("1")),
    CatalogEntry(
      "version-is-known", "The version is a version of SKAdNetwork", "Version 1.0 is passed as no version.", .skAdNetwork("2")),
    CatalogEntry(
      "view-through-needs-2-2", "A view-through ad has version 2.2 or later",
      "Earlier versions have no fidelity type and measure only ads that StoreKit renders.", .skAdNetwork("2")),
    CatalogEntry(
      "version-is-supported", "The system and the source app's SDK support the version",
      "Both must be as new as the version. Version 1.0 needs the iOS \(VersionEligibility.lastSDKOfVersion1.text) SDK or "
        + "earlier, or iOS \(VersionEligibility.lastSystemOfVersion1) or earlier. The rule is applied again when the advertised "
        + "app is installed.", .skAdNetwork("3")),
    CatalogEntry(
      "values-are-complete", "The ad has all values of its version",
      "The device composes the signed text from the values that the app passes.", .skAdNetwork("2.1")),
    CatalogEntry(
      "ad-network-is-declared", "The source app's Info.plist lists the ad network",
      "SKAdNetwork reads SKAdNetworkItems, and AdAttributionKit AdNetworkIdentifiers.", .skAdNetwork("1")),
    CatalogEntry(
      "ad-network-is-registered", "The ad network is registered",
      "Its key verifies the ad, and its URL receives the postbacks.", .skAdNetwork("1")),
    CatalogEntry(
      "campaign-is-in-range",
      "The campaign is from \(CampaignIdentifier.campaigns.words), or the source identifier has up to four digits",
      "Versions before 4.0 have campaigns, version 4.0 has source identifiers.", .skAdNetwork("2")),
    CatalogEntry(
      "advertised-app-is-valid", "The advertised app has an identifier of the App Store", "The identifier is positive.",
      .skAdNetwork("2")),
    CatalogEntry(
      "source-app-displays-the-ad", "The ad is signed for the app that displays it",
      "An app that is signed for development has the identifier 0. In developer mode, every app may use 0.", .skAdNetwork("2")),
    CatalogEntry(
      "nonce-is-a-uuid", "The nonce is a UUID", "It is signed in lower case, with hyphens.", .skAdNetwork("2")),
    CatalogEntry(
      "timestamp-is-in-milliseconds", "The timestamp is in milliseconds since 1970",
      "A number before 1973 is a time in seconds.", .skAdNetwork("2")),
    CatalogEntry(
      "signature-is-well-formed", "The signature is Base64 of DER", "A SEQUENCE of two INTEGERs in the standard alphabet.",
      .skAdNetwork("2")),
    CatalogEntry(
      "signature-verifies", "The signature verifies with the ad network's key",
      "The network signs the values in order, joined with U+2063.", .skAdNetwork("2")),
    CatalogEntry(
      "view-has-started", "The view has started", "An end without a successful start is an error.", .skAdNetwork("2.2")),
    CatalogEntry(
      "view-is-long-enough", "The ad was displayed long enough",
      "AdAttributionKit requires two seconds. For SKAdNetwork, minimumViewTime is a setting.", .adAttributionKit("2")),
    CatalogEntry(
      "adattributionkit-is-supported", "The system and the source app's SDK support AdAttributionKit",
      "It begins with iOS \(AdAttributionKitAd.firstSystem.text).",
      .adAttributionKit("1")),
    CatalogEntry(
      "jws-is-well-formed", "The ad is a compact JSON Web Signature",
      "Three parts in Base64URL, of which the first names the algorithm ES256 and the ad network.", .adAttributionKit("2")),
    CatalogEntry(
      "jws-header-is-valid", "The header names the ad network of the payload",
      "kid equals ad-network-identifier, and is not the identifier of a key.",
      .adAttributionKit("2")),
    CatalogEntry(
      "jws-payload-is-valid", "The payload has all members with their types", "Item and source identifiers are integers.",
      .adAttributionKit("2")),
    CatalogEntry(
      "jws-signature-verifies", "The signature verifies with the ad network's key",
      "The network signs the first two parts as they are written. The signature has 64 bytes.", .adAttributionKit("2")),
    CatalogEntry(
      "handle-view-is-supported", "The system has handleView()",
      "It begins with iOS \(AdAttributionKitAd.firstSystemWithHandleView.text). beginView() and endView() remain.",
      .adAttributionKit("13")),
    CatalogEntry(
      "tap-is-verified", "The tap was on a UIEventAttributionView",
      "The view covers the ad, so that a device can tell a tap of the user from a call of the app.", .adAttributionKit("2")),
    CatalogEntry(
      "tap-is-in-time", "The tap is in time after the creation of the impression",
      "A tap counts for \(AdAttributionKitAd.tapLifetime.words). Views have no such limit.",
      .adAttributionKit("2")),
  ]

  static let webAdRules: [CatalogEntry] = [
    CatalogEntry(
      "system-supports-web-ads", "The system is iOS \(WebAdClick.firstSystem.text) or later",
      "Web ads exist from version 4.0 on.", .skAdNetwork("2.3")),
    CatalogEntry(
      "session-is-not-private", "The session is not private", "In private browsing, the link only opens the App Store.",
      .skAdNetwork("2.3")),
    CatalogEntry(
      "payload-response-is-200", "The ad network responds with status 200", "Any other status has no signed values.",
      .skAdNetwork("2.3")),
    CatalogEntry(
      "payload-content-type-is-json", "The response is application/json", "Parameters of the content type are allowed.",
      .skAdNetwork("2.3")),
    CatalogEntry(
      "payload-is-a-json-object", "The response is a JSON object", "Its members are the signed values.", .skAdNetwork("2.3")),
    CatalogEntry("payload-version-is-4-0", "The version is \"4.0\"", "No other version has web ads.", .skAdNetwork("2.3")),
    CatalogEntry(
      "payload-values-are-valid", "The response has all members with their types", "The nonce is a UUID in lower case.",
      .skAdNetwork("2.3")),
    CatalogEntry(
      "payload-advertises-linked-app", "The signed app is the linked one", "itunes_item_id equals the number in the link.",
      .skAdNetwork("2.3")),
    CatalogEntry(
      "payload-nonce-is-requested", "The signed nonce is the requested one",
      "The request has the 16 bytes in Base64URL, the response as a UUID.", .skAdNetwork("2.3")),
    CatalogEntry(
      "payload-source-domain-is-requested", "The signed source domain is the requested one",
      "Whether it is the displaying site or the ad network is a setting.", .skAdNetwork("2.3")),
    CatalogEntry(
      "payload-signature-verifies", "The signature verifies with the ad network's key",
      "The fidelity type 1 is signed and not sent.", .skAdNetwork("2.3")),
  ]
}
