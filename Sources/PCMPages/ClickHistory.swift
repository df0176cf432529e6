import PCMCore

/// The clicks in the log of a browser.
struct ClickHistory: Sendable {
  /// The kinds of the events that record the outcome of a click.
  private static let outcomes: Set<EventKind> = [.clickStored, .ephemeralClickStored, .clickDiscarded, .clickHandedOver]
  /// The kinds of the events to note: the outcomes, and the ends.
  static let kinds = outcomes.union(endings.keys).union([.dataCleared])

  private static let endings: [EventKind: String] = [
    .attributed: "attributed", .clickReplaced: "replaced", .clickExpired: "expired", .clickConsumedByLowerPriority: "lost",
    .triggerUnmatched: "lost",
  ]

  /// A click that the browser kept.
  private struct Click {
    let sequence: Int64
    let at: Instant
    let title: String
    let facts: [String]
    let sites: [String]
    let expiry: Instant
    /// The state without a later event.
    let state: String
  }

  private var clicks: [Click] = []
  private var others: [LaneItem] = []
  /// The last states of clicks, by their names.
  private var states: [String: String] = [:]
  /// When data was cleared: each time with the site, or nil for all.
  private var clearings: [(sequence: Int64, at: Instant, site: String?)] = []

  mutating func note(_ event: ShownEvent) {
    let (name, id) = (RecordName.click(event.sequence), event.detail.text(of: "clickId"))
    switch event.kind {
    case .clickDiscarded:
      others.append(
        (
          "Discarded clicks",
          HistoryItem(
            kind: .rejected, id: name, start: event.at, title: title(of: event), outcome: "discarded",
            facts: event.detail.reasonCodes, reason: event.detail.firstReason)
        ))
    case .clickHandedOver:
      others.append(
        ("Web ads", HistoryItem(kind: .ad, id: name, start: event.at, title: title(of: event), outcome: "handed over")))
    // An ephemeral click that is stored later is another event of the same click.
    case .clickStored where id == name, .ephemeralClickStored where id == name:
      clicks.append(
        Click(
          sequence: event.sequence, at: event.at, title: title(of: event),
          facts: event.detail.facts("sourceSite", "sourceIdentifier") + event.detail.reasonCodes,
          sites: [event.detail.text(of: "sourceSite"), event.detail.text(of: "destinationSite")],
          expiry: event.detail.instant(of: "expiresAt") ?? event.at,
          state: event.kind == .clickStored ? "stored" : "ephemeral"))
    case .dataCleared: clearings.append((event.sequence, event.at, event.detail["site"]?.string))
    default: if let state = Self.endings[event.kind], !id.isEmpty { states[id] = state }
    }
  }

  private func title(of event: ShownEvent) -> String {
    let site = event.detail["destinationSite"]?.string
    let isTap = event.detail.text(of: "via") == "event-attribution"
    return isTap ? "Tap on an ad\(site.map { " for \($0)" } ?? "")" : "Link click\(site.map { " to \($0)" } ?? "")"
  }

  var items: [LaneItem] {
    others
      + clicks.map { click in
        let name = RecordName.click(click.sequence)
        let clearing =
          states[name] == nil
          ? clearings.first { $0.sequence > click.sequence && ($0.site.map(click.sites.contains) ?? true) } : nil
        let state = clearing == nil ? states[name] ?? click.state : "cleared"
        return (
          BrowserHistory.lane(click.sites[0], click.sites[1]),
          HistoryItem(
            kind: .click, id: name, start: click.at, end: clearing.map { min($0.at, click.expiry) } ?? click.expiry,
            title: click.title, outcome: state, facts: click.facts + ["until \(click.expiry.shown)"])
        )
      }
  }
}
