/// Why an accepted triggering event does not change a report.
package enum UnmatchedReason: Hashable, RuleViolation {
  case noClick(ClickKey)
  case clickExpired(id: Int64, expiredAt: Instant, at: Instant)
  case otherDestination(wanted: Site, clicked: Site)
  case otherApp(wanted: String, clicked: String)
  case alreadyReported(attribution: Int64)
  case lowerOrEqualPriority(priority: UInt8, kept: UInt8, attribution: Int64)
  case ephemeralClickMismatch(click: ClickKey, why: String)
  case ephemeralClickExpired(expiredAt: Instant, at: Instant)
  case noEphemeralClick

  package var reason: Reason {
    switch self {
    case .noClick(let key):
      Reason(
        "no-click", "no click from \(key.source.domain) to \(key.destination.domain) is stored under \(key.bundleIdentifier)")
    case .clickExpired(let id, let expiredAt, let now):
      Reason(
        "click-expired",
        "\(RecordName.click(id)) had expired \((now - expiredAt).words) before, at \(expiredAt.text), 7 days after it was made")
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
    case .ephemeralClickMismatch(let click, let why):
      Reason(
        "held-click-mismatch",
        "\(why), the ephemeral click goes from \(click.source.domain) to \(click.destination.domain); the click is lost")
    case .ephemeralClickExpired(let expiredAt, let now):
      Reason(
        "held-click-expired",
        "the ephemeral click had expired \((now - expiredAt).words) before, at \(expiredAt.text); the event is ignored")
    case .noEphemeralClick:
      Reason("no-held-click", "a private session matches only its ephemeral click, and there is none")
    }
  }

  package var change: String {
    switch self {
    case .noClick(let key):
      "store a click from \(key.source.domain) to \(key.destination.domain) under \(key.bundleIdentifier) before the event"
    case .clickExpired(_, let expiredAt, let now), .ephemeralClickExpired(let expiredAt, let now):
      "trigger the event at least \((now - expiredAt).words) earlier, or click again"
    case .otherDestination(let wanted, let clicked):
      "trigger the event on a page of \(clicked.domain), or click with \(wanted.domain) as the destination"
    case .otherApp(_, BundleIdentifier.safari): "remove \"bundleIdentifier\" from the triggering event"
    case .otherApp(BundleIdentifier.safari, let clicked): "add \"bundleIdentifier\": \"\(clicked)\" to the triggering event"
    case .otherApp(_, let clicked): "set \"bundleIdentifier\" to \"\(clicked)\" in the triggering event"
    case .alreadyReported: "click again: a new click with a higher priority starts over"
    case .lowerOrEqualPriority(_, let kept, _):
      kept < 63 ? "give the trigger a priority above \(kept)" : "nothing: \(kept) is the highest priority"
    case .ephemeralClickMismatch(let click, _):
      "trigger the event on a page of \(click.destination.domain) with a pixel of \(click.source.domain), before any other event"
    case .noEphemeralClick: "click in the private session before each event: one ephemeral click serves one event"
    }
  }
}
