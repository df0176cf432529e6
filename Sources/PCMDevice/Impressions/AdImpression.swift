package import PCMCore
package import PCMCrypto

/// The values of an ad that its ad network signed.
package enum SignedImpression: Hashable, Codable, Sendable {
  case skAdNetwork(SKAdNetworkImpression)
  case adAttributionKit(AdAttributionKitImpression)
}

/// An ad that an app displays or that the device recorded: a view or a click (references, sections 2 and 3).
package struct AdImpression: Hashable, Codable, Sendable {
  package let signed: SignedImpression
  /// A click for every ad that StoreKit renders and for web ads, whose fidelity type is 1.
  package let interaction: InteractionType
  /// The bundle identifier of the source app; nil for a website.
  package let sourceApp: String?
  /// The SDK of the source app; nil for a website.
  package let sourceSDK: OSVersion?
  /// Whether the ad serves only for tests: its source app is 0 or signed for development, or developer mode was on for a web
  /// ad.
  package let isDevelopment: Bool
  /// When the view of an ad on display started, or when the device recorded the ad. Ages and the order of ads count from here and not from the signed time, which the ad
  /// network chooses.
  package var recordedAt: Instant

  package init(
    signed: SignedImpression, interaction: InteractionType, sourceApp: String?, sourceSDK: OSVersion?, isDevelopment: Bool,
    recordedAt: Instant
  ) {
    self.signed = signed
    self.interaction = interaction
    self.sourceApp = sourceApp
    self.sourceSDK = sourceSDK
    self.isDevelopment = isDevelopment
    self.recordedAt = recordedAt
  }

  package var framework: AdFramework { signed.framework }
  /// The version of SKAdNetwork; nil for AdAttributionKit.
  package var version: SKAdNetworkVersion? { signed.version }
  package var adNetworkIdentifier: String { signed.adNetworkIdentifier }
  package var advertisedAppStoreItemIdentifier: Int64 { signed.advertisedAppStoreItemIdentifier }
  package var source: AdSource? { signed.source }
}

extension SignedImpression {
  package var framework: AdFramework {
    switch self {
    case .skAdNetwork: .skadnetwork
    case .adAttributionKit: .adattributionkit
    }
  }

  package var version: SKAdNetworkVersion? {
    switch self {
    case .skAdNetwork(let impression): impression.version
    case .adAttributionKit: nil
    }
  }

  package var adNetworkIdentifier: String {
    switch self {
    case .skAdNetwork(let impression): impression.adNetworkIdentifier
    case .adAttributionKit(let impression): impression.adNetworkIdentifier
    }
  }

  package var advertisedAppStoreItemIdentifier: Int64 {
    switch self {
    case .skAdNetwork(let impression): impression.itemIdentifier
    case .adAttributionKit(let impression): impression.advertisedItemIdentifier
    }
  }

  /// Where the ad was displayed; nil in version 1.0, which does not say it.
  package var source: AdSource? {
    switch self {
    case .skAdNetwork(let impression): impression.source
    case .adAttributionKit(let impression): .app(impression.publisherItemIdentifier)
    }
  }

  /// When the ad network signed the ad, in milliseconds since 1970.
  package var timestamp: Int64 {
    switch self {
    case .skAdNetwork(let impression): impression.timestamp
    case .adAttributionKit(let impression): impression.timestamp
    }
  }
}

/// An impression that the device keeps or an app displays, with its number in the log and the API.
package struct KeptImpression: Hashable, Identifiable, Codable, Sendable {
  package let id: Int64
  package var impression: AdImpression

  package init(id: Int64, impression: AdImpression) {
    self.id = id
    self.impression = impression
  }
}

/// What happens to an ad.
package enum ImpressionDecision: Hashable, Sendable {
  /// - Parameter notes: Findings about an ad that counts nevertheless.
  case record(AdImpression, _ notes: [Reason])
  /// The ad is on display. It counts after its end, if it was displayed long enough.
  case open(AdImpression, _ notes: [Reason])
  case reject(Violation)
}

extension AdImpression {
  /// The findings about an ad that counts nevertheless.
  func notes(at now: Instant) -> [Reason] {
    let (difference, isOverflow) = signed.timestamp.subtractingReportingOverflow(now.milliseconds)
    let interval = Interval(milliseconds: isOverflow ? .max : difference)
    let isOff = isOverflow || difference.magnitude > Self.tolerance.milliseconds.magnitude
    return (isDevelopment ? [Self.developmentNote] : [])
      + (isOff ? [Reason("timestamp-off", "the signed time differs from the device's clock by \(interval.words)")] : [])
  }

  package static let developmentNote = Reason(
    "development-impression", "this is a development impression; any production impression for the app takes precedence")

  /// What the catalog says about the notes. The ad of a postback that a developer creates has no other reason than the first.
  static let titlesOfNotes = [
    RuleTitle(
      reason: "development-impression",
      "The ad serves only for tests. Its source app is 0 or signed for development, or developer mode was on for a web ad.",
      .developerMode, change: "sign the ad for the identifier of the source app, which a store has signed"),
    RuleTitle(
      reason: "timestamp-off",
      "The signed time differs from the device's clock by more than a day. The ad is recorded nevertheless.",
      .assumption("Apple documents no limit"), change: "sign the time at which the ad is displayed, in milliseconds"),
    RuleTitle(
      reason: "payload-member-unknown", "The payload has a member that AdAttributionKit does not know. It is ignored.",
      .jwsImpressions, change: "remove the member"),
  ]

  /// Differences up to a day are not worth a note.
  static let tolerance = Interval.days(1)
}

/// How an app displays an ad.
package enum ImpressionPresentation: String, Hashable, Codable, Sendable, CaseIterable {
  case storeKitRendered = "storekit-rendered"
  case viewThrough = "view-through"
  case customRendered = "custom-rendered"
}
