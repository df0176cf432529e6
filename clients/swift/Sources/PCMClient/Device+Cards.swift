extension Device {
  /// Replaces the content cards of an app. A card with the ID of an earlier card keeps its counts.
  ///
  /// - Parameters:
  ///   - app: The registered app.
  ///   - cards: The cards: objects as Braze's REST API takes them, with the names of the SDKs' fields, or as the server sends them to
  ///     the SDKs. A card that cannot be read is dropped, and no other.
  ///   - classKey: The key of the extras in which the app looks for the class of a card; nil for `class_type`.
  ///   - classTypes: The classes that the app knows. Nil for the values in Braze's guide and `pcm_ad`, and with another `classKey` for
  ///     all.
  ///   - language: How the app compares classes.
  /// - Returns: Whether the app shows each card, with the reasons if it does not, and notes.
  @discardableResult
  public func replaceCards(
    of app: App, with cards: [JSONValue], classKey: String? = nil, classTypes: [String]? = nil,
    language: CardLanguage = .swift
  ) async throws -> CardFeedOutcome {
    let body: Members = ["cards": cards, "classKey": classKey, "classTypes": classTypes, "language": language.rawValue]
    return try await connection.call("PUT", cardsPath(of: app), body)
  }

  /// Returns the content cards of an app as the app sees them, in the order of the feed.
  public func cards(of app: App) async throws -> [ContentCard] {
    try await connection.items(cardsPath(of: app))
  }

  /// Displays a content card. The view of an ad begins, if the card has one.
  ///
  /// - Parameters:
  ///   - idString: The ID of the card in the SDK.
  ///   - app: The app that received the card.
  @discardableResult
  public func displayCard(_ idString: String, in app: App) async throws -> CardOutcome {
    try await connection.call("POST", "\(cardsPath(of: app))/\(idString.pathPart)/impressions")
  }

  /// Clicks a content card. If its extras contain measurement parameters, its URL opens with an event attribution, or the app's ad
  /// is tapped.
  ///
  /// - Parameters:
  ///   - idString: The ID of the card in the SDK.
  ///   - app: The app that received the card.
  ///   - tapVerified: Whether a `UIEventAttributionView` covered the card.
  ///   - presentation: How the app opens the URL.
  ///   - landingURL: The URL that the main frame commits, after redirects; nil for the card's URL.
  @discardableResult
  public func clickCard(
    _ idString: String, in app: App, tapVerified: Bool = true, presentation: Presentation = .openURL, landingURL: String? = nil
  ) async throws -> CardOutcome {
    let body: Members = ["tapVerified": tapVerified, "presentation": presentation, "landingURL": landingURL]
    return try await connection.call("POST", "\(cardsPath(of: app))/\(idString.pathPart)/clicks", body)
  }

  /// Dismisses a content card. The view of its ad ends.
  ///
  /// - Parameters:
  ///   - idString: The ID of the card in the SDK.
  ///   - app: The app that received the card.
  @discardableResult
  public func dismissCard(_ idString: String, in app: App) async throws -> CardOutcome {
    try await connection.call("POST", "\(cardsPath(of: app))/\(idString.pathPart)/dismissals")
  }

  private func cardsPath(of app: App) -> String { "\(path)/apps/\(app.bundleIdentifier.pathPart)/cards" }
}

/// How an app compares `class_type` with the names that it knows.
///
/// ```swift
/// let feed = try await device.replaceCards(of: news, with: [adCard], language: .objectiveC)
/// #expect(feed.shownCount == 1)
/// ```
public enum CardLanguage: String, Hashable, Sendable, CaseIterable {
  /// In lower case.
  case swift
  /// As it is.
  case objectiveC = "objective-c"
}
