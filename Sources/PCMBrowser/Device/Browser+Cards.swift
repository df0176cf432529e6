package import PCMCore
package import PCMDevice
import PCMStore

// A card goes through this file from top to bottom: the call, the rules, the transaction with the decision about its ad, and the
// events.

extension Browser {
  /// The maximum number of content cards of a device, and the maximum of their size in bytes.
  package static let maximumCardCount = 1_000
  package static let maximumCardBytes = 4_194_304

  /// Returns the cards of an app after a place in its feed, and the time at which it asks for them.
  ///
  /// - Parameter bundleIdentifier: Nil for the cards of all apps.
  package func cards(
    of bundleIdentifier: String?, after place: Int, limit: Int
  ) async throws -> (cards: [FeedCard], now: Instant) {
    let (cards, now) = try await read { [self] reader in
      if let bundleIdentifier { try reader.requireApp(bundleIdentifier) }
      return (try reader.cards(of: bundleIdentifier), try self.currentTime(in: reader))
    }
    return (Array(cards.filter { $0.place > place }.prefix(limit)), now)
  }
}

/// An app receives a feed.
extension CardFeedInput: DecidedOperation {
  package static let status = 200

  package func decision(on subject: String?, in browser: Browser) throws(BrowserError) -> Decision<CardFeedOutcome> {
    let (feed, errors) = CardFeed.read(self)
    guard errors.isEmpty else { throw .invalidInput(Array(errors.prefix(100))) }
    return Decision { try $0.replaceCards(of: subject ?? "", with: feed, $1) }
  }
}

/// An app displays a card.
extension CardImpressionInput: DecidedOperation {
  package static let status = 200

  package func decision(on subject: String?, in browser: Browser) throws(BrowserError) -> Decision<CardOutcome> {
    let name = CardName(subject)
    return .onDevice { device, context in
      let writer = device.writer
      return try writer.count(.impression, of: name, context) { try device.beginView(of: &$0, context) }
    }
  }
}

/// A user clicks a card.
extension CardClickInput: DecidedOperation {
  package static let status = 200

  package func decision(on subject: String?, in browser: Browser) throws(BrowserError) -> Decision<CardOutcome> {
    let (name, environment) = (CardName(subject), browser.environment)
    var checker = InputChecker(environment: environment)
    _ = checker.url(landingURL, ["landingURL"])
    try checker.finish()
    return Decision(isTimed: true) { writer, state in
      let before = state
      return .ended(
        try state.onDevice(writer) { device, context in
          try writer.count(.click, of: name, context) { card in
            guard case .eventAttribution(let tap)? = card.ad else { return try device.tapAd(of: &card, self, context) }
            let app = before.registry.app(name.bundleIdentifier)
            let click = try tap.by(self).click(of: app, before, environment: environment, in: writer)
            return CardAttribution(
              EventAttributionInput.self, record: RecordName.click(click.sequence), outcome: click.kind.rawValue,
              reasons: click.reasons)
          }
        })
    }
  }
}

/// A user dismisses a card.
extension CardDismissalInput: DecidedOperation {
  package static let status = 200

  package func decision(on subject: String?, in browser: Browser) throws(BrowserError) -> Decision<CardOutcome> {
    let name = CardName(subject)
    return .onDevice { device, context in
      let writer = device.writer
      return try writer.count(.dismissal, of: name, context) { try device.endView(of: $0, context) }
    }
  }
}

/// The app and the ID of a card, as the path of a call names them.
struct CardName: Sendable {
  let bundleIdentifier: String
  let idString: String

  init(_ subject: String?) {
    let parts = (subject ?? "").split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
    (bundleIdentifier, idString) = (String(parts[0]), parts.count > 1 ? String(parts[1]) : "")
  }
}

extension EventAttributionInput {
  /// The event attribution of a card as a click passes it.
  fileprivate func by(_ click: CardClickInput) -> EventAttributionInput {
    var input = self
    (input.tapVerified, input.presentation, input.landingURL) =
      (click.tapVerified, click.presentation.rawValue, click.landingURL)
    return input.withoutUserInformation
  }
}

