internal import PCMCore
internal import PCMSignatures

extension DeviceCatalog {
  static let impressionReasons: [CatalogEntry] = [
    CatalogEntry(
      "platform-unsupported", "The app does not run on iPhone or iPad",
      "In Mac Catalyst apps and App Clips, the calls do nothing.", .skAdNetwork("1")),
    CatalogEntry(
      "version-unknown", "The version does not exist", "SKAdNetwork has 1.0, 2.0, 2.1, 2.2, 3.0, and 4.0.", .skAdNetwork("2")),
    CatalogEntry(
      "view-through-too-old", "The version has no view-through ads", "They begin with version 2.2.", .skAdNetwork("2.2")),
    CatalogEntry(
      "version-not-supported", "The system or the SDK is too old for the version, or both are too new for version 1.0",
      "Both must support the version.", .skAdNetwork("3")),
    CatalogEntry("value-missing", "The ad lacks a value", "All signed values must be passed.", .skAdNetwork("2.1")),
    CatalogEntry(
      "ad-network-id-invalid", "The identifier is not one of an ad network", "It is \(AdNetworkIdentifier.form).",
      .skAdNetwork("1")),
    CatalogEntry(
      "ad-network-id-not-lower-case", "The identifier of the ad network has upper-case letters",
      "A device does not recognize it.", .skAdNetwork("1")),
    CatalogEntry(
      "ad-network-not-declared", "The Info.plist does not list the ad network",
      "SKAdNetwork reads SKAdNetworkItems, and AdAttributionKit AdNetworkIdentifiers.", .skAdNetwork("1")),
    CatalogEntry(
      "ad-network-not-registered", "The ad network is not registered",
      "Without a key, no ad can be verified; without a URL, no postback can be sent.", .skAdNetwork("1")),
    CatalogEntry(
      "ad-network-key-wrong-curve", "The ad network's key is not on P-256", "Ads of every version are signed on this curve.",
      .skAdNetwork("2")),
    CatalogEntry(
      "postback-url-not-https", "The postback URL does not use HTTPS", "Devices send postbacks only to HTTPS URLs.",
      .skAdNetwork("9")),
    CatalogEntry(
      "too-many-impressions", "The device has no room for the ad", "It keeps a thousand ads.", .skAdNetwork("3")),
    CatalogEntry(
      "item-identifier-missing", "The app is registered without its identifier in the App Store",
      "Ads name the advertised app by it, and an Info.plist does not contain it.", .skAdNetwork("2")),
    CatalogEntry(
      "no-impression", "The device keeps no ad for the app", "Only an ad that was recorded before the install counts.",
      .skAdNetwork("3")),
    CatalogEntry(
      "no-impression-counts", "No ad for the app counts", "Each ad has its own reason.", .skAdNetwork("3")),
    CatalogEntry(
      "campaign-out-of-range", "The campaign is not from \(CampaignIdentifier.campaigns.words)",
      "Versions before 4.0 have a hundred campaigns.",
      .skAdNetwork("2")),
    CatalogEntry(
      "source-identifier-out-of-range", "The source identifier has more than four digits",
      "Postbacks have its last two, three, or four digits.", .skAdNetwork("2")),
    CatalogEntry(
      "advertised-app-invalid", "The advertised app has no valid identifier", "The identifier is positive.", .skAdNetwork("2")),
    CatalogEntry(
      "source-app-invalid", "The source app has no valid identifier", "The identifier is positive, or 0 for development.",
      .skAdNetwork("2")),
    CatalogEntry(
      "source-app-mismatch", "The ad is signed for another source app",
      "Another app displays it, or it is signed for production instead of development.", .skAdNetwork("2")),
    CatalogEntry(
      "nonce-not-a-uuid", "The nonce is not a UUID", "It has 32 hexadecimal digits in five groups.", .skAdNetwork("2")),
    CatalogEntry(
      "timestamp-not-milliseconds", "The timestamp is not in milliseconds", "Most often it is in seconds.", .skAdNetwork("2")),
    CatalogEntry(
      "signature-malformed", "The signature cannot be read",
      "SKAdNetwork has Base64 of DER, AdAttributionKit 64 bytes in Base64URL.", .skAdNetwork("2")),
    CatalogEntry(
      "signature-invalid", "The signature does not verify", "The key, a value, the order, or the separator differs.",
      .skAdNetwork("2")),
    CatalogEntry(
      "sdk-too-old", "The app's SDK is too old",
      "AdAttributionKit begins with the iOS \(AdAttributionKitAd.firstSystem.text) SDK.", .adAttributionKit("1")),
    CatalogEntry(
      "system-too-old", "The system is too old", "The rule that failed names the first version.", .adAttributionKit("1")),
    CatalogEntry(
      "jws-components-invalid", "The JSON Web Signature does not have three parts", "Two periods separate them.",
      .adAttributionKit("2")),
    CatalogEntry(
      "jws-header-invalid", "The header cannot be used", "alg is ES256, and kid names the ad network.", .adAttributionKit("2")),
    CatalogEntry(
      "jws-payload-invalid", "The payload cannot be used", "A member is missing or has another type.", .adAttributionKit("2")),
    CatalogEntry(
      "tap-not-verified", "The tap was not on a UIEventAttributionView", "The view must cover the tapped ad.",
      .adAttributionKit("2")),
    CatalogEntry(
      "app-impression-not-created", "The tap is before the creation of the impression", "An app creates it first.",
      .adAttributionKit("2")),
    CatalogEntry(
      "app-impression-expired", "The impression was created too long before the tap",
      "A tap counts for \(AdAttributionKitAd.tapLifetime.words). Create the impression when the ad appears.",
      .adAttributionKit("2")),
    CatalogEntry("private-session", "The session is private", "Private browsing measures nothing.", .skAdNetwork("2.3")),
    CatalogEntry(
      "payload-status", "The ad network did not respond with status 200",
      "The signed values are in a response with status 200.", .skAdNetwork("2.3")),
    CatalogEntry(
      "payload-content-type", "The response is not application/json", "The content type is required.", .skAdNetwork("2.3")),
    CatalogEntry(
      "payload-not-an-object", "The response is not a JSON object", "Its members are the signed values.", .skAdNetwork("2.3")),
    CatalogEntry(
      "payload-version", "The response has another version than 4.0", "Web ads exist from version 4.0 on.", .skAdNetwork("2.3")),
    CatalogEntry(
      "payload-invalid", "A member of the response is missing or has another type", "The detail names the member.",
      .skAdNetwork("2.3")),
    CatalogEntry(
      "payload-mismatch", "A signed value is not that of the click", "App, nonce, and source domain are those of the request.",
      .skAdNetwork("2.3")),
    CatalogEntry(
      "development-impression", "The ad serves only for tests",
      "Its source app is 0 or signed for development, or developer mode was on for a web ad.",
      .skAdNetwork("10")),
    CatalogEntry(
      "timestamp-off", "The signed time differs from the clock by more than a day",
      "Only the device's clock counts, so the ad is recorded.", .skAdNetwork("2")),
    CatalogEntry(
      "payload-member-unknown", "The payload has a member that the device does not read",
      "The ad is recorded without it. The detail names the member that it resembles.", .adAttributionKit("2")),
  ]

