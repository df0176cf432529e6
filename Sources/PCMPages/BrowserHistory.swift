package import PCMCore

/// The history of a browser and its device, for the timeline and the story, from the events and the records
/// that the API returns.
package struct BrowserHistory: Sendable {
  /// The kinds of the events to add.
  package static let kinds = ClickHistory.kinds.union(DeviceHistory.kinds).union(NoteHistory.kinds)

  private var clicks = ClickHistory()
  private var device = DeviceHistory()
  private var notes = NoteHistory()
  private var items: [LaneItem] = []

  package init() {}

  /// Whether there are ads for apps, installs, or conversions.
  package var hasDevice: Bool { !device.isEmpty }

  /// Adds an event of the log. Events are added in their order.
  package mutating func add(event: JSON) {
    guard let event = ShownEvent(event) else { return }
    clicks.note(event)
    device.note(event)
    notes.note(event)
  }

  /// The lanes, the latest item's first.
  ///
  /// - Parameter apps: The bundle identifiers of the registered apps by their identifiers in the App Store.
  func lanes(apps: [Int64: String]) -> [TimelineView.Lane] {
    let all = clicks.items + device.items(apps: apps) + items
    let lanes = Dictionary(grouping: all, by: \.lane).map { TimelineView.Lane(title: $0.key, items: $0.value.map(\.item)) }
    return lanes.sorted { ($1.latest, $0.title) < ($0.latest, $1.title) }
  }

  /// The rows of the story, oldest first.
  ///
  /// - Parameter apps: The bundle identifiers of the registered apps by their identifiers in the App Store.
  func story(apps: [Int64: String]) -> [HistoryItem] {
    let drawn = (clicks.items + device.items(apps: apps) + items).map(\.item).filter(\.isInStory)
    let ordered = (drawn + notes.items).map { (item: $0, number: $0.sequence ?? RecordName.number(in: $0.id) ?? 0) }
    return ordered.sorted { ($0.item.start, $0.number) < ($1.item.start, $1.number) }.map(\.item)
  }
}

/// An item with the name of its lane.
typealias LaneItem = (lane: String, item: HistoryItem)

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
    let kind: HistoryItem.Kind =
      switch outcome {
      case "attributed": .attributed
      case "unmatched": .unmatched
      case "rejected": .rejected
      default: .ignored
      }
    let pair = [record["attribution"], record["trigger"]].compactMap { $0 }.first { $0 != .null }
    let trigger = record["trigger"]?.parsed ?? .null
    let site = trigger["destinationSite"]?.string
    let item = HistoryItem(
      kind: kind, id: id, start: at, title: "Triggering event\(site.map { " on \($0)" } ?? "")", outcome: outcome,
      facts: trigger.facts("data", "priority") + (record["attribution"]?.parsed["clickId"]?.string.map { ["to \($0)"] } ?? [])
        + record.reasonCodes, reason: record.firstReason, row: 1)
    items.append((pair.map(Self.lane(of:)) ?? "Other requests", item))
  }

  package mutating func add(attribution record: JSON) {
    guard let attributedAt = record.instant(of: "attributedAt") else { return }
    let start = attributedAt + SendTimes.shortestDelay
    for (row, recipient) in [(2, "source"), (3, "destination")] {
      let name = record.text(of: "\(recipient)ReportId")
      let item = HistoryItem(
        kind: .window, id: name, start: start, end: start + SendTimes.delayRange, title: "24 to 48 hours, \(recipient)",
        row: row, recipient: recipient)
      items.append((Self.lane(of: record), item))
    }
  }

  package mutating func add(report: JSON) {
    let recipient = report.text(of: "recipient")
    let body = report["body"]?.parsed ?? .null
    let site = body.text(of: recipient == "source" ? "source_site" : "attributed_on_site")
    add(
      report, "Report to \(site)", body.facts("source_id", "trigger_data"), row: recipient == "source" ? 2 : 3, recipient,
      to: Self.lane(body.text(of: "source_site"), body.text(of: "attributed_on_site")))
  }

  package mutating func add(postback: JSON) {
    let isCopy = postback.text(of: "recipient") == "developer"
    let network = postback.text(of: "adNetworkIdentifier")
    let body = postback["body"]?.parsed ?? .null
    let values = (Markup.payload(in: body) ?? body).facts(
      "conversion-value", "coarse-conversion-value", "postback-sequence-index", "did-win", "conversion-type")
    add(
      postback, isCopy ? "Copy for the developer of \(postback.text(of: "bundleIdentifier"))" : "Postback to \(network)",
      values,
      row: isCopy ? 3 : 2, isCopy ? "developer" : "ad network", isCopy: isCopy,
      to: Self.lane(network, postback.text(of: "bundleIdentifier")))
  }

  /// Adds a message at its due time until it was sent, then at its last attempt.
  private mutating func add(
    _ message: JSON, _ title: String, _ values: [String], row: Int, _ recipient: String, isCopy: Bool = false, to lane: String
  ) {
    let state = message.text(of: "state")
    let kind: HistoryItem.Kind =
      switch state {
      case "scheduled", "sending": .scheduled
      case "delivered": .delivered
      case "failed": .failed
      default: .dropped
      }
    let attempt = message["attempts"]?.items.last?.parsed
    let planned = kind == .scheduled ? message.instant(of: "retryAt") : attempt?.instant(of: "at")
    guard let start = planned ?? message.instant(of: "dueAt") else { return }
    let error = attempt?["error"]?["detail"]?.string
    let item = HistoryItem(
      kind: kind, id: message.text(of: "id"), start: start, title: title, outcome: state,
      facts: values + (attempt.map { [MessageView.outcome(of: $0)] } ?? []), reason: kind == .failed ? error : nil, row: row,
      recipient: recipient, isCopy: isCopy)
    items.append((lane, item))
  }

  /// The lane of the sites of a record.
  private static func lane(of record: JSON) -> String {
    lane(record.text(of: "sourceSite"), record.text(of: "destinationSite"))
  }

  /// The lane of a source and a destination, or of an ad network and an app.
  static func lane(_ source: String, _ destination: String) -> String { "\(source) → \(destination)" }
}