extension BrowserReader {
  fileprivate func requireApp(_ bundleIdentifier: String) throws {
    guard try row(AppRecord.self, bundleIdentifier) != nil else {
      throw BrowserError.unknownApp(bundleIdentifier: bundleIdentifier)
    }
  }
}

extension BrowserWriter {
  /// Replaces the cards of an app. A card with the ID of an earlier card keeps its number and its counts.
  fileprivate func replaceCards(
    of bundleIdentifier: String, with feed: CardFeed, _ context: DeviceContext
  ) throws -> CardFeedOutcome {
    try requireApp(bundleIdentifier)
    let earlier = try cards(of: bundleIdentifier)
    try check(feed, in: bundleIdentifier)
    var kept: [String: FeedCard] = [:]
    for card in earlier where card.card.idString != nil { kept[card.name] = card }
    let names = Set(feed.items.compactMap { $0.card.card.idString.map { FeedCard.name($0, in: bundleIdentifier) } })
    let removed = earlier.filter { !names.contains($0.name) }
    for card in removed {
      try remove(card)
      try append(CardRemoved(card: card.number, bundleIdentifier: bundleIdentifier), at: context.now)
    }
    var results: [CardFeedOutcome.Card] = []
    for (place, item) in feed.items.enumerated() {
      let old = item.card.card.idString.flatMap { kept[FeedCard.name($0, in: bundleIdentifier)] }
      let number = try old?.number ?? nextSequence()
      var card = FeedCard(
        number: number, bundleIdentifier: bundleIdentifier, place: place, card: item.card.received(as: number, at: context.now),
        classType: item.classType)
      let isChanged = old.map { $0.card != card.card || $0.classType != card.classType } ?? true
      if let old {
        (card.analytics, card.lastImpressionAt) = (old.analytics, old.lastImpressionAt)
        (card.isDismissed, card.impression) = (old.isDismissed, old.impression)
      }
      results.append(try receive(card, isChanged: isChanged, context))
    }
    return CardFeedOutcome(
      bundleIdentifier: bundleIdentifier, cards: results, removedCount: removed.count, at: context.now)
  }

  private func receive(_ card: FeedCard, isChanged: Bool, _ context: DeviceContext) throws -> CardFeedOutcome.Card {
    var evaluation = RuleEvaluation(of: DeviceRuleBook.cardShown)
    let violation = evaluation.firstViolation(of: CardSituation.shownRules, to: CardSituation(card, at: context.now))
    let reasons = card.reasons(violation)
    try save(card)
    if isChanged {
      try append(
        CardReceived(
          card: card.number, bundleIdentifier: card.bundleIdentifier, idString: card.card.idString, classType: card.classType,
          reasons: reasons, decision: RecordedDecision(evaluation)), at: context.now)
    }
    return CardFeedOutcome.Card(
      number: card.number, idString: card.card.idString, isShown: violation == nil, reasons: reasons)
  }

  /// Throws when the device would have too many or too large cards.
  private func check(_ feed: CardFeed, in bundleIdentifier: String) throws {
    let others = try deviceRows(.card, after: "", limit: .max).filter { !$0.key.name.hasPrefix("\(bundleIdentifier)/") }
    let count = others.count + feed.items.count
    let size = others.reduce(0) { $0 + $1.value.utf8.count } + feed.items.reduce(0) { $0 + $1.size }
    guard count <= Browser.maximumCardCount, size <= Browser.maximumCardBytes else {
      throw BrowserError.limitReached(
        "the device would have \(count) cards of \(size) bytes; the maximum is \(Browser.maximumCardCount) cards of "
          + "\(Browser.maximumCardBytes) bytes; PUT fewer cards in one of its apps first")
    }
  }

