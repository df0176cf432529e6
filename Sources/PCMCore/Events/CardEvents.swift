extension EventKind {
  /// An app received a content card.
  package static let cardReceived = Self("card-received")
  /// A newer feed of an app lacks a content card.
  package static let cardRemoved = Self("card-removed")
  /// An impression, a click, or a dismissal of a content card was counted.
  package static let cardCounted = Self("card-counted")
  /// An impression, a click, or a dismissal of a content card was not counted.
  package static let cardRejected = Self("card-rejected")
}

extension EventType {
  static let cards = [
    EventType(.cardReceived, CardReceived.self), EventType(.cardRemoved, CardRemoved.self),
    EventType(.cardCounted, CardDecided.self), EventType(.cardRejected, CardDecided.self),
  ]
}

/// A content card that an app received, or received again with other values, and whether the app shows it.
package struct CardReceived: BrowserEvent {
  package var kind: EventKind { .cardReceived }
  package let card: Int64
  package let bundleIdentifier: String
  /// The card's ID in the SDK; nil when the card lacks it.
  package let idString: String?
  /// The name of the card's class in the app; nil for an unknown class.
  package let classType: String?
  /// Why the app drops the card, or notes on a card that it shows.
  package let reasons: [Reason]
  package let decision: RecordedDecision?

  /// Whether the app shows the card.
  package var isShown: Bool { decision.map { $0.failed == nil } ?? reasons.isEmpty }

  package init(
    card: Int64, bundleIdentifier: String, idString: String?, classType: String?, reasons: [Reason], decision: RecordedDecision?
  ) {
    self.card = card
    self.bundleIdentifier = bundleIdentifier
    self.idString = idString
    self.classType = classType
    self.reasons = reasons
    self.decision = decision
  }

  package init(_ event: Self?, _ members: inout EventMembers) throws {
    card = try members.required("cardId", event?.card, .record(.card))
    bundleIdentifier = try members.required("bundleIdentifier", event?.bundleIdentifier, .text)
    idString = try members.optional("idString", event?.idString, .text)
    classType = try members.optional("classType", event?.classType, .text)
    reasons = try members.reasons(event?.reasons)
    decision = try members.decision(event?.decision)
  }

  package static var introduced: IntroducedRecord? { IntroducedRecord(kind: .card, isNumbered: false) }
  package func subjects(at sequence: Int64) -> [EventSubject] {
    [.record(.card, card), .app(bundleIdentifier: bundleIdentifier)]
  }
}

/// The end of a content card: a newer feed lacks it.
package struct CardRemoved: BrowserEvent {
  package var kind: EventKind { .cardRemoved }
  package let card: Int64
  package let bundleIdentifier: String

  package init(card: Int64, bundleIdentifier: String) {
    self.card = card
    self.bundleIdentifier = bundleIdentifier
  }

  package init(_ event: Self?, _ members: inout EventMembers) throws {
    card = try members.required("cardId", event?.card, .record(.card))
    bundleIdentifier = try members.required("bundleIdentifier", event?.bundleIdentifier, .text)
  }

  package func subjects(at sequence: Int64) -> [EventSubject] {
    [.record(.card, card), .app(bundleIdentifier: bundleIdentifier)]
  }
}

/// An app's event about a content card (content cards reference, section B3).
package enum CardAction: String, Hashable, Sendable, CaseIterable {
  case impression
  /// The impression of a card of the control group, which is not shown.
  case controlImpression = "control-impression"
  case click, dismissal
}

/// A decision about an impression, a click, or a dismissal of a content card.
package struct CardDecided: BrowserEvent {
  package let kind: EventKind
  package let card: Int64
  package let bundleIdentifier: String
  package let action: CardAction
  /// The URL that a counted click opens; nil otherwise.
  package let openedURL: String?
  /// The outcome of the attribution; nil for a card without an ad.
  package let attribution: CardAttribution?
  /// Why it was not counted.
  package let reasons: [Reason]
  package let decision: RecordedDecision?

  package init(
    _ kind: EventKind, card: Int64, bundleIdentifier: String, action: CardAction, openedURL: String? = nil,
    attribution: CardAttribution? = nil, reasons: [Reason] = [], decision: RecordedDecision?
  ) {
    self.kind = kind
    self.card = card
    self.bundleIdentifier = bundleIdentifier
    self.action = action
    self.openedURL = openedURL
    self.attribution = attribution
    self.reasons = reasons
    self.decision = decision
  }

  package init(_ event: Self?, _ members: inout EventMembers) throws {
    kind = members.kind
    card = try members.required("cardId", event?.card, .record(.card))
    bundleIdentifier = try members.required("bundleIdentifier", event?.bundleIdentifier, .text)
    action = try members.required("action", event?.action, .word())
    openedURL = try members.optional("openedURL", event?.openedURL, .text)
    attribution = try members.optional("attribution", event?.attribution, .object())
    reasons = try members.reasons(event?.reasons)
    decision = try members.decision(event?.decision)
  }

  package func subjects(at sequence: Int64) -> [EventSubject] {
    [.record(.card, card), .app(bundleIdentifier: bundleIdentifier)]
  }
}

/// The outcome of the attribution for an impression, a click, or a dismissal of a card.
package struct CardAttribution: Hashable, EventPart {
  /// The name of the operation whose rules decided; nil for parameters that cannot be used.
  package let operation: String?
  /// The name of the click or of the ad; nil without an operation.
  package let record: String?
  /// The outcome of the operation, or ``invalid``.
  package let outcome: String
  package let reasons: [Reason]

  package static let invalid = "invalid"

  package init(_ operation: any OperationInput.Type, record: String, outcome: String, reasons: [Reason]) {
    (self.operation, self.record, self.outcome, self.reasons) = (operation.name, record, outcome, reasons)
  }

  /// The parameters cannot be used.
  package init(invalid reason: Reason) {
    (operation, record, outcome, reasons) = (nil, nil, Self.invalid, [reason])
  }

  package init(_ attribution: Self?, _ members: inout EventMembers) throws {
    operation = try members.optional("operation", attribution?.operation, .text)
    record = try members.optional("id", attribution?.record, .text)
    outcome = try members.required("outcome", attribution?.outcome, .text)
    reasons = try members.reasons(attribution?.reasons)
  }

  package var json: JSON {
    [
      "operation": .string(operation), "id": .string(record), "outcome": .string(outcome),
      "reasons": .array(reasons.map(\.json)),
    ]
  }
}
