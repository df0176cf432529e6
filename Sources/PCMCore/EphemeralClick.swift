/// The rules of the ephemeral click: one click from SFSafariViewController in a normal session, or any click in a private
/// one (reference, section 3.3). The first event with a valid trigger URL consumes it, whatever the outcome.
package enum EphemeralClick {
  package enum Decision: Hashable, Sendable {
    /// There is no ephemeral click, and none is needed: the event is handled as usual.
    case goOn
    /// The click is stored, and the event is handled as usual.
    case release(KeptClick)
    /// The event is ignored, and the ephemeral click is lost if there was one.
    case lose(UnmatchedReason)
  }

  /// The ephemeral click and the event.
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