  /// Decides about an impression, a click, or a dismissal of a card, and counts it.
  ///
  /// - Parameters:
  ///   - call: The action, an impression also for a card of the control group.
  ///   - attribute: Decides about the card's ad in the same transaction, with the operations that an app would call for it;
  ///     returns nil for a card whose ad the call does not concern. An error of input is one of the ad, and not of the call.
  fileprivate func count(
    _ call: CardAction, of name: CardName, _ context: DeviceContext,
    attribute: (inout FeedCard) throws -> CardAttribution?
  ) throws -> CardOutcome {
    guard var card = try self.card(name.idString, of: name.bundleIdentifier) else {
      try requireApp(name.bundleIdentifier)
      throw BrowserError.unknownCard(id: name.idString)
    }
    let isControl = call == .impression && card.card.isControl
    let action = isControl ? .controlImpression : call
    var evaluation = RuleEvaluation(of: action.ruleList)
    let violation = evaluation.firstViolation(of: action.rules, to: CardSituation(card, at: context.now))
    var attribution: CardAttribution?
    if violation == nil {
      card.count(action, at: context.now)
      do {
        attribution = try isControl ? nil : attribute(&card)
      } catch BrowserError.invalidInput(let errors) {
        attribution = CardAttribution(invalid: card.refusal(errors))
      }
      try save(card)
    }
    let event = CardDecided(
      violation == nil ? .cardCounted : .cardRejected, card: card.number, bundleIdentifier: card.bundleIdentifier,
      action: action,
      openedURL: violation == nil && action == .click ? card.card.url : nil, attribution: attribution,
      reasons: [violation?.reason].compactMap { $0 }, decision: RecordedDecision(evaluation))
    let logged = try append(event, at: context.now)
    return CardOutcome(card: card, event: event, change: violation?.change, sequence: logged.sequence, at: logged.at)
  }
}

// The ad of a card.
extension StoredDevice {
  /// Displays the ad of a card, unless the card displays it already.
  fileprivate mutating func beginView(of card: inout FeedCard, _ context: DeviceContext) throws -> CardAttribution? {
    switch card.ad {
    case .impression(let ad)? where ad.isDisplayedWithCard:
      return try displayedAd(of: card, at: context.now) == nil ? display(ad, of: &card, context) : nil
    case .invalid(let reason)?: return CardAttribution(invalid: reason)
    default: return nil
    }
  }

  /// Taps the ad of a card: an ad of AdAttributionKit, or one of SKAdNetwork that StoreKit renders after the tap.
  fileprivate mutating func tapAd(
    of card: inout FeedCard, _ click: CardClickInput, _ context: DeviceContext
  ) throws -> CardAttribution? {
    switch card.ad {
    case .impression(let ad)? where ad.jws != nil:
      if try displayedAd(of: card, at: context.now) == nil {
        let attribution = try display(ad, of: &card, context)
        guard card.impression != nil else { return attribution }
      }
      guard let id = card.impression else { return nil }
      var tap = ImpressionTapInput()
      tap.tapVerified = click.tapVerified
      return try CardAttribution(ImpressionTapInput.self, self.tap(tappableAd(id, at: context.now), tap, context))
    case .impression(let ad)? where !ad.isDisplayedWithCard: return try display(ad, of: &card, context)
    case .invalid(let reason)?: return CardAttribution(invalid: reason)
    default: return nil
    }
  }

  /// Ends the view of the ad that a card displays.
  fileprivate mutating func endView(of card: FeedCard, _ context: DeviceContext) throws -> CardAttribution? {
    guard let id = try displayedAd(of: card, at: context.now) else { return nil }
    return try CardAttribution(ImpressionEndInput.self, endView(of: id, context))
  }

  private mutating func display(
    _ ad: ImpressionInput, of card: inout FeedCard, _ context: DeviceContext
  ) throws -> CardAttribution {
    let outcome = try ad.display(on: &self, context)
    card.impression = ad.isDisplayedWithCard && outcome.kind != .rejected ? outcome.impression : nil
    return CardAttribution(ImpressionInput.self, outcome)
  }

  /// Returns the number of the ad that a card displays; nil when its view ended.
  private func displayedAd(of card: FeedCard, at now: Instant) throws -> Int64? {
    guard let ad = try card.impression.flatMap({ try appImpression($0) }), ad.isDisplayed, !ad.isForgotten(at: now) else {
      return nil
    }
    return ad.kept.id
  }
}

extension CardAttribution {
  fileprivate init(_ operation: any OperationInput.Type, _ outcome: ImpressionOutcome) {
    self.init(
      operation, record: RecordName.impression(outcome.impression), outcome: outcome.kind.rawValue, reasons: outcome.reasons)
  }
}
