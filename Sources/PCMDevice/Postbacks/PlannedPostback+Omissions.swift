package import PCMCore
internal import PCMCrypto

// The reasons a postback lacks a field or has no copy (SKAdNetwork reference, sections 6, 7, and 9; AdAttributionKit
// reference, sections 5 and 6).

extension PlannedPostback {
  /// The missing fields that another crowd, another version, or a reported value would have added. The second and third
  /// postbacks, and postbacks of runners-up, never contain the source.
  package var omissions: [PostbackOmission] {
    let content = content
    let absences: [(PostbackOmission.Field, Violation?)] = [
      (.conversionValue, content.hasConversionValue ? nil : valueAbsence),
      (.source, content.hasSource || !didWin || order.index > 0 ? nil : sourceAbsence),
      (.countryCode, countryAbsence), (.marketplaceIdentifier, marketplaceAbsence), (.developerCopy, copyAbsence),
    ]
    return absences.compactMap { field, absence in
      absence.map { PostbackOmission(field, $0.reason, change: $0.change) }
    }
  }

  private var valueAbsence: Violation {
    if version == .v1 {
      return Violation(
        "version-without-values", "postbacks of version 1.0 have no conversion value",
        change: "sign the ad for version 2.0 or later")
    }
    guard didWin else {
      return Violation(
        "runner-up", "only the winner's postback has a conversion value",
        change: "let this ad win: display it last, or have it tapped")
    }
    guard let fields = tierFields else { return crowd.meetsThreshold ? valueNotReported(nil) : Self.belowThreshold }
    if fields.hasFineValue { return valueNotReported("fine") }
    guard fields.hasCoarseValue else {
      return tierTooLow("tier \(tier) has no conversion value", change: "set a tier of 1 or more with crowdTiers")
    }
    guard order.index == 0 else { return valueNotReported("coarse") }
    return Violation(
      "value-not-reported", "the app reported no coarse value in time, and tier \(tier) has only coarse values",
      change: "report a coarse value, or set a tier of 2 or 3 with crowdTiers")
  }

  /// - Parameter kind: The kind of value that the postback can contain; nil for any kind.
  private func valueNotReported(_ kind: String?) -> Violation {
    Violation(
      "value-not-reported",
      "the app reported no \(kind.map { "\($0) value" } ?? "value") \(order.index == 0 ? "in time" : "in the window")",
      change: "report a \(kind ?? "fine") value before the window or the timer ends")
  }

  private static let belowThreshold = Violation(
    "below-privacy-threshold", "the crowd of the install does not meet the privacy threshold",
    change: "set crowdTiers.meetsThreshold to true")

  private func tierTooLow(_ detail: String, change: String) -> Violation {
    Violation("tier-too-low", detail, change: change)
  }

  private var sourceAbsence: Violation? {
    guard let fields = tierFields else { return version == .v1 || crowd.meetsThreshold ? nil : Self.belowThreshold }
    return fields.hasSource
      ? nil : tierTooLow("tier \(tier) does not name the source", change: "set tier 3 with crowdTiers")
  }

  private var countryAbsence: Violation? {
    guard let fields = tierFields else { return nil }
    let first = Conversion.firstSystemWithCountry.text
    if system < Conversion.firstSystemWithCountry {
      return Violation(
        "country-not-supported",
        "postbacks have a country from iOS \(first) on, and the device runs iOS \(system.text)",
        change: "update the device to iOS \(first)")
    }
    guard fields.hasCountry else {
      return tierTooLow(
        "the tier of the country is \(crowd.country), not 3", change: "set crowdTiers.country to 3")
    }
    guard conversion.country == nil else { return nil }
    return Violation(
      "country-unknown", "neither the install nor the device has a country", change: "pass country with the install")
  }

  private var marketplaceAbsence: Violation? {
    guard let fields = tierFields, version == nil, !fields.hasMarketplace else { return nil }
    return tierTooLow("tier \(tier) does not name the marketplace", change: "set a tier of 1 or more with crowdTiers")
  }

  /// The fields by tier; nil before version 4.0, which has a threshold instead of tiers.
  private var tierFields: PostbackFields? { version.map { $0 < .v4 } ?? false ? nil : fields }
  private var version: SKAdNetworkVersion? { kept.impression.version }
  private var tier: Int64 { crowd.choice.tier }
}