  static let tableReasons: [CatalogEntry] = [
    CatalogEntry("view-not-started", "No view has started", "An end needs a successful start.", .skAdNetwork("2.2")),
    CatalogEntry(
      "view-too-short", "The ad was not displayed long enough", "Two seconds, or the setting minimumViewTime.",
      .adAttributionKit("2")),
    CatalogEntry(
      "view-replaced", "A second start replaced the view", "An app displays one ad for an advertised app at a time.",
      .skAdNetwork("2.2")),
    CatalogEntry(
      "too-many-views", "Fifteen views of a source app are kept", "A newer view drops the oldest.", .skAdNetwork("3")),
    CatalogEntry(
      "impression-expired", "The ad is too old",
      "A view counts for 24 hours and a click for 30 days, unless the advertised app changes it.", .skAdNetwork("3")),
    CatalogEntry(
      "view-not-ended", "The view did not end", "A view is open for \(ImpressionTable.longestView.words) at most.",
      .skAdNetwork("2.2")),
    CatalogEntry(
      "impression-used", "The ad took part in an earlier decision", "An ad counts for one install.", .skAdNetwork("3")),
  ]

  static let installReasons: [CatalogEntry] = [
    CatalogEntry("other-app", "The ad is for another app", "The advertised app is the installed one.", .skAdNetwork("3")),
    CatalogEntry(
      "app-not-from-store", "The app is signed for development", "Only ads for tests in developer mode count.",
      .skAdNetwork("3")),
    CatalogEntry(
      "other-marketplace", "The app is not from the App Store", "SKAdNetwork measures only the App Store.",
      .adAttributionKit("1")),
    CatalogEntry(
      "interaction-ignored", "The advertised app ignores the interaction", "ignoreInteractionType excludes it.",
      .adAttributionKit("7")),
    CatalogEntry("cooldown", "A cooldown is running", "AttributionCooldown follows each conversion.", .adAttributionKit("7")),
    CatalogEntry(
      "development-impression-ignored", "A production ad for the app is eligible", "Ads for tests and others never mix.",
      .adAttributionKit("10")),
    CatalogEntry("beyond-six", "Six ads are considered", "The winner and five more.", .skAdNetwork("3")),
    CatalogEntry(
      "runner-up-version", "The version has no runners-up", "Postbacks for ads that did not win begin with version 3.0.",
      .skAdNetwork("3")),
    CatalogEntry(
      "network-won", "The ad network has the winning ad", "A network receives one postback for an install.", .skAdNetwork("3")),
    CatalogEntry(
      "network-already-runner-up", "The ad network has a better runner-up", "A network receives one postback for an install.",
      .skAdNetwork("3")),
    CatalogEntry(
      "re-engagement-needs-a-click", "The interaction is a view", "A view is not a re-engagement.", .adAttributionKit("3")),
    CatalogEntry(
      "not-eligible-for-re-engagement", "The ad is not eligible for re-engagement",
      "Its payload lacks eligible-for-re-engagement true.", .adAttributionKit("2")),
    CatalogEntry(
      "re-engagement-url-dropped", "The URL is not a universal link of the app", "The app opens without a URL.",
      .adAttributionKit("2")),
  ]

