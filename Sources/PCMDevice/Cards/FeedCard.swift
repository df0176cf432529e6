package import PCMCore

/// A card in the list of an app, with the events that the app logged about it.
package struct FeedCard: Hashable, Codable, Sendable {
  /// The number of the card in the log.
  package let number: Int64
  package let bundleIdentifier: String
  /// The index in the feed.
  package var place: Int
  package var card: ContentCard
  /// The name of the card's class in the app; nil for an unknown class.
  package var classType: String?
  package var analytics = CardAnalytics()
  package var lastImpressionAt: Instant?
  package var isDismissed = false
  /// The impression of the card's ad; nil if the ad was not displayed.
  package var impression: Int64?

  package init(number: Int64, bundleIdentifier: String, place: Int, card: ContentCard, classType: String?) {
    self.number = number
    self.bundleIdentifier = bundleIdentifier
    self.place = place
    self.card = card
    self.classType = classType
  }

  /// Returns the name of a card's row. The ID is percent-encoded, so that all stores compare it in the same way.
  ///
  /// - Parameter idString: The ID; nil for a card that only its number identifies.
  package static func name(_ idString: String?, in bundleIdentifier: String, number: Int64 = 0) -> String {
    "\(bundleIdentifier)/\(idString.map(PercentEncoding.component.encode) ?? "#\(number)")"
  }

  package var name: String { Self.name(card.idString, in: bundleIdentifier, number: number) }

  /// Returns the reason the app drops the card, or the notes on a card that the app shows.
  package func reasons(_ violation: Violation?) -> [Reason] { violation.map { [$0.reason] } ?? card.notes ?? [] }

  /// Counts an action. Addition wraps around, so that a damaged stored number does not stop the process.
  package mutating func count(_ action: CardAction, at now: Instant) {
    switch action {
    case .impression: analytics.impressions &+= 1
    case .controlImpression: analytics.controlImpressions &+= 1
    case .click: analytics.clicks &+= 1
    case .dismissal:
      analytics.dismissals &+= 1
      isDismissed = true
    }
    if action == .impression || action == .controlImpression { lastImpressionAt = now }
  }
}

/// The number of events about a card that an app logged, by kind (content cards reference, section B3).
package struct CardAnalytics: Hashable, Codable, Sendable {
  package var impressions: Int64 = 0
  package var controlImpressions: Int64 = 0
  package var clicks: Int64 = 0
  package var dismissals: Int64 = 0

  package var json: JSON {
    [
      "impressions": .number(impressions), "controlImpressions": .number(controlImpressions), "clicks": .number(clicks),
      "dismissals": .number(dismissals),
    ]
  }
}