extension Conversion {
  /// Returns the reason the developer receives no copies of the winning postbacks; nil if the app names a site for them.
  func copyAbsence(_ app: DeviceApp, _ device: Device) -> Violation? {
    let (framework, first) = (winner.impression.framework, Self.firstSystemWithCopies)
    if framework == .skadnetwork, device.system < first {
      return Violation(
        "copy-not-supported", "copies begin with iOS \(first.text), and the device runs iOS \(device.system.text)",
        change: "update the device to iOS \(first.text)")
    }
    if type == .reengagement, !app.adAttribution.copiesReengagementPostbacks {
      return Violation(
        "copy-not-requested", "the advertised app's Info.plist does not request copies for re-engagements",
        change: "add EligibleForAdAttributionKitReengagementPostbackCopies to the Info.plist")
    }
    guard app.copySite(framework) == nil else { return nil }
    let key = framework == .skadnetwork ? "NSAdvertisingAttributionReportEndpoint" : "AttributionCopyEndpoint"
    return Violation(
      "copy-endpoint-missing", later: { "the advertised app's Info.plist names no usable endpoint for copies" },
      change: { "add \(key) to the Info.plist" })
  }
}

extension PlannedPostback {
  /// The catalog's entries for the reasons a postback lacks a field or is not sent.
  static let reasons = [
    RuleTitle(
      reason: "ad-network-not-registered",
      "The ad network is not registered. Without a key, no ad can be verified; without a URL, no postback can be sent.",
      .registration, change: "register the ad network with its public key and its postback URL"),
    RuleTitle(
      reason: "lowest-tier", "The crowd is too small for the postback. In tier 0, only the first postback is sent.", .windows,
      change: "set a tier of 1 or more"),
    RuleTitle(
      reason: "version-without-values", "The version has no conversion values. They begin with version 2.0.",
      .postbackParameters, change: "sign the ad for version 2.0 or later"),
    RuleTitle(
      reason: "runner-up", "The ad did not win. Only the winner's postback has a conversion value.", .attributions,
      change: "let this ad win: display it last, or have it tapped"),
    RuleTitle(
      reason: "value-not-reported", "The app reported no such value. A postback has the values of one window.", .windows,
      change: "report a value before the window or the timer ends"),
    RuleTitle(
      reason: "below-privacy-threshold",
      "The crowd does not meet the privacy threshold. Versions 2.0 to 3.0 then have neither a conversion value nor the source app.",
      .postbackParameters, change: belowThreshold.change),
    RuleTitle(
      reason: "tier-too-low", "The tier is too low for the field. The crowd decides what a postback tells.",
      .postbackParameters, change: "set a higher tier with crowdTiers"),
    RuleTitle(
      reason: "country-unknown", "The install has no country. The App Store account determines it.", .appPostbackParameters,
      change: "pass country with the install"),
    RuleTitle(
      reason: "country-not-supported",
      "The system sends no country. Postbacks have a country from iOS \(Conversion.firstSystemWithCountry.text) on.",
      .apple("WWDC25: What's new in AdAttributionKit"),
      change: "update the device to iOS \(Conversion.firstSystemWithCountry.text)"),
    RuleTitle(
      reason: "copy-not-supported",
      "The system sends no copies. Developers receive copies from iOS \(Conversion.firstSystemWithCopies.text) on.",
      .releaseNotes, change: "update the device to iOS \(Conversion.firstSystemWithCopies.text)"),
    RuleTitle(
      reason: "copy-not-requested",
      "The app does not request copies for re-engagements. EligibleForAdAttributionKitReengagementPostbackCopies requests them.",
      .advertisedApp, change: "add EligibleForAdAttributionKitReengagementPostbackCopies to the Info.plist"),
    RuleTitle(
      reason: "copy-endpoint-missing",
      "The app names no endpoint for copies. NSAdvertisingAttributionReportEndpoint and AttributionCopyEndpoint name it.",
      .advertisedApp, change: "add NSAdvertisingAttributionReportEndpoint or AttributionCopyEndpoint to the Info.plist"),
  ]
}

extension PlannedPostback.Content {
  fileprivate var hasConversionValue: Bool {
    switch self {
    case .skAdNetwork(let postback): postback.conversionValue != nil
    case .adAttributionKit(let postback): postback.conversionValue != nil
    }
  }

  /// Whether the postback contains the source app or the source domain.
  fileprivate var hasSource: Bool {
    switch self {
    case .skAdNetwork(let postback): postback.source != nil
    case .adAttributionKit(let postback): postback.publisherItemIdentifier != nil
    }
  }
}
