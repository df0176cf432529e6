/// Why an accepted triggering event changed no report.
package enum UnmatchedReason: Hashable, Sendable {
  case noClick(ClickKey)
  case clickExpired(id: Int64, expiredAt: Instant)
  case otherDestination(wanted: Site, clicked: Site)
  case otherApp(wanted: String, clicked: String)
  case alreadyReported(attribution: Int64)
  case lowerOrEqualPriority(priority: UInt8, kept: UInt8, attribution: Int64)
  case heldClickMismatch(held: ClickKey, why: String)
  case heldClickExpired(expiredAt: Instant)
  case noHeldClick

  package var reason: Reason {
    switch self {
    case .noClick(let key):
      Reason(
        "no-click", "no click from \(key.source.domain) to \(key.destination.domain) is stored under \(key.bundleIdentifier)")
    case .clickExpired(let id, let expiredAt):
      Reason("click-expired", "\(RecordName.click(id)) expired at \(expiredAt.text), 7 days after it was made")
    case .otherDestination(let wanted, let clicked):
      Reason("other-destination", "the event is on \(wanted.domain), the click leads to \(clicked.domain)")
    case .otherApp(let wanted, let clicked):
      Reason("other-app", "the event is under \(wanted), the click was made under \(clicked)")
    case .alreadyReported(let attribution):
      Reason(
        "already-reported", "a report of \(RecordName.attribution(attribution)) has gone out; only a new click can change it")
    case .lowerOrEqualPriority(let priority, let kept, let attribution):
      Reason(
        "lower-or-equal-priority", "priority \(priority) is not above the \(kept) of \(RecordName.attribution(attribution))")
    case .heldClickMismatch(let held, let why):
      Reason(
        "held-click-mismatch",
        "\(why), the held click leads from \(held.source.domain) to \(held.destination.domain); the click is lost")
    case .heldClickExpired(let expiredAt):
      Reason("held-click-expired", "the held click expired at \(expiredAt.text); the event is ignored")
    case .noHeldClick:
      Reason("no-held-click", "a private session matches only the click in its slot, and the slot is empty")
    }
  }
}
