/// The single slot for an ephemeral click: used by SFSafariViewController in a normal session and by every click in a
/// private one (reference, section 3.3). The first event that gets past the URL grammar empties it, whatever comes of it.
package enum EphemeralClick {
  package enum Decision: Hashable, Sendable {
    /// The slot is empty and need not be full: the event is handled as usual.
    case goOn
    /// The click goes into the store and the event is handled as usual.
    case release(KeptClick)
    /// The event is ignored; the click, if there was one, is lost.
    case lose(UnmatchedReason)
  }

  /// What an event meets at the slot.
  package struct Situation: Sendable {
    package let held: KeptClick?
    package let event: TriggeringEvent
    package let isPrivateSession: Bool
    package let now: Instant

    package init(held: KeptClick?, event: TriggeringEvent, isPrivateSession: Bool, now: Instant) {
      self.held = held
      self.event = event
      self.isPrivateSession = isPrivateSession
      self.now = now
    }
  }

  package static let rules: [Rule<Situation, UnmatchedReason>] = [
    Rule(
      "private-session-holds-a-click",
      sees: [
        "privateBrowsing": { .bool($0.isPrivateSession) },
        "heldClick": { .string($0.held.map { RecordName.click($0.id) }) },
      ]
    ) { situation in
      situation.isPrivateSession && situation.held == nil ? .noHeldClick : nil
    },
    Rule("held-click-is-alive", sees: ["heldClickExpiresAt": { .instant($0.held?.click.expiresAt) }]) { situation in
      guard let held = situation.held?.click, held.isExpired(at: situation.now) else { return nil }
      return .heldClickExpired(expiredAt: held.expiresAt, at: situation.now)
    },
    Rule(
      "held-click-fits-pixel",
      sees: [
        "heldClickSource": { .string($0.held?.click.key.source.domain) },
        "pixelSite": { .string($0.event.redirectSite.domain) },
        "attributionSource": { .string($0.event.target.attributionSource?.domain) },
      ]
    ) { situation in
      guard let held = situation.held?.click.key else { return nil }
      let event = situation.event
      let isSameSitePixel = event.isFirstPartyRedirect && event.target.attributionSource != nil
      let isSourcesPixel = event.redirectSite == held.source && event.target.attributionSource == nil
      guard !isSameSitePixel, !isSourcesPixel else { return nil }
      return .heldClickMismatch(held: held, why: "the event does not come from \(held.source.domain)")
    },
    Rule(
      "held-click-fits-page",
      sees: [
        "heldClickDestination": { .string($0.held?.click.key.destination.domain) },
        "pageSite": { .string($0.event.firstPartySite.domain) },
      ]
    ) { situation in
      guard let held = situation.held?.click.key, held.destination != situation.event.firstPartySite else { return nil }
      return .heldClickMismatch(held: held, why: "the page is on \(situation.event.firstPartySite.domain)")
    },
  ]

  package static func decide(_ situation: Situation, _ evaluation: inout RuleEvaluation) -> Decision {
    if let reason = evaluation.firstViolation(of: rules, to: situation) { return .lose(reason) }
    return situation.held.map { .release($0) } ?? .goOn
  }
}
