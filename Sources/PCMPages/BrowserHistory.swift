package import PCMCore

/// The history of a browser and its device for a timeline: items by lane, collected from the log and the records as
/// the API returns them.
package struct BrowserHistory {
  /// The kinds of the events to add.
  package static let kinds = ClickHistory.kinds.union(DeviceHistory.kinds)

  private var clicks = ClickHistory()
  private var device = DeviceHistory()
  private var items: [LaneItem] = []

  package init() {}

  /// Whether there are ads for apps, installs, or conversions.
  package var hasDevice: Bool { !device.isEmpty }

  /// Adds an event of the log. Events are added in their order.
  package mutating func add(event: JSON) {
    guard let event = ShownEvent(event) else { return }
    clicks.note(event)
    device.note(event)
  }

  /// The lanes, the latest item's first.
  ///
  /// - Parameter apps: The bundle identifiers of the registered apps by their identifiers in the App Store.
  func lanes(apps: [Int64: String]) -> [TimelineView.Lane] {
    let all = clicks.items + device.items(apps: apps) + items
    let lanes = Dictionary(grouping: all, by: \.lane).map { TimelineView.Lane(title: $0.key, items: $0.value.map(\.item)) }
    return lanes.sorted { ($1.latest, $0.title) < ($0.latest, $1.title) }
  }
}

/// An item with the name of its lane.
typealias LaneItem = (lane: String, item: TimelineView.Item)

/// The part of an event that a timeline shows.
struct ShownEvent {
  let kind: EventKind
  let sequence: Int64
  let at: Instant
  let detail: JSON

  init?(_ event: JSON) {
    guard let sequence = event["sequence"]?.integer, let at = event.instant(of: "at") else { return nil }
    (kind, self.sequence, self.at) = (EventKind(rawValue: event.text(of: "kind")), sequence, at)
    detail = event["detail"]?.parsed ?? .null
  }

  /// The bundle identifier of the app; empty without one.
  var app: String { detail.text(of: "bundleIdentifier") }
  var impression: Int64? { RecordName.Kind.impression.number(detail.text(of: "impressionId")) }
  var conversion: Int64? { RecordName.Kind.conversion.number(detail.text(of: "conversionId")) }
}

// MARK: Records

extension BrowserHistory {
  package mutating func add(triggeringEvent record: JSON) {
    guard let at = record.instant(of: "at") else { return }
    let (id, outcome) = (record.text(of: "id"), record.text(of: "outcome"))
    let kind: TimelineView.Kind =
      switch outcome {
      case "attributed": .attributed
      case "unmatched": .unmatched
      case "rejected": .rejected
      default: .ignored
      }
    let pair = [record["attribution"], record["trigger"]].compactMap { $0 }.first { $0 != .null }
    let item = TimelineView.Item(kind: kind, id: id, start: at, title: "Triggering event \(outcome): \(id)", row: 1)
    items.append((pair.map(Self.lane(of:)) ?? "Other requests", item))
  }

  package mutating func add(attribution record: JSON) {
    guard let attributedAt = record.instant(of: "attributedAt") else { return }
    let start = attributedAt + SendTimes.shortestDelay
    for (row, recipient) in [(2, "source"), (3, "destination")] {
      let name = record.text(of: "\(recipient)ReportId")
      let item = TimelineView.Item(
        kind: .window, id: name, start: start, end: start + SendTimes.delayRange,
        title: "24 to 48 hours, \(recipient): \(name)", row: row, recipient: recipient)
      items.append((Self.lane(of: record), item))
    }
  }

  package mutating func add(report: JSON) {
    let recipient = report.text(of: "recipient")
    let title = "Report to the \(recipient) \(report.text(of: "state")): \(report.text(of: "id"))"
    let body = report["body"]?.parsed ?? .null
    add(
      report, title, row: recipient == "source" ? 2 : 3, recipient,
      to: Self.lane(body.text(of: "source_site"), body.text(of: "attributed_on_site")))
  }

  package mutating func add(postback: JSON) {
    let isCopy = postback.text(of: "recipient") == "developer"
    let title =
      "\(isCopy ? "Copy for the developer" : "Postback") \(postback.text(of: "state")): \(postback.text(of: "id"))"
    add(
      postback, title, row: isCopy ? 3 : 2, isCopy ? "developer" : "ad network", isCopy: isCopy,
      to: Self.lane(postback.text(of: "adNetworkIdentifier"), postback.text(of: "bundleIdentifier")))
  }

  /// Adds a message at its due time until it was sent, then at its last attempt.
  private mutating func add(
    _ message: JSON, _ title: String, row: Int, _ recipient: String, isCopy: Bool = false, to lane: String
  ) {
    let kind: TimelineView.Kind =
      switch message.text(of: "state") {
      case "scheduled", "sending": .scheduled
      case "delivered": .delivered
      case "failed": .failed
      default: .dropped
      }
    let planned =
      kind == .scheduled ? message.instant(of: "retryAt") : message["attempts"]?.items.last?.parsed.instant(of: "at")
    guard let start = planned ?? message.instant(of: "dueAt") else { return }
    let item = TimelineView.Item(
      kind: kind, id: message.text(of: "id"), start: start, title: title, row: row, recipient: recipient, isCopy: isCopy)
    items.append((lane, item))
  }

  /// The lane of the sites of a record.
  private static func lane(of record: JSON) -> String {
    lane(record.text(of: "sourceSite"), record.text(of: "destinationSite"))
  }

  /// The lane of a source and a destination, or of an ad network and an app.
  static func lane(_ source: String, _ destination: String) -> String { "\(source) → \(destination)" }
}
