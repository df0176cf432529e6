import PCMBrowser
import PCMCore
import PCMPages

/// The clicks in the log of a browser. The log is read once, and not once for each click as the records of the API are.
struct ClickHistory {
  /// The kinds of the events that record the outcome of a click.
  static let outcomes: Set<EventKind> = [.clickStored, .ephemeralClickStored, .clickDiscarded]
  /// The kinds of the events to read: the outcomes, and the ends.
  static let kinds = outcomes.union(endings.keys).union([.dataCleared])

  private static let endings: [EventKind: String] = [
    .attributed: "attributed", .clickReplaced: "replaced", .clickExpired: "expired", .clickConsumedByLowerPriority: "lost",
    .triggerUnmatched: "lost",
  ]

  private let clicks: [ShownEvent]
  /// The number of the last event that is not shown; 0 when all are.
  let omitted: Int64
  /// The last states of clicks, by their names.
  private var states: [String: String] = [:]
  /// When data was cleared: each time with the site, or nil for all.
  private let clearings: [(sequence: Int64, at: Instant, site: String?)]

  init(_ log: NewestItems<ShownEvent>) {
    let events = log.items
    omitted = log.lastOmitted?.sequence ?? 0
    clicks = events.filter(\.isOutcomeOfClick)
    clearings = events.filter { $0.kind == .dataCleared }.map { ($0.sequence, $0.at, $0.text("site")) }
    for event in events {
      guard let state = Self.endings[event.kind], let name = event.text("clickId") else { continue }
      states[name] = state
    }
  }

  /// The items of the timeline, each with its lane.
  var items: [(lane: String, item: TimelineView.Item)] {
    clicks.map { event in
      let (name, start) = (RecordName.click(event.sequence), event.at.milliseconds)
      guard event.kind != .clickDiscarded, let source = event.text("sourceSite"),
        let destination = event.text("destinationSite")
      else {
        return ("Discarded clicks", .init(.rejected, id: name, start: start, title: "Discarded click: \(name)", row: 0))
      }
      let expiry = event.text("expiresAt").flatMap { Instant(text: $0) } ?? event.at
      let clearing =
        states[name] == nil
        ? clearings.first { $0.sequence > event.sequence && ($0.site.map { [source, destination].contains($0) } ?? true) } : nil
      let end = clearing.map { min($0.at, expiry) } ?? expiry
      let state = clearing == nil ? states[name] ?? (event.kind == .clickStored ? "stored" : "ephemeral") : "cleared"
      let title = "Click \(state): \(name)"
      return (
        "\(source) → \(destination)",
        .init(.click, id: name, start: start, end: end.milliseconds, title: title, row: 0)
      )
    }
  }
}

extension ShownEvent {
  /// Whether the event records the outcome of a click, and not the storing of one that was ephemeral before.
  var isOutcomeOfClick: Bool {
    kind == .clickDiscarded
      || ClickHistory.outcomes.contains(kind) && text("clickId") == RecordName.click(sequence)
  }
}
