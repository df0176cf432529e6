public import Foundation

/// A content card as the app sees it.
///
/// ```swift
/// try await device.replaceCards(of: news, with: [adCard])
/// try await device.displayCard("spring", in: news)
/// let card = try #require(try await device.cards(of: news).first)
/// #expect(card.outcome == .shown && card.viewed && card.analytics.impressions == 1)
/// ```
public struct ContentCard: Hashable, Sendable, Decodable {
  /// The identifier in the log: `card-12`.
  public let id: String
  /// The ID of the card in the SDK; nil when the card lacks it.
  public let idString: String?
  /// Whether the app shows the card.
  public let outcome: Outcome
  /// Why the app drops the card, or notes on a card that it shows.
  public let reasons: [Reason]
  /// The smallest change with which the app would show the card; nil if it shows the card.
  public let change: String?
  /// The name of the card's class in the app; nil for an unknown class.
  public let classType: String?
  /// `banner`, `captioned-image`, or `classic`.
  public let subtype: String
  /// The map from which the app builds its object; nil for a card that it drops.
  public let metadata: JSONValue?
  /// The time at which the card expires; nil if it does not.
  public let expiresAt: Date?
  /// Whether the card is pinned.
  public let pinned: Bool
  /// Whether the app displayed the card.
  public let viewed: Bool
  /// Whether the card is of the control group, which is not shown.
  public let control: Bool
  /// The kind of measurement in the extras: `event-attribution`, `impression`, or `invalid`; nil without measurement parameters.
  public let ad: String?
  /// How often the app logged each event.
  public let analytics: Analytics

  /// Whether an app shows a card.
  public struct Outcome: Term {
    /// The string in the service's JSON.
    public let rawValue: String

    /// Creates a value from any string, known or not.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// The app shows the card.
    public static let shown = Outcome("shown")
    /// The app drops the card.
    public static let dropped = Outcome("dropped")
  }

  /// How often an app logged each event about a card.
  public struct Analytics: Hashable, Sendable, Decodable {
    /// The number of impressions.
    public let impressions: Int
    /// The number of impressions of a card of the control group.
    public let controlImpressions: Int
    /// The number of clicks.
    public let clicks: Int
    /// The number of dismissals.
    public let dismissals: Int
  }

  /// The subject for `Browser.explain`.
  public var subject: Explanation.Subject { .card(id) }
}

/// The outcome of a feed.
///
/// ```swift
/// let feed = try await device.replaceCards(of: news, with: [adCard, ["id": 7]])
/// #expect(feed.shownCount == 1 && feed.droppedCount == 1, "\(feed.cards)")
/// ```
public struct CardFeedOutcome: Hashable, Sendable, Decodable {
  /// The app.
  public let bundleIdentifier: String
  /// The time on the device's clock.
  public let at: Date
  /// The number of cards that the app shows.
  public let shownCount: Int
  /// The number of cards that the app drops.
  public let droppedCount: Int
  /// The number of earlier cards that the feed lacks.
  public let removedCount: Int
  /// The cards in the order of the feed.
  public let cards: [Card]

  /// A card of a feed.
  public struct Card: Hashable, Sendable, Decodable {
    /// The identifier in the log: `card-12`.
    public let id: String
    /// The ID of the card in the SDK; nil when the card lacks it.
    public let idString: String?
    /// Whether the app shows the card.
    public let outcome: ContentCard.Outcome
    /// Why the app drops the card, or notes on a card that it shows.
    public let reasons: [Reason]
  }
}

/// The outcome of an impression, a click, or a dismissal of a card.
///
/// ```swift
/// try await device.replaceCards(of: news, with: [adCard])
/// let click = try await device.clickCard("spring", in: news)
/// #expect(click.outcome == .counted && click.attribution?.operation == "event-attribution", "\(click)")
/// ```
public struct CardOutcome: Hashable, Sendable, Decodable {
  /// The identifier in the log: `card-12`.
  public let id: String
  /// The time on the device's clock.
  public let at: Date
  /// Whether it was counted.
  public let outcome: Outcome
  /// Why it was not counted.
  public let reasons: [Reason]
  /// The smallest change with which it would be counted; nil when it was.
  public let change: String?
  /// The ID of the card in the SDK.
  public let idString: String?
  /// The app.
  public let bundleIdentifier: String
  /// `impression`, `control-impression`, `click`, or `dismissal`.
  public let action: String
  /// The URL that a counted click opens; nil otherwise.
  public let openedURL: String?
  /// The outcome of the attribution; nil for a card without measurement parameters, and for an unrelated ad.
  public let attribution: Attribution?
  /// How often the app logged each event.
  public let analytics: ContentCard.Analytics

  /// Whether an impression, a click, or a dismissal was counted.
  public struct Outcome: Term {
    /// The string in the service's JSON.
    public let rawValue: String

    /// Creates a value from any string, known or not.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// It was counted.
    public static let counted = Outcome("counted")
    /// It was not counted.
    public static let rejected = Outcome("rejected")
  }

  /// The outcome of the attribution for an impression, a click, or a dismissal.
  public struct Attribution: Hashable, Sendable, Decodable {
    /// `event-attribution`, `impression`, `impression-tap`, or `impression-end`; nil for parameters that cannot be used.
    public let operation: String?
    /// The identifier of the click or of the ad: `click-5`.
    public let id: String?
    /// The outcome of the operation, or `invalid`.
    public let outcome: String
    /// Why nothing is measured, or notes.
    public let reasons: [Reason]
  }

  /// The subject for `Browser.explain`.
  public var subject: Explanation.Subject { .card(id) }
}

extension CardOutcome: CustomStringConvertible {
  /// `counted; event-attribution: discarded; tap-not-verified, the tap did not land on …`
  public var description: String {
    let measured = attribution.map { ["\($0.operation ?? "ad"): \($0.outcome)"] + $0.reasons.map(\.description) }
    return ([outcome.rawValue] + reasons.map(\.description) + (measured ?? [])).joined(separator: "; ")
  }
}
