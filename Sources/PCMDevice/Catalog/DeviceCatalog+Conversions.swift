internal import PCMCore
internal import PCMSignatures

extension DeviceCatalog {
  static let installRules: [CatalogEntry] = [
    CatalogEntry(
      "app-is-signed-by-a-store", "The installed app is signed by a store",
      "In developer mode, ads for tests count for an app that is signed for development, too.", .skAdNetwork("3")),
    CatalogEntry(
      "framework-serves-marketplace", "The framework serves the app's marketplace",
      "SKAdNetwork serves the App Store. AdAttributionKit serves every marketplace.", .adAttributionKit("1")),
    CatalogEntry(
      "interaction-is-not-ignored", "The advertised app does not ignore the interaction",
      "ignoreInteractionType excludes views or clicks of one ad network.", .adAttributionKit("7")),
    CatalogEntry(
      "install-is-in-the-window", "The app is installed in time after the interaction",
      "24 hours after a view and 30 days after a click. AttributionWindows changes these times for AdAttributionKit.",
      .skAdNetwork("3")),
    CatalogEntry(
      "app-has-no-cooldown", "No cooldown of the app is running",
      "AttributionCooldown excludes new AdAttributionKit conversions for up to \(AppAdAttribution.Cooldowns.hours.upperBound) hours.",
      .adAttributionKit("7")),
    CatalogEntry(
      "production-precedes-development", "No production ad for the app is eligible",
      "Ads for tests are ignored when any production ad can win.", .adAttributionKit("10")),
    CatalogEntry(
      "ad-is-among-the-first-six", "The ad is among the first six",
      "Clicks come before views, and later ads before earlier ones, of both frameworks together.", .skAdNetwork("3")),
    CatalogEntry(
      "system-has-runners-up", "The system and the version have postbacks for runners-up",
      "iOS \(InstallPlace.firstSystem.text), and version \(InstallPlace.firstVersion.rawValue) or AdAttributionKit.",
      .skAdNetwork("3")),
    CatalogEntry(
      "network-has-not-won", "The ad network has not won", "A network receives one postback for an install.", .skAdNetwork("3")),
    CatalogEntry(
      "network-is-runner-up-once", "The ad network has no better runner-up", "A network receives one postback for an install.",
      .skAdNetwork("3")),
  ]

  static let conversionRules: [CatalogEntry] = [
    CatalogEntry(
      "system-has-re-engagement", "The system is iOS \(ReengagementTap.firstSystem.major) or later",
      "Earlier systems only open the app.", .adAttributionKit("8")),
    CatalogEntry(
      "interaction-is-a-click", "The user tapped the ad", "A view is not a re-engagement.", .adAttributionKit("3")),
    CatalogEntry(
      "ad-allows-re-engagement", "The ad is eligible for re-engagement", "Its payload has eligible-for-re-engagement true.",
      .adAttributionKit("2")),
    CatalogEntry("ad-is-for-the-app", "The ad is for the app", "Its advertised app is the installed one.", .skAdNetwork("3")),
    CatalogEntry(
      "value-is-in-range", "The fine value is from \(ConversionValue.fineValues.words)", "The earlier value is kept.",
      .skAdNetwork("4")),
    CatalogEntry(
      "conversion-is-pending", "A conversion of the app is pending",
      "Without one, the call is ignored, and the app does not learn whether there is one.", .skAdNetwork("4")),
    CatalogEntry(
      "call-reaches-framework", "The call reaches the framework of the conversion",
      "SKAdNetwork calls with a value are mirrored into AdAttributionKit. Registrations, and the calls of AdAttributionKit, are "
        + "not mirrored.", .adAttributionKit("4")),
    CatalogEntry(
      "conversion-tag-is-supported", "The app may use conversion tags",
      "iOS \(ReengagementTap.firstSystemWithTags.text), and EligibleForAdAttributionKitOverlappingConversions in the Info.plist.",
      .adAttributionKit("4")),
    CatalogEntry(
      "conversion-tag-is-known", "A pending re-engagement has the conversion tag",
      "The app receives it in the URL with which it opens.", .adAttributionKit("4")),
    CatalogEntry(
      "conversion-type-is-pending", "A conversion of one of the types is pending", "conversionTypes selects the conversions.",
      .adAttributionKit("4")),
    CatalogEntry(
      "first-launch-is-in-time", "The first launch is in time",
      "It counts for \(Conversion.launchLimit.words) after the install. A call of the app is a launch, too.", .skAdNetwork("3")),
    CatalogEntry(
      "conversion-is-open", "The conversion is open",
      "Values are final after the timer or the last window. Without an update, the conversion ends "
        + "\(Conversion.firstUpdateLimit(.install).words) after an install, and "
        + "\(Conversion.firstUpdateLimit(.reengagement).words) after a re-engagement.", .skAdNetwork("4")),
    CatalogEntry(
      "window-is-not-locked", "The window is not locked", "Updates count again from the next window on.", .skAdNetwork("5")),
    CatalogEntry(
      "value-counts", "The value counts",
      "Before version 4.0, only a greater value does. In later versions, fine values count in the first window only.",
      .skAdNetwork("4")),
  ]
}
