/// The rules of the ephemeral click: a click from SFSafariViewController in a normal session, or any click in a private
/// session (reference, section 3.3). The first event with a valid trigger URL consumes it, whatever the outcome.
package enum EphemeralClick {
  package enum Decision: Hashable, Sendable {
    /// There is no ephemeral click, and none is needed: the event is handled as usual.
    case proceed
    /// The click is stored, and the event is handled as usual.
    case release(KeptClick)
    /// The event is ignored, and the ephemeral click is lost if there was one.
    case ignore(Violation)
  }

  /// The ephemeral click and the event.
  package struct Situation: Sendable {
    package let click: KeptClick?
    package let event: TriggeringEvent
    package let isPrivateSession: Bool
    package let now: Instant

    package init(click: KeptClick?, event: TriggeringEvent, isPrivateSession: Bool, now: Instant) {
      self.click = click
      self.event = event
      self.isPrivateSession = isPrivateSession
      self.now = now
    }
  }

  package static let rules: [Rule<Situation>] = [
    Rule(
      "private-session-holds-a-click",
      "In a private session, an ephemeral click exists.",
      .webkit("NetworkSession.cpp"),
      reasons: ["no-held-click": "click in the private session before each event: one ephemeral click serves one event"],
      inputs: [
        "privateBrowsing": { .bool($0.isPrivateSession) },
        "heldClick": { .string($0.click.map { RecordName.click($0.id) }) },
      ]
    ) { situation in
      guard situation.isPrivateSession, situation.click == nil else { return nil }
      return Violation(
        "no-held-click", "a private session matches only its ephemeral click, and there is none")
    },
    Rule(
      "held-click-is-alive", "The ephemeral click did not expire.",
      .webkit("NetworkSession.cpp"), reasons: ["held-click-expired": "trigger the event earlier, or click again"],
      inputs: ["heldClickExpiresAt": { .instant($0.click?.click.expiresAt) }]
    ) { situation in
      guard let click = situation.click?.click, click.isExpired(at: situation.now) else { return nil }
      let before = (situation.now - click.expiresAt).words
      return Violation(
        "held-click-expired",
        "the ephemeral click had expired \(before) before, at \(click.expiresAt.text); the event is ignored",
        change: Violation.earlier(by: before))
    },
    Rule(
      "held-click-fits-pixel",
      "The ephemeral click has the pixel's site as its source.",
      .webkit("NetworkSession.cpp"),
      reasons: ["held-click-mismatch": fitting],
      inputs: [
        "heldClickSource": { .string($0.click?.click.key.source.domain) },
        "pixelSite": { .string($0.event.redirectSite.domain) },
        "attributionSource": { .string($0.event.target.attributionSource?.domain) },
      ]
    ) { situation in
      guard let click = situation.click?.click.key else { return nil }
      let event = situation.event
      let isSameSitePixel = event.isFirstPartyRedirect && event.target.attributionSource != nil
      let isSourcesPixel = event.redirectSite == click.source && event.target.attributionSource == nil
      guard !isSameSitePixel, !isSourcesPixel else { return nil }
      return mismatch(click, "the event does not come from \(click.source.domain)")
    },
    Rule(
      "held-click-fits-page",
      "The ephemeral click leads to the site of the page.",
      .webkit("NetworkSession.cpp"),
      reasons: ["held-click-mismatch": fitting],
      inputs: [
        "heldClickDestination": { .string($0.click?.click.key.destination.domain) },
        "pageSite": { .string($0.event.firstPartySite.domain) },
      ]
    ) { situation in
      guard let click = situation.click?.click.key, click.destination != situation.event.firstPartySite else { return nil }
      return mismatch(click, "the page is on \(situation.event.firstPartySite.domain)")
    },
  ]

  private static let fitting =
    "trigger the event on a page of the click's destination with a pixel of its source, before any other event"

  private static func mismatch(_ click: ClickKey, _ why: String) -> Violation {
    let (source, destination) = (click.source.domain, click.destination.domain)
    return Violation(
      "held-click-mismatch", "\(why), the ephemeral click goes from \(source) to \(destination); the click is lost",
      change: "trigger the event on a page of \(destination) with a pixel of \(source), before any other event")
  }

  package static func decide(_ situation: Situation, _ evaluation: inout RuleEvaluation) -> Decision {
    if let reason = evaluation.firstViolation(of: rules, to: situation) { return .ignore(reason) }
    return situation.click.map { .release($0) } ?? .proceed
  }
}
