/// A measurement in which an app can take part.
package enum Measurement: String, Hashable, Sendable, CaseIterable {
  /// Clicks that lead to web pages: Private Click Measurement, or Web AdAttributionKit.
  case clicks
  case skadnetwork
  case adattributionkit
  /// The prompt for permission to track (App Tracking Transparency).
  case tracking
}

/// The part of an app in a measurement. A publisher shows ads, an advertised app is installed because of them.
package enum Participation: String, Hashable, Sendable, CaseIterable {
  case clicks = "clicks"
  case skAdNetworkPublisher = "skadnetwork-publisher"
  case skAdNetworkAdvertiser = "skadnetwork-advertiser"
  case adAttributionKitPublisher = "adattributionkit-publisher"
  case adAttributionKitAdvertiser = "adattributionkit-advertiser"
  case tracking = "tracking"

  package var measurement: Measurement {
    switch self {
    case .clicks: .clicks
    case .skAdNetworkPublisher, .skAdNetworkAdvertiser: .skadnetwork
    case .adAttributionKitPublisher, .adAttributionKitAdvertiser: .adattributionkit
    case .tracking: .tracking
    }
  }

  /// The name in sentences.
  package var title: String {
    switch self {
    case .clicks: "clicks"
    case .skAdNetworkPublisher: "SKAdNetwork, publisher"
    case .skAdNetworkAdvertiser: "SKAdNetwork, advertised app"
    case .adAttributionKitPublisher: "AdAttributionKit, publisher"
    case .adAttributionKitAdvertiser: "AdAttributionKit, advertised app"
    case .tracking: "tracking"
    }
  }
}

/// Whether an app takes part in a measurement, and whether that works.
package struct Judgment: Hashable, Sendable {
  package enum Verdict: String, Hashable, Sendable, CaseIterable {
    case good
    /// A finding is an error.
    case bad
    /// The values are build settings, which the file does not contain.
    case unknown
    /// The manifest has no key for it.
    case unused
  }

  package let participation: Participation
  package let verdict: Verdict
  /// A clause for people.
  package let detail: String
}
