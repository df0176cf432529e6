import PCMBrowser
import PCMCore
import PCMPages

/// The clicks in the log of a browser. The log is read once, and not once for each click as the records of the API are.
struct ClickHistory {
  /// The kinds of the events that record the outcome of a click.
  static let outcomes: Set<EventKind> = [.clickStored, .ephemeralClickStored, .clickDiscarded]
  /// The kinds of the events to read: the outcomes, and the ends.
  static let kinds = outcomes.union(endings.keys)

  private static let endings: [EventKind: String] = [
    .attributed: "attributed", .clickReplaced: "replaced", .clickExpired: "expired", .clickConsumedByLowerPriority: "lost",
    .triggerUnmatched: "lost",
  ]

  private let clicks: [ShownEvent]
  /// The last states of clicks, by their names.
  private var states: [String: String] = [:]

  init(_ log: [LogEvent]) {
    let events = log.compactMap { ShownEvent($0) }
    clicks = events.filter(\.isOutcomeOfClick)
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
      let end = event.text("expiresAt").flatMap { Instant(text: $0) } ?? event.at
      let title = "Click \(states[name] ?? (event.kind == .clickStored ? "stored" : "ephemeral")): \(name)"
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
