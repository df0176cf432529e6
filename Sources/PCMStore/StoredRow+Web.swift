package import PCMCore

/// The key of a row that belongs to a click, in one place or session.
package struct PlacedKey: Hashable, Comparable, Sendable {
  package let place: Int64
  package let key: ClickKey

  static let columns = ["source", "destination", "bundle"]

  var columns: [any ColumnValue] { [place, key.source.domain, key.destination.domain, key.bundleIdentifier] }

  package static func < (left: PlacedKey, right: PlacedKey) -> Bool {
    if left.place != right.place { return left.place < right.place }
    if left.key.source != right.key.source { return left.key.source < right.key.source }
    if left.key.destination != right.key.destination { return left.key.destination < right.key.destination }
    return left.key.bundleIdentifier < right.key.bundleIdentifier
  }
}

/// A click in its place.
package struct ClickRow: StoredRow {
  package let place: ClickPlace
  package var click: KeptClick

  package init(_ click: KeptClick, in place: ClickPlace) {
    (self.place, self.click) = (place, click)
  }

  /// There is no index on the destination, because only clearing a site needs it, and every click would pay for it. A token is
  /// always read and written as a whole, so its three texts share a column.
  package static let table = RowTable(
    name: "clicks",
    columns: [
      "id INTEGER NOT NULL", "place INTEGER NOT NULL", "source TEXT NOT NULL", "destination TEXT NOT NULL",
      "bundle TEXT NOT NULL", "source_id INTEGER NOT NULL", "made_at INTEGER NOT NULL", "nonce TEXT", "report_endpoint TEXT",
      "token TEXT",
    ], key: ["place"] + PlacedKey.columns, group: "place", position: "id", times: ["made_at", "id"], hasTimesOfGroups: true,
    hasOrderOfKeys: true)

  package var rowKey: PlacedKey { PlacedKey(place: place.rawValue, key: click.click.key) }
  package static func columns(of key: PlacedKey) -> [any ColumnValue] { key.columns }
  package var group: StoredValue? { place.rawValue.stored }
  package var position: Int64 { click.id }
  package var time: Instant? { click.click.clickedAt }
  package func names(_ site: Site) -> Bool { click.click.key.names(site) }

  package var columns: [any ColumnValue] {
    let made = click.click
    return [click.id] + rowKey.columns + [
      made.sourceID, made.clickedAt, made.nonce, made.reportEndpoint, made.token?.columnText,
    ]
  }

  package init(columns row: inout RowReader) throws {
    let (id, place): (Int64, ClickPlace) = (try row.number(), try row.numbered())
    self.init(KeptClick(id: id, click: try row.click()), in: place)
  }

  package static func table(in tables: MemoryTables) -> MemoryTable<ClickRow> { tables.clicks }
}

/// An attribution in its session.
package struct AttributionRow: StoredRow {
  package let session: SessionKind
  package var attribution: Attribution

  package init(_ attribution: Attribution, in session: SessionKind) {
    (self.session, self.attribution) = (session, attribution)
  }

  package static let table = RowTable(
    name: "attributions",
    columns: [
      "id INTEGER NOT NULL", "session INTEGER NOT NULL", "click INTEGER NOT NULL", "source TEXT NOT NULL",
      "destination TEXT NOT NULL", "bundle TEXT NOT NULL", "source_id INTEGER NOT NULL", "made_at INTEGER NOT NULL",
      "nonce TEXT", "report_endpoint TEXT", "token TEXT", "trigger_data INTEGER NOT NULL", "trigger_priority INTEGER NOT NULL",
      "destination_token TEXT", "attributed_at INTEGER NOT NULL", "source_report INTEGER", "source_due INTEGER",
      "destination_report INTEGER", "destination_due INTEGER", "next_due INTEGER NOT NULL",
    ], key: ["session"] + PlacedKey.columns, group: "session", position: "id", times: ["next_due", "id", "session"])

  package var rowKey: PlacedKey { PlacedKey(place: session.rawValue, key: attribution.key) }
  package static func columns(of key: PlacedKey) -> [any ColumnValue] { key.columns }
  package var group: StoredValue? { session.rawValue.stored }
  package var position: Int64 { attribution.id }
  package var time: Instant? { attribution.next?.half.dueAt }
  package var times: [Instant?] {
    [
      attribution.click.click.clickedAt, attribution.attributedAt, attribution.source?.dueAt, attribution.destination?.dueAt,
    ]
  }
  package func names(_ site: Site) -> Bool { attribution.key.names(site) }

  package var columns: [any ColumnValue] {
    let (kept, made) = (attribution.click, attribution.click.click)
    let (source, destination) = (attribution.source, attribution.destination)
    return [attribution.id, session.rawValue, kept.id] + rowKey.columns.dropFirst() + [
      made.sourceID, made.clickedAt, made.nonce, made.reportEndpoint, made.token?.columnText, attribution.trigger.data,
      attribution.trigger.priority, attribution.destinationToken?.columnText, attribution.attributedAt, source?.report,
      source?.dueAt, destination?.report, destination?.dueAt, time,
    ]
  }

  package init(columns row: inout RowReader) throws {
    let (id, session): (Int64, SessionKind) = (try row.number(), try row.numbered())
    let click = KeptClick(id: try row.number(), click: try row.click())
    let attribution = Attribution(
      id: id, click: click, trigger: Trigger(data: try row.byte(), priority: try row.byte()),
      destinationToken: try row.optionalToken(), attributedAt: try row.instant(), source: try row.pendingHalf(),
      destination: try row.pendingHalf())
    // Another time would hide the attributions that are due after it.
    guard try row.instant() == attribution.next?.half.dueAt else { throw row.corrupt() }
    self.init(attribution, in: session)
  }

  package static func table(in tables: MemoryTables) -> MemoryTable<AttributionRow> { tables.attributions }
}