  static let conversionReasons: [CatalogEntry] = [
    CatalogEntry(
      "conversion-value-out-of-range", "The value is not from \(ConversionValue.fineValues.words)", "It has six bits.",
      .skAdNetwork("4")),
    CatalogEntry(
      "nothing-pending", "No conversion is pending", "No ad led to an install of the app, or its values are final.",
      .skAdNetwork("4")),
    CatalogEntry(
      "other-framework", "The call does not reach SKAdNetwork", "Only the calls of SKAdNetwork reach both frameworks.",
      .adAttributionKit("4")),
    CatalogEntry(
      "registration-not-mirrored", "The registration does not reach AdAttributionKit",
      "Only calls with a value are mirrored.", .adAttributionKit("4")),
    CatalogEntry(
      "no-conversion-of-type", "No conversion of the type is pending", "conversionTypes selects installs or re-engagements.",
      .adAttributionKit("4")),
    CatalogEntry(
      "conversion-tag-not-supported", "The app may not use conversion tags",
      "They need iOS \(ReengagementTap.firstSystemWithTags.text) and a permission in the Info.plist.", .adAttributionKit("4")),
    CatalogEntry(
      "conversion-tag-unknown", "No re-engagement has the tag", "It is in the URL with which the app opened.",
      .adAttributionKit("4")),
    CatalogEntry(
      "launch-too-late", "The app was launched too late", "The first launch counts for \(Conversion.launchLimit.words).",
      .skAdNetwork("3")),
    CatalogEntry(
      "first-update-too-late", "The first value was reported too late",
      "\(Conversion.firstUpdateLimit(.install).words) after an install, \(Conversion.firstUpdateLimit(.reengagement).words) after a "
        + "re-engagement.", .adAttributionKit("3")),
    CatalogEntry("conversion-ended", "The values are final", "The timer or the last window has ended.", .skAdNetwork("4")),
    CatalogEntry("window-locked", "The window is locked", "The app ended it early.", .skAdNetwork("5")),
    CatalogEntry(
      "coarse-value-missing", "The window needs a coarse value", "Fine values count in the first window only.",
      .skAdNetwork("5")),
    CatalogEntry(
      "fine-value-ignored", "The window ignores the fine value", "Later windows have only a coarse value.", .skAdNetwork("5")),
    CatalogEntry(
      "value-not-greater", "The value is not greater than the earlier one", "Before version 4.0, values only rise.",
      .skAdNetwork("4")),
    CatalogEntry(
      "already-registered", "The app is registered", "A call without a value has an effect only once.", .skAdNetwork("4")),
    CatalogEntry(
      "no-update-in-window", "The app reported no value in the window", "Such a window has no postback.", .skAdNetwork("5")),
    CatalogEntry(
      "never-launched", "The app was never launched", "The first launch counts for \(Conversion.launchLimit.words).",
      .skAdNetwork("3")),
    CatalogEntry(
      "never-updated", "The app never reported a value", "Without a call of the app, there is no postback.",
      .adAttributionKit("4")),
    CatalogEntry(
      "conversion-superseded", "Another conversion replaced this one",
      "Postbacks of windows with a value are scheduled immediately. The others are dropped.", .adAttributionKit("4")),
    CatalogEntry(
      "development-postbacks-cleared", "The developer cleared the development postbacks",
      "The settings delete all that were not sent.", .adAttributionKit("13")),
    CatalogEntry(
      "lowest-tier", "The crowd is too small for the postback", "In tier 0, only the first postback is sent.", .skAdNetwork("6")
    ),
    CatalogEntry(
      "version-without-values", "The version has no conversion values", "They begin with version 2.0.", .skAdNetwork("7")),
    CatalogEntry("runner-up", "The ad did not win", "Only the winner's postback has a conversion value.", .skAdNetwork("6")),
    CatalogEntry(
      "value-not-reported", "The app reported no such value", "A postback has the values of its own window.", .skAdNetwork("5")),
    CatalogEntry(
      "below-privacy-threshold", "The crowd does not meet the privacy threshold",
      "Versions 2.0 to 3.0 then have neither a conversion value nor the source app.", .skAdNetwork("6")),
    CatalogEntry(
      "tier-too-low", "The tier is too low for the field", "The crowd decides what a postback tells.", .skAdNetwork("6")),
    CatalogEntry(
      "country-unknown", "The install has no country", "The country is that of the App Store account.", .skAdNetwork("6")),
    CatalogEntry(
      "country-not-supported", "The system sends no country",
      "Postbacks have a country from iOS \(Conversion.firstSystemWithCountry.text) on.", .adAttributionKit("13")),
    CatalogEntry(
      "copy-not-supported", "The system sends no copies",
      "Developers receive copies from iOS \(Conversion.firstSystemWithCopies.text) on.", .skAdNetwork("9")),
    CatalogEntry(
      "copy-not-requested", "The app does not request copies for re-engagements",
      "EligibleForAdAttributionKitReengagementPostbackCopies requests them.", .adAttributionKit("6")),
    CatalogEntry(
      "copy-endpoint-missing", "The app names no endpoint for copies",
      "NSAdvertisingAttributionReportEndpoint and AttributionCopyEndpoint name it.", .skAdNetwork("9")),
  ]
}
