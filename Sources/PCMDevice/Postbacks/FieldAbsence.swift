package import PCMCore
internal import PCMSignatures

/// Why a postback lacks a field, or has no copy (SKAdNetwork reference, sections 6, 7, and 9; AdAttributionKit reference,
/// sections 5 and 6).
package enum FieldAbsence: Hashable, RuleViolation {
  case versionWithoutValues
  case runnerUp
  /// The app reported no value of the kind that the postback can have.
  ///
  /// - Parameter kind: Nil if a value of any kind would do.
  case valueNotReported(kind: ValueKind?, index: Int)
  /// The tier has only coarse values, and the app reported none in the first window.
  case coarseValueNotReported(CrowdTier)
  case belowThreshold
  case valueTierTooLow(CrowdTier)
  case sourceTierTooLow(CrowdTier)
  case marketplaceTierTooLow(CrowdTier)
  case countryTierTooLow(CrowdTier)
  case countryNotSupported(OSVersion)
  case countryUnknown
  case copyNotSupported(OSVersion)
  case copyNotRequested
  case copyEndpointMissing(AdFramework)

  package enum ValueKind: String, Hashable, Sendable {
    case fine, coarse
  }

  package var reason: Reason {
    switch self {
    case .versionWithoutValues: Reason("version-without-values", "postbacks of version 1.0 have no conversion value")
    case .runnerUp: Reason("runner-up", "only the winner's postback has a conversion value")
    case .valueNotReported(let kind, let index):
      Reason(
        "value-not-reported",
        "the app reported no \(kind.map { "\($0.rawValue) value" } ?? "value") \(index == 0 ? "in time" : "in the window")")
    case .coarseValueNotReported(let tier):
      Reason(
        "value-not-reported",
        "the app reported no coarse value in time, and tier \(tier.rawValue) has only coarse values")
    case .belowThreshold:
      Reason("below-privacy-threshold", "the crowd of the install does not meet the privacy threshold")
    case .valueTierTooLow(let tier): Reason("tier-too-low", "tier \(tier.rawValue) has no conversion value")
    case .sourceTierTooLow(let tier): Reason("tier-too-low", "tier \(tier.rawValue) does not name the source")
    case .marketplaceTierTooLow(let tier): Reason("tier-too-low", "tier \(tier.rawValue) does not name the marketplace")
    case .countryTierTooLow(let tier): Reason("tier-too-low", "the tier of the country is \(tier.rawValue), not 3")
    case .countryNotSupported(let system):
      Reason(
        "country-not-supported",
        "postbacks have a country from iOS \(Conversion.firstSystemWithCountry.text) on, and the device runs iOS \(system.text)"
      )
    case .countryUnknown: Reason("country-unknown", "neither the install nor the device has a country")
    case .copyNotSupported(let system):
      Reason(
        "copy-not-supported",
        "copies begin with iOS \(Conversion.firstSystemWithCopies.text), and the device runs iOS \(system.text)")
    case .copyNotRequested:
      Reason("copy-not-requested", "the advertised app's Info.plist does not request copies for re-engagements")
    case .copyEndpointMissing:
      Reason("copy-endpoint-missing", "the advertised app's Info.plist names no usable endpoint for copies")
    }
  }

  package var change: String {
    switch self {
    case .versionWithoutValues: "sign the ad for version 2.0 or later"
    case .runnerUp: "let this ad win: display it last, or have it tapped"
    case .valueNotReported(let kind, _): "report a \(kind?.rawValue ?? "fine") value before the window or the timer ends"
    case .coarseValueNotReported: "report a coarse value, or set a tier of 2 or 3 with crowdTiers"
    case .belowThreshold: "set crowdTiers.meetsThreshold to true"
    case .valueTierTooLow, .marketplaceTierTooLow: "set a tier of 1 or more with crowdTiers"
    case .sourceTierTooLow: "set tier 3 with crowdTiers"
    case .countryTierTooLow: "set crowdTiers.country to 3"
    case .countryNotSupported: "update the device to iOS \(Conversion.firstSystemWithCountry.text)"
    case .countryUnknown: "pass country with the install"
    case .copyNotSupported: "update the device to iOS \(Conversion.firstSystemWithCopies.text)"
    case .copyNotRequested: "add EligibleForAdAttributionKitReengagementPostbackCopies to the Info.plist"
    case .copyEndpointMissing(.skadnetwork): "add NSAdvertisingAttributionReportEndpoint to the Info.plist"
    case .copyEndpointMissing(.adattributionkit): "add AttributionCopyEndpoint to the Info.plist"
    }
  }
}

