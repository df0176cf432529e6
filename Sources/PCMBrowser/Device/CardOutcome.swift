package import PCMCore
package import PCMDevice

/// The outcome of a feed.
package struct CardFeedOutcome: Hashable, Sendable {
  package struct Card: Hashable, Sendable {
    let number: Int64
    let idString: String?
    let isShown: Bool
    /// Why the app drops the card, or notes on a card that it shows.
    package let reasons: [Reason]
  }

  let bundleIdentifier: String
  package let cards: [Card]
  let removedCount: Int
  let at: Instant
}

extension CardFeedOutcome: OperationOutcome {
  package var json: JSON {
    let shownCount = cards.count(where: \.isShown)
    return [
      "bundleIdentifier": .string(bundleIdentifier), "at": .string(at.text), "shownCount": .number(Int64(shownCount)),
      "droppedCount": .number(Int64(cards.count - shownCount)), "removedCount": .number(Int64(removedCount)),
      "cards": .array(cards.map(\.json)),
    ]
  }
}

extension CardFeedOutcome.Card {
  fileprivate var json: JSON {
    [
      "id": .string(RecordName.card(number)), "idString": .string(idString),
      "outcome": .string(isShown ? "shown" : "dropped"), "reasons": .array(reasons.map(\.json)),
    ]
  }
}

/// The outcome of an impression, a click, or a dismissal of a card: the app's count, and the outcome of the attribution.
package struct CardOutcome: Hashable, Sendable {
  /// The card after the call.
  package let card: FeedCard
  package let event: CardDecided
  /// The smallest change with which the call would count; nil for a counted call.
  let change: String?
  let sequence: Int64
  let at: Instant
}

extension CardOutcome: OperationOutcome {
  private var outcome: String { event.kind == .cardCounted ? "counted" : "rejected" }

  package var json: JSON {
    [
      "id": .string(RecordName.card(card.number)), "at": .string(at.text), "outcome": .string(outcome),
      "reasons": .array(event.reasons.map(\.json)), "change": .string(change), "idString": .string(card.card.idString),
      "bundleIdentifier": .string(card.bundleIdentifier), "action": .string(event.action.rawValue),
      "openedURL": .string(event.openedURL), "attribution": event.attribution?.json ?? .null,
      "analytics": card.analytics.json, "sequence": .number(sequence),
    ]
  }

  package var progress: CallProgress { CallProgress(outcome: outcome, reasons: event.reasons) }
}

extension FeedCard {
  /// The card as the app sees it.
  package func json(at now: Instant) -> JSON {
    var evaluation = RuleEvaluation()
    let violation = evaluation.firstViolation(of: CardSituation.shownRules, to: CardSituation(self, at: now))
    return [
      "id": .string(RecordName.card(number)), "idString": .string(card.idString),
      "outcome": .string(violation == nil ? "shown" : "dropped"),
      "reasons": .array(reasons(violation).map(\.json)), "change": .string(violation?.change),
      "classType": .string(classType), "subtype": .string(card.subtype.rawValue),
      "metadata": violation == nil ? card.metadata : .null, "expiresAt": .instant(card.expiresAt),
      "pinned": .bool(card.isPinned),
      "viewed": .bool(card.isViewed || analytics.impressions > 0), "control": .bool(card.isControl),
      "ad": .string(ad?.name), "analytics": analytics.json,
    ]
  }
}
