import PCMCore

extension TryForm {
  /// The calls of a device, in an order that works on a new device. The ads are signed with the published test key of an ad network,
  /// at the time of the browser.
  static let device =
    [adNetwork, sourceApp, advertisedApp, skAdNetworkAd, adAttributionKitAd, clock, adTap, viewEnd]
    + OperationCatalog.device.flatMap(forms)

  private static let adNetwork = TryForm(
    "try-ad-network", "Ad network", "An ad network as it is registered with Apple. The key is the published test key.", "PUT",
    "ad-networks/{adNetwork}", isOfDevice: true, button: "Register the ad network",
    [TryField("{adNetwork}", "Identifier", .value(ExampleAds.adNetwork))]
      + TryField.members(
        of: AdNetworkInput.self,
        [
          "publicKey": .value(publicKey),
          "postbackURL": "https://network.example/.well-known/skadnetwork/report-attribution/",
        ]))

  private static let sourceApp = registration(
    "try-source-app", "App that shows ads", "It lists the ad network, and ads name it by its identifier in the App Store.",
    "com.example.news", ExampleAds.sourceItem,
    """
    {
      "NSAdvertisingAttributionReportEndpoint": "https://news.example",
      "SKAdNetworkItems": [{ "SKAdNetworkIdentifier": "example123.skadnetwork" }],
      "AdNetworkIdentifiers": ["example123.skadnetwork"]
    }
    """)

  private static let advertisedApp = registration(
    "try-advertised-app", "Advertised app", "Its developer receives copies of winning postbacks.", "com.example.game",
    ExampleAds.advertisedItem,
    """
    {
      "NSAdvertisingAttributionReportEndpoint": "https://shop.example",
      "AttributionCopyEndpoint": "https://shop.example",
      "NSUserTrackingUsageDescription": "To measure which ads lead to a purchase."
    }
    """)

  private static func registration(
    _ id: String, _ title: String, _ text: String, _ bundleIdentifier: String, _ item: Int64, _ infoPlist: String
  ) -> TryForm {
    TryForm(
      id, title, text, "PUT", "apps/{bundleIdentifier}", isOfDevice: true, button: "Register the app",
      [TryField("{bundleIdentifier}", "Bundle identifier", .value(bundleIdentifier))]
        + TryField.members(of: AppRegistration.self, ["infoPlist": .value(infoPlist), "itemIdentifier": .value("\(item)")]))
  }

  private static let skAdNetworkAd = TryForm(
    "try-ad", "Ad of SKAdNetwork", "StoreKit renders an ad that the network signed. The device records it as a click.", "POST",
    "impressions", isOfDevice: true, button: "Display the ad",
    TryField.members(
      of: ImpressionInput.self,
      [
        "bundleIdentifier": "com.example.news", "version": "4.0", "adNetworkIdentifier": .value(ExampleAds.adNetwork),
        "sourceIdentifier": .value("\(ExampleAds.sourceIdentifier)"),
        "advertisedAppStoreItemIdentifier": .value("\(ExampleAds.advertisedItem)"),
        "sourceAppStoreItemIdentifier": .value("\(ExampleAds.sourceItem)"),
        "adImpressionIdentifier": .value(ExampleAds.renderedImpression), "timestamp": .signed("timestamp"),
        "signature": .signed("signature"),
      ]))

  private static let adAttributionKitAd = TryForm(
    "try-jws", "Ad of AdAttributionKit", "The app renders the ad itself. Tap it, or end its view, to make it count.", "POST",
    "impressions", isOfDevice: true, button: "Display the ad",
    TryField.members(of: ImpressionInput.self, ["bundleIdentifier": "com.example.news", "jws": .signed("jws")]))

  private static let clock = TryForm(
    "try-clock", "Clock", "The ad is displayed for three seconds. It counts as a view after two.", "POST", "clock/advance",
    isOfDevice: true, button: "Advance the clock", TryField.members(of: ClockAdvance.self, ["by": "PT3S"]))

  private static let displayedAd = TryField(
    "{impression}", "Displayed ad", .response(to: "try-jws", value: "impression-1"))

  private static let adTap = TryForm(
    "try-ad-tap", "Tap on an ad", "A user taps the displayed ad of AdAttributionKit.", "POST", "impressions/{impression}/tap",
    isOfDevice: true, button: "Tap the ad",
    [displayedAd] + TryField.members(of: ImpressionTapInput.self, ["reengagementURL": ""]))

  private static let viewEnd = TryForm(
    "try-view-end", "End of a view", "The app no longer displays the ad.", "POST", "impressions/{impression}/end",
    isOfDevice: true, button: "End the view", [displayedAd])

  /// The public key `ad-network` in `Fixtures/device/keys`, which verifies the examples.
  private static let publicKey =
    "MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAELA+pfuawnvDrMv011HrKsIG3cYpY"
    + "dBrAXQx7j5dMcaEmtv8kxThThXUOzOCy9ZnA53nIdFp0Q1fFxOkPDPiLGw=="
}
