extension TryForm {
  /// The calls of a device in an order that works on a new one. The ads are signed with the published test key of an ad network, at the time of the browser.
  static let device = [
    adNetwork, sourceApp, advertisedApp, skAdNetworkAd, adAttributionKitAd, clock, adTap, viewEnd, install, launch,
    conversionValue,
  ]

  private static let adNetwork = TryForm(
    "try-ad-network", "Ad network", "An ad network as it is registered with Apple. The key is the published test key.", "PUT",
    "ad-networks/{adNetwork}", isOfDevice: true, button: "Register the ad network",
    [
      TryField("{adNetwork}", "Identifier", ExampleAds.adNetwork),
      TryField("/postbackURL", "Postback URL", "https://network.example/.well-known/skadnetwork/report-attribution/"),
      TryField("/publicKey", "Public key", publicKey),
    ])

  private static let sourceApp = TryForm(
    "try-source-app", "App that shows ads", "It lists the ad network, and ads name it by its identifier in the App Store.",
    "PUT",
    "apps/{bundleIdentifier}", isOfDevice: true, button: "Register the app",
    [
      TryField("{bundleIdentifier}", "Bundle identifier", "com.example.news"),
      TryField("/itemIdentifier", "App Store identifier", "\(ExampleAds.sourceItem)", kind: .number),
      TryField(
        "/infoPlist", "Info.plist as JSON",
        """
        {
          "NSAdvertisingAttributionReportEndpoint": "https://news.example",
          "SKAdNetworkItems": [{ "SKAdNetworkIdentifier": "example123.skadnetwork" }],
          "AdNetworkIdentifiers": ["example123.skadnetwork"]
        }
        """, kind: .json),
    ])

  private static let advertisedApp = TryForm(
    "try-advertised-app", "Advertised app", "Its developer receives copies of winning postbacks.", "PUT",
    "apps/{bundleIdentifier}", isOfDevice: true, button: "Register the app",
    [
      TryField("{bundleIdentifier}", "Bundle identifier", "com.example.game"),
      TryField("/itemIdentifier", "App Store identifier", "\(ExampleAds.advertisedItem)", kind: .number),
      TryField(
        "/infoPlist", "Info.plist as JSON",
        """
        {
          "NSAdvertisingAttributionReportEndpoint": "https://shop.example",
          "AttributionCopyEndpoint": "https://shop.example"
        }
        """, kind: .json),
    ])

  private static let skAdNetworkAd = TryForm(
    "try-ad", "Ad of SKAdNetwork", "StoreKit renders an ad that the network signed. The device records it as a click.", "POST",
    "impressions", isOfDevice: true, button: "Display the ad",
    [
      TryField("/bundleIdentifier", "App that shows the ad", "com.example.news"), TryField("/version", "Version", "4.0"),
      TryField("/adNetworkIdentifier", "Ad network", ExampleAds.adNetwork),
      TryField("/sourceIdentifier", "Source identifier, 0 to 9999", "\(ExampleAds.sourceIdentifier)", kind: .number),
      TryField("/advertisedAppStoreItemIdentifier", "Advertised app", "\(ExampleAds.advertisedItem)", kind: .number),
      TryField("/sourceAppStoreItemIdentifier", "Source app", "\(ExampleAds.sourceItem)", kind: .number),
      TryField("/adImpressionIdentifier", "Impression", ExampleAds.renderedImpression),
      TryField("/timestamp", "Time of the signature, in milliseconds", kind: .number, example: "timestamp"),
      TryField("/signature", "Signature", example: "signature"),
    ])

  private static let adAttributionKitAd = TryForm(
    "try-jws", "Ad of AdAttributionKit", "The app renders the ad itself. Tap it, or end its view, to make it count.", "POST",
    "impressions", isOfDevice: true, button: "Display the ad",
    [
      TryField("/bundleIdentifier", "App that shows the ad", "com.example.news"),
      TryField("/jws", "JSON Web Signature", example: "jws"),
    ])

  private static let clock = TryForm(
    "try-clock", "Clock", "The ad is displayed for three seconds. It counts as a view after two.", "POST", "clock/advance",
    isOfDevice: true, button: "Advance the clock", [TryField("/by", "Duration", "PT3S")])

  private static let adTap = TryForm(
    "try-ad-tap", "Tap on an ad", "A user taps the displayed ad of AdAttributionKit.", "POST", "impressions/{impression}/tap",
    isOfDevice: true, button: "Tap the ad",
    [
      TryField("{impression}", "Displayed ad", "impression-1", filledBy: "try-jws"),
      TryField("/reengagementURL", "Re-engagement URL (optional)"),
      TryField("/tapVerified", "Verified tap", "true", kind: .flag),
    ])

  private static let viewEnd = TryForm(
    "try-view-end", "End of a view", "The app no longer displays the ad.", "POST", "impressions/{impression}/end",
    isOfDevice: true, button: "End the view",
    [TryField("{impression}", "Displayed ad", "impression-1", filledBy: "try-jws")])

  private static let install = TryForm(
    "try-install", "Install", "A user installs the advertised app. The device compares the ads, and one wins.", "POST",
    "installs",
    isOfDevice: true, button: "Install the app",
    [
      TryField("/bundleIdentifier", "Bundle identifier", "com.example.game"),
      TryField("/country", "Country (optional)"),
    ])

  private static let launch = TryForm(
    "try-launch", "Launch", "A user opens the app. The first launch starts the conversion windows.", "POST", "launches",
    isOfDevice: true, button: "Open the app", [TryField("/bundleIdentifier", "Bundle identifier", "com.example.game")])

  private static let conversionValue = TryForm(
    "try-value", "Conversion value", "The app reports a value for the current window.", "POST", "conversion-values",
    isOfDevice: true, button: "Report the value",
    [
      TryField("/bundleIdentifier", "Bundle identifier", "com.example.game"),
      TryField("/fineValue", "Fine value, 0 to 63", "42", kind: .number),
      TryField(
        "/coarseValue", "Coarse value", "",
        kind: .choice([
          .init(value: "", title: "None"), .init(value: "low", title: "Low"), .init(value: "medium", title: "Medium"),
          .init(value: "high", title: "High"),
        ])),
      TryField("/lockWindow", "Lock the window", "false", kind: .flag),
    ])

  /// The public key `ad-network` in `Fixtures/device/keys`, which verifies the examples.
  private static let publicKey =
    "MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAELA+pfuawnvDrMv011HrKsIG3cYpY"
    + "dBrAXQx7j5dMcaEmtv8kxThThXUOzOCy9ZnA53nIdFp0Q1fFxOkPDPiLGw=="
}
