package import PCMCore

/// A card, and the time of an app's request for it or event about it (content cards reference, sections B2 and B3).
package struct CardSituation: Sendable {
  package let feedCard: FeedCard
  package let now: Instant

  private var card: ContentCard { feedCard.card }
  private var isDismissed: Bool { feedCard.isDismissed || card.isRemoved || card.isDismissed == true }

  package init(_ feedCard: FeedCard, at now: Instant) {
    (self.feedCard, self.now) = (feedCard, now)
  }

  /// The interval after an impression of a card in which the SDK logs no further impression. The SDK has such an interval,
  /// but its length is unknown.
  package static let impressionGap = Interval.seconds(10)

  private static let readable = Rule<CardSituation>(
    "card-is-readable",
    "The SDK can read the card: each member has a value of its type. It leaves out another card, and no more.",
    .assumption("which cards a version of the SDK leaves out is not documented"),
    reasons: ["card-unreadable": "correct the member of the card"],
    inputs: ["fault": { .string($0.card.fault) }]
  ) { situation in
    situation.card.fault.map { Violation("card-unreadable", "the card cannot be read: \($0)") }
  }

  private static let notDismissed = Rule<CardSituation>(
    "card-is-not-dismissed", "The card was not dismissed. A dismissed card is not in the list anymore.", .cardGuide,
    reasons: ["card-dismissed": "send a card with another ID"],
    inputs: ["dismissed": { .bool($0.isDismissed) }]
  ) { situation in
    guard situation.isDismissed else { return nil }
    return Violation(
      "card-dismissed", "the card was \(situation.card.isRemoved ? "removed" : "dismissed")")
  }

  private static let notExpired = Rule<CardSituation>(
    "card-is-not-expired", "The card has not expired. An expired card is not in the list anymore.",
    .vendor("Braze: Creating content cards, expiration"), reasons: ["card-expired": "send the card with a later expiry"],
    inputs: ["expiresAt": { .instant($0.card.expiresAt) }]
  ) { situation in
    guard let expiry = situation.card.expiresAt, expiry <= situation.now else { return nil }
    return Violation("card-expired", "the card expired at \(expiry.text)")
  }

  private static let notControl = Rule<CardSituation>(
    "card-is-not-in-control-group",
    "The card is not of the control group. Such a card is not shown, but its impression is logged.",
    .vendor("Braze SDK: isControl"), reasons: ["control-group": "send the card without isControl"],
    inputs: ["control": { .bool($0.card.isControl) }]
  ) { situation in
    guard situation.card.isControl else { return nil }
    return Violation(
      "control-group", "the card is of the control group, which is not shown")
  }

  /// A control card has no class.
  private static let classKnown = Rule<CardSituation>(
    "card-class-is-known",
    "`class_type`, or the key that `classKey` names, has a class that the app knows. The app skips other cards.", .cardGuide,
    reasons: [
      "card-class-unknown":
        "set class_type to a class of the app, add the class to classTypes, or name the app's key with classKey"
    ],
    inputs: ["classType": { .string($0.card.givenClass) }, "knownAs": { .string($0.feedCard.classType) }]
  ) { situation in
    guard situation.feedCard.classType == nil, !situation.card.isControl else { return nil }
    return Violation("card-class-unknown", situation.card.unknownClass)
  }

  private static let fieldsPresent = Rule<CardSituation>(
    "card-has-fields",
    "The card has `idString`, `created`, `dismissible`, and `extras`. The app builds no object without them.",
    .cardGuide, reasons: ["card-field-missing": "send the card with the missing field"],
    inputs: ["missing": { .array($0.card.missingFields.map { .string($0) }) }]
  ) { situation in
    let missing = situation.card.missingFields
    guard let first = missing.first, !situation.card.isControl else { return nil }
    return Violation(
      "card-field-missing", "the card has no \(missing.joined(separator: ", no ")), or a value of another type",
      change: "send the card with \(first)" + (first == "created" ? ", a number of seconds since 1970" : ""))
  }

  private static let gapPassed = Rule<CardSituation>(
    "impression-gap-passed", "The last impression of the card is at least 10 seconds ago. The SDK ignores one that is earlier.",
    .assumption("Braze's Web SDK has such a gap; its length is not established"),
    reasons: ["impression-too-recent": "log the impression later"],
    inputs: ["lastImpressionAt": { .instant($0.feedCard.lastImpressionAt) }]
  ) { situation in
    guard let last = situation.feedCard.lastImpressionAt, situation.now < last + impressionGap else { return nil }
    return Violation(
      "impression-too-recent", "the last impression of the card was \((situation.now - last).words) before",
      change: "log it at \((last + impressionGap).text) or later")
  }

  private static let hasURL = Rule<CardSituation>(
    "card-has-url", "The card has a URL. The SDK does not log a click on a card without one.", .vendor("Braze Web SDK"),
    reasons: ["card-without-url": "send the card with urlString"],
    inputs: ["url": { .string($0.card.url) }]
  ) { situation in
    guard situation.card.url == nil else { return nil }
    return Violation("card-without-url", "the card has no URL")
  }

  private static let dismissible = Rule<CardSituation>(
    "card-is-dismissible", "The card is dismissible. The SDK ignores the dismissal of another one.", .vendor("Braze Web SDK"),
    reasons: ["card-not-dismissible": "send the card with dismissible true"],
    inputs: ["dismissible": { $0.card.isDismissible.map { .bool($0) } ?? .null }]
  ) { situation in
    guard situation.card.isDismissible != true else { return nil }
    return Violation("card-not-dismissible", "the card is not dismissible")
  }

  /// The rules for showing a card.
  package static let shownRules = [readable, notDismissed, notExpired, notControl, classKnown, fieldsPresent]
  package static let impressionRules = [readable, notDismissed, notExpired, classKnown, fieldsPresent, gapPassed]
  package static let clickRules = shownRules + [hasURL]
  package static let dismissalRules = shownRules + [dismissible]
}

extension ContentCard {
  /// The reason the app has no class for the card.
  fileprivate var unknownClass: String {
    if let givenClass {
      return "the app knows no class \"\(givenClass.asShown(upTo: 100))\""
        + NearestName.hint(for: givenClass, among: CardFeedInput.standardClassTypes.filter { $0 != givenClass })
    }
    let key = classKey ?? CardFeedInput.standardClassKey
    let names = (extras.flatMap { JSON(parsing: Array($0.utf8)) }?.members ?? []).map(\.name)
    let other = NearestName.nearest(to: key, among: names).map { ", and \($0.asShown(upTo: 100)) is another name" } ?? ""
    return "the extras of the card have no \(key.asShown(upTo: 100))\(other)"
  }
}

extension CardAction {
  package var rules: [Rule<CardSituation>] {
    switch self {
    case .impression, .controlImpression: CardSituation.impressionRules
    case .click: CardSituation.clickRules
    case .dismissal: CardSituation.dismissalRules
    }
  }

  package var ruleList: RuleList {
    switch self {
    case .impression, .controlImpression: DeviceRuleBook.cardImpression
    case .click: DeviceRuleBook.cardClick
    case .dismissal: DeviceRuleBook.cardDismissal
    }
  }
}
