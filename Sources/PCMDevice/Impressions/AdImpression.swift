package import PCMCore
package import PCMCrypto

/// The values that the ad network signed. They are large and on the heap, so that a copy of an ad costs one reference.
package indirect enum SignedImpression: Hashable, Codable, Sendable {
  case skAdNetwork(SKAdNetworkImpression)
  case adAttributionKit(AdAttributionKitImpression)
}

/// An ad that an app displays, or a view or click that the device recorded (references, sections 2 and 3).
package struct AdImpression: Hashable, Codable, Sendable {
  package var signed: SignedImpression
  /// A click for web ads, and for ads that StoreKit renders, which have the fidelity type 1.
  package let interaction: InteractionType
  /// The bundle identifier of the source app; nil for a website.
  package let sourceApp: String?
  /// The SDK of the source app; nil for a website.
  package let sourceSDK: OSVersion?
  /// Whether the ad is for development: its source app is 0 or signed for development, or developer mode was on for a web ad.
  package let isDevelopment: Bool
  /// The time at which the view started, or at which the device recorded the ad. Ages and the order of ads are based on this
  /// time and not on the signed time, which the ad network chooses.
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

  /// The place where the ad was displayed; nil in version 1.0, which does not contain it.
  package var source: AdSource? {
    switch self {
    case .skAdNetwork(let impression): impression.source
    case .adAttributionKit(let impression): .app(impression.publisherItemIdentifier)
    }
  }

  /// The time of the ad network's signature, in milliseconds since 1970.
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
  package let impression: AdImpression

  package init(id: Int64, impression: AdImpression) {
    self.id = id
    self.impression = impression
  }
}

/// The decision about an ad.
package enum ImpressionDecision: Hashable, Sendable {
  /// - Parameter notes: Findings about an ad that counts.
  case record(AdImpression, _ notes: [Reason])
  /// The ad is on display. It counts at the end of a sufficiently long view.
  case open(AdImpression, _ notes: [Reason])
  case reject(Violation)
}

extension AdImpression {
  /// Returns the findings about an ad that counts.
  func notes(at now: Instant) -> [Reason] {
    let (difference, isOverflow) = signed.timestamp.subtractingReportingOverflow(now.milliseconds)
    let interval = Interval(milliseconds: isOverflow ? .max : difference)
    let isOff = isOverflow || difference.magnitude > Self.tolerance.milliseconds.magnitude
    return (isDevelopment ? [Self.developmentNote] : [])
      + (isOff ? [Reason("timestamp-off", "the signed time differs from the device's clock by \(interval.words)")] : [])
  }

  package static let developmentNote = Reason(
    "development-impression", "this is a development impression; any production impression for the app takes precedence")

  /// The catalog's entries for the notes. The ad of a development postback can only have the first note.
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

  /// Differences of up to a day have no note.
  static let tolerance = Interval.days(1)
}

/// The presentation of an ad by an app.
package enum ImpressionPresentation: String, Hashable, Codable, Sendable, CaseIterable {
  case storeKitRendered = "storekit-rendered"
  case viewThrough = "view-through"
  case customRendered = "custom-rendered"
}
