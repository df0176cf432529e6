import PCMBrowser
import PCMCore
import PCMStore

/// An event of the log with the members of its detail, as the views of a page read it.
struct ShownEvent {
  let kind: EventKind
  let sequence: Int64
  let at: Instant
  private let detail: JSON

  init?(_ event: LogEvent) {
    guard let detail = JSON(parsing: event.detailWithoutDecision.bytes) else { return nil }
    (kind, sequence, at, self.detail) = (event.kind, event.sequence, event.at, detail)
  }

  func text(_ name: String) -> String? { detail[name]?.string }
  func number(_ name: String) -> Int64? { detail[name]?.integer }

  /// The bundle identifier of the app; empty without one.
  var app: String { text("bundleIdentifier") ?? "" }
  var impression: Int64? { text("impressionId").flatMap(RecordName.Kind.impression.number) }
  var conversion: Int64? { text("conversionId").flatMap(RecordName.Kind.conversion.number) }
}

extension Browser {
  /// Returns the events of some kinds, as far as the page shows the log.
  func newestEvents(_ kinds: Set<EventKind>) async throws -> [LogEvent] {
    var (position, events): (Int64?, [LogEvent]) = (max(try await logEnd() - Self.shownHistory, 0), [])
    for _ in 0..<5 {
      guard let after = position else { break }
      let page = try await eventPage(after: after, limit: 10_000, bytes: .max, EventSelection(kinds: kinds))
      events += page.items
      position = page.next
    }
    return events
  }
}