extension RowReader {
  fileprivate mutating func click() throws -> Click {
    Click(
      key: try key(), sourceID: try byte(), clickedAt: try instant(), nonce: try optionalText(),
      reportEndpoint: try optionalText(), token: try optionalToken())
  }

  fileprivate mutating func pendingHalf() throws -> Attribution.PendingHalf? {
    let (report, dueAt) = (try optionalNumber(), try optionalInstant())
    guard let report, let dueAt else { return nil }
    return Attribution.PendingHalf(report: report, dueAt: dueAt)
  }
}

extension Report: StoredRow {
  /// The body contains the tokens, so a report has only the names of its keys.
  package static let table = RowTable(
    name: "reports",
    columns: [
      "id INTEGER NOT NULL", "attribution INTEGER NOT NULL", "session INTEGER NOT NULL", "source TEXT NOT NULL",
      "destination TEXT NOT NULL", "bundle TEXT NOT NULL", "recipient TEXT NOT NULL", "url TEXT NOT NULL", "body TEXT NOT NULL",
      "source_key TEXT", "destination_key TEXT", "due_at INTEGER NOT NULL", "state TEXT NOT NULL", "retry_at INTEGER",
      "attempts TEXT NOT NULL", "attempt_count INTEGER NOT NULL",
    ], key: ["id"], group: "state", position: "id", times: ["retry_at", "id"])

  package var rowKey: Int64 { id }
  package var group: StoredValue? { state.rawValue.stored }
  package var time: Instant? { retryAt }
  package var times: [Instant?] { [dueAt, retryAt] }
  package func names(_ site: Site) -> Bool { key.names(site) }

  package var columns: [any ColumnValue] {
    [
      id, attribution, session.rawValue, key.source.domain, key.destination.domain, key.bundleIdentifier, recipient.rawValue,
      url, body, sourceKeyID, destinationKeyID, dueAt, state.rawValue, retryAt, AttemptText.joined(attempts), attemptCount,
    ]
  }

  package init(columns row: inout RowReader) throws {
    let (id, attribution) = (try row.number(), try row.number())
    let (session, key): (SessionKind, ClickKey) = (try row.numbered(), try row.key())
    let (recipient, url, body): (Recipient, String, String) = (try row.named(), try row.text(), try row.jsonText())
    let (sourceKeyID, destinationKeyID) = (try row.optionalText(), try row.optionalText())
    let (dueAt, progress) = (try row.instant(), try row.progress())
    self.init(
      id: id, attribution: attribution, session: session, key: key, recipient: recipient, url: url, body: body,
      sourceKeyID: sourceKeyID, destinationKeyID: destinationKeyID, dueAt: dueAt, state: progress.state,
      retryAt: progress.retryAt, attempts: try row.attempts(), attemptCount: try row.count())
  }

  package static func table(in tables: MemoryTables) -> MemoryTable<Report> { tables.reports }
}
