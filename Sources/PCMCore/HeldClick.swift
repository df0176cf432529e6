/// The single slot for an ephemeral click: used by SFSafariViewController in a normal session and by every click in a
/// private one (reference, section 3.3). The first event that gets past the URL grammar empties it, whatever comes of it.
package enum HeldClick {
  package enum Decision: Hashable, Sendable {
    /// The click goes into the store and the event is handled as usual.
    case release
    /// The event is ignored and the click is lost.
    case lose(UnmatchedReason)
  }

  package static func decide(_ held: Click, event: TriggeringEvent, at now: Instant) -> Decision {
    guard !held.isExpired(at: now) else { return .lose(.heldClickExpired(expiredAt: held.expiresAt)) }
    let isSameSitePixel = event.isFirstPartyRedirect && event.target.attributionSource != nil
    let isSourcesPixel = event.redirectSite == held.key.source && event.target.attributionSource == nil
    guard isSameSitePixel || isSourcesPixel else {
      return .lose(.heldClickMismatch(held: held.key, why: "the event does not come from \(held.key.source.domain)"))
    }
    guard held.key.destination == event.firstPartySite else {
      return .lose(.heldClickMismatch(held: held.key, why: "the page is on \(event.firstPartySite.domain)"))
    }
    return .release
  }
}