extension PostbackOmission {
  init(_ field: Field, _ absence: FieldAbsence) { self.init(field, absence.reason, change: absence.change) }
}

extension PostbackPlan {
  /// The fields that the postback lacks and that another crowd, another version, or a reported value would have added. The
  /// second and third postbacks never name the source, and neither does a runner-up's.
  ///
  /// - Parameters:
  ///   - content: The postback.
  ///   - copy: Why there is no copy for the developer; nil for a postback with one, and for a runner-up.
  func omissions(in content: PlannedPostback.Content, copy: FieldAbsence?) -> [PostbackOmission] {
    let absences: [(PostbackOmission.Field, FieldAbsence?)] = [
      (.conversionValue, content.hasConversionValue ? nil : valueAbsence),
      (.source, content.hasSource || !didWin || order.index > 0 ? nil : sourceAbsence),
      (.countryCode, countryAbsence), (.marketplaceIdentifier, marketplaceAbsence), (.developerCopy, copy),
    ]
    return absences.compactMap { field, absence in absence.map { PostbackOmission(field, $0) } }
  }

  private var valueAbsence: FieldAbsence {
    if version == .v1 { return .versionWithoutValues }
    guard didWin else { return .runnerUp }
    guard let fields = tierFields else {
      return crowd.meetsThreshold ? .valueNotReported(kind: nil, index: order.index) : .belowThreshold
    }
    if fields.hasFineValue { return .valueNotReported(kind: .fine, index: order.index) }
    guard fields.hasCoarseValue else { return .valueTierTooLow(tier) }
    return order.index == 0 ? .coarseValueNotReported(tier) : .valueNotReported(kind: .coarse, index: order.index)
  }

  private var sourceAbsence: FieldAbsence? {
    guard let fields = tierFields else { return version == .v1 || crowd.meetsThreshold ? nil : .belowThreshold }
    return fields.hasSource ? nil : .sourceTierTooLow(tier)
  }

  private var countryAbsence: FieldAbsence? {
    guard let fields = tierFields else { return nil }
    if system < Conversion.firstSystemWithCountry { return .countryNotSupported(system) }
    guard fields.hasCountry else { return .countryTierTooLow(crowd.country) }
    return conversion.country == nil ? .countryUnknown : nil
  }

  private var marketplaceAbsence: FieldAbsence? {
    guard let fields = tierFields, version == nil, !fields.hasMarketplace else { return nil }
    return .marketplaceTierTooLow(tier)
  }

  /// Nil before version 4.0, which has a threshold instead of tiers.
  private var tierFields: PostbackFields? { version.map { $0 < .v4 } ?? false ? nil : fields }
  private var version: SKAdNetworkVersion? { kept.impression.version }
  private var tier: CrowdTier { crowd.choice.tier }
}

extension PlannedPostback.Content {
  fileprivate var hasConversionValue: Bool {
    switch self {
    case .skAdNetwork(let postback): postback.conversionValue != nil
    case .adAttributionKit(let postback): postback.conversionValue != nil
    }
  }

  /// Whether the postback names the source app or the source domain.
  fileprivate var hasSource: Bool {
    switch self {
    case .skAdNetwork(let postback): postback.source != nil
    case .adAttributionKit(let postback): postback.publisherItemIdentifier != nil
    }
  }
}
