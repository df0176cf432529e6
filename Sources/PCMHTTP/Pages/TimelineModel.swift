package import PCMBrowser
import PCMCore
package import PCMPages

/// The visible part of a timeline.
struct TimelineRequest {
  fileprivate let range: Range<Int64>?
  fileprivate let width: Int

  init(_ query: QueryReader) throws {
    width = try Self.width(query)
    let (from, to) = (try Self.number("from", query), try Self.number("to", query))
    guard let from, let to else {
      range = nil
      return
    }
    let bounds = -Instant.latest.milliseconds...2 * Instant.latest.milliseconds
    guard from < to, bounds.contains(from), bounds.contains(to) else {
      throw Problem.invalidParameter("to", "must be after from, in milliseconds since 1970")
    }
    range = from..<to
  }

  static func width(_ query: QueryReader) throws -> Int {
    try number("width", query).map { Int(clamping: $0) } ?? 1_000
  }

  /// The whole time.
  init(width: Int) {
    self.width = width
    range = nil
  }

  private static func number(_ name: String, _ query: QueryReader) throws -> Int64? {
    guard let text = query.text(name) else { return nil }
    guard !text.hasPrefix("+"), let number = Int64(text) else {
      throw Problem.invalidParameter(name, "\"\(text)\" is not a whole number")
    }
    return number
  }
}

extension Browser {
  /// The whole timeline for a report; nil without clicks, triggering events, and messages.
  package func stillTimeline() async throws -> TimelineView? {
    let timeline = try await timeline(TimelineRequest(width: 960))
    return timeline.isEmpty ? nil : timeline
  }

  func timeline(_ request: TimelineRequest) async throws -> TimelineView {
    var lanes = TimelineLanes()
    let omitted = try await addHistories(to: &lanes)
    try await visitNewest {
      try await self.triggeringEvents(after: $0, limit: 1_000)
    } visit: {
      lanes.add($0)
    }
    try await visitNewest {
      try await self.attributions(after: $0, limit: 1_000)
    } visit: {
      lanes.add($0)
    }
    try await visitNewest {
      try await self.departingReportPage(after: $0, limit: 1_000)
    } visit: {
      lanes.add($0)
    }
    try await visitNewest {
      try await self.postbackPage(after: $0, limit: 1_000)
    } visit: {
      lanes.add($0)
    }
    return TimelineView(
      lanes: lanes.sorted, now: configuration.now.milliseconds, range: request.range, width: request.width,
      omitted: max(try await logEnd() - Self.shownHistory, omitted))
  }

  /// Adds the clicks, and the ads, installs, and conversions of the device, and returns the number of the last event that is not
  /// shown.
  private func addHistories(to lanes: inout TimelineLanes) async throws -> Int64 {
    let clicks = ClickHistory(try await newestEvents(ClickHistory.kinds))
    for (lane, item) in clicks.items { lanes.add(item, to: lane) }
    let device = try await deviceHistory()
    for (lane, item) in device.items { lanes.add(item, to: lane) }
    return max(clicks.omitted, device.omitted)
  }
}

/// Collects the items of a timeline by lane.
private struct TimelineLanes {
  private var items: [String: [TimelineView.Item]] = [:]

  /// The lanes, those with the latest item first.
  var sorted: [TimelineView.Lane] {
    var lanes: [(latest: Int64, lane: TimelineView.Lane)] = []
    for (title, items) in items.sorted(by: { $0.key < $1.key }) {
      let lane = TimelineView.Lane(title: title, items: items)
      lanes.append((lane.latest, lane))
    }
    lanes.sort { $0.latest > $1.latest }
    return lanes.map(\.lane)
  }

  mutating func add(_ item: TimelineView.Item, to lane: String) { items[lane, default: []].append(item) }

  private static func lane(_ key: ClickKey) -> String { "\(key.source.domain) → \(key.destination.domain)" }

  mutating func add(_ record: TriggeringEventRecord) {
    let kind: TimelineView.Kind =
      switch record.outcome {
      case .attributed: .attributed
      case .unmatched: .unmatched
      case .rejected: .rejected
      case .notTriggering: .ignored
      }
    let id = RecordName.triggeringEvent(record.id)
    let lane =
      record.attribution.map { Self.lane($0.key) }
      ?? record.trigger.map { "\($0.source.domain) → \($0.destination.domain)" } ?? "Other requests"
    add(
      .init(kind, id: id, start: record.at.milliseconds, title: "Triggering event \(record.outcome.rawValue): \(id)", row: 1),
      to: lane)
  }

  mutating func add(_ record: AttributionRecord) {
    let start = record.attributedAt + SendTimes.shortestDelay
    for (row, recipient, report) in [(2, "source", record.sourceReport), (3, "destination", record.destinationReport)] {
      let name = RecordName.report(report)
      add(
        .init(
          .window, id: name, start: start.milliseconds, end: (start + SendTimes.delayRange).milliseconds,
          title: "24 to 48 hours, \(recipient): \(name)", row: row, recipient: recipient),
        to: Self.lane(record.key))
    }
  }

  mutating func add(_ report: Report) {
    let id = RecordName.report(report.id)
    let recipient = report.recipient == .source ? "source" : "destination"
    add(
      message(
        report, id: id, title: "Report to the \(recipient) \(report.state.rawValue): \(id)",
        row: report.recipient == .source ? 2 : 3, recipient: recipient),
      to: Self.lane(report.key))
  }

  mutating func add(_ postback: Postback) {
    let id = RecordName.postback(postback.id)
    let isCopy = postback.recipient == .developer
    let title = "\(isCopy ? "Copy for the developer" : "Postback") \(postback.state.rawValue): \(id)"
    add(
      message(
        postback, id: id, title: title, row: isCopy ? 3 : 2, recipient: isCopy ? "developer" : "ad network", isCopy: isCopy),
      to: DeviceHistory.lane(postback.adNetworkIdentifier, postback.bundleIdentifier))
  }

  /// A message is at its due time until it was sent, then at its last attempt.
  private func message(
    _ record: some OutgoingRecord, id: String, title: String, row: Int, recipient: String, isCopy: Bool = false
  ) -> TimelineView.Item {
    let kind: TimelineView.Kind =
      switch record.message.state {
      case .scheduled, .sending: .scheduled
      case .delivered: .delivered
      case .failed: .failed
      case .superseded, .cleared: .dropped
      }
    let attempted = record.attempts.last.flatMap { JSON(parsing: Array($0.utf8))?["at"]?.string }.flatMap { Instant(text: $0) }
    let place = kind == .scheduled ? record.message.retryAt ?? record.message.dueAt : attempted ?? record.message.dueAt
    return .init(kind, id: id, start: place.milliseconds, title: title, row: row, recipient: recipient, isCopy: isCopy)
  }
}
