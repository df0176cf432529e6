import GRDB
import PCMCore
import PCMStore

extension SQLiteBrowser {
  enum AttributionSQL {
    private static let columns = """
      id, source, destination, bundle, click, source_id, made_at, nonce, report_endpoint, token, trigger_data,
      trigger_priority, destination_token, attributed_at, source_report, source_due, destination_report, destination_due
      """
    private static let select = "SELECT \(columns), next_due FROM attributions WHERE browser = ?"
    static let find = "\(select) AND session = ? AND source = ? AND destination = ? AND bundle = ?"
    static let after = "\(select) AND session = ? AND id > ? ORDER BY id LIMIT ?"
    static let naming = """
      SELECT \(columns), next_due FROM attributions
      WHERE browser = ?1 AND session = ?2 AND (source = ?3 OR destination = ?3) ORDER BY id
      """
    static let earliest = "\(select) ORDER BY next_due, id, session LIMIT ?"
    static let save = """
      INSERT INTO attributions (browser, session, \(columns), next_due)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
      ON CONFLICT (browser, session, source, destination, bundle) DO UPDATE SET id = excluded.id, click = excluded.click,
        source_id = excluded.source_id, made_at = excluded.made_at, nonce = excluded.nonce, report_endpoint = excluded.report_endpoint,
        token = excluded.token, destination_token = excluded.destination_token,
        trigger_data = excluded.trigger_data, trigger_priority = excluded.trigger_priority,
        attributed_at = excluded.attributed_at, source_report = excluded.source_report, source_due = excluded.source_due,
        destination_report = excluded.destination_report, destination_due = excluded.destination_due,
        next_due = excluded.next_due
      """
    static let remove = """
      DELETE FROM attributions WHERE browser = ? AND session = ? AND source = ? AND destination = ? AND bundle = ?
      """
    static let removeAll = "DELETE FROM attributions WHERE browser = ? AND session = ?"
    static let plain = [find, after, naming, earliest, save, remove, removeAll]
  }

  func attribution(_ key: ClickKey, in session: SessionKind) throws -> Attribution? {
    try row(
      AttributionSQL.find,
      [id, session.rawValue, key.source.domain, key.destination.domain, key.bundleIdentifier], of: "attributions",
      Self.decodeAttribution)
  }

  func attributions(in session: SessionKind, after number: Int64, limit: Int) throws -> [Attribution] {
    try rows(
      AttributionSQL.after, [id, session.rawValue, number, bounded(limit)], of: "attributions", Self.decodeAttribution)
  }

  func attributions(in session: SessionKind, naming site: Site) throws -> [Attribution] {
    try rows(AttributionSQL.naming, [id, session.rawValue, site.domain], of: "attributions", Self.decodeAttribution)
  }

  func earliestAttributions(limit: Int) throws -> [Attribution] {
    try rows(AttributionSQL.earliest, [id, bounded(limit)], of: "attributions", Self.decodeAttribution)
  }

  func save(_ attribution: Attribution, in session: SessionKind) throws {
    try attribution.requireStorableTimes()
    guard let next = attribution.next else { return try removeAttribution(attribution.key, in: session) }
    let click = attribution.click.click
    try execute(
      AttributionSQL.save,
      [
        id, session.rawValue, attribution.id, click.key.source.domain, click.key.destination.domain,
        click.key.bundleIdentifier, attribution.click.id, click.sourceID, click.clickedAt.milliseconds, click.nonce,
        click.reportEndpoint, click.token?.columnText, attribution.trigger.data, attribution.trigger.priority,
        attribution.destinationToken?.columnText, attribution.attributedAt.milliseconds,
        attribution.source?.report, attribution.source?.dueAt.milliseconds, attribution.destination?.report,
        attribution.destination?.dueAt.milliseconds, next.half.dueAt.milliseconds,
      ])
  }

  func removeAttribution(_ key: ClickKey, in session: SessionKind) throws {
    try execute(
      AttributionSQL.remove, [id, session.rawValue, key.source.domain, key.destination.domain, key.bundleIdentifier])
  }

  func removeAllAttributions(in session: SessionKind) throws -> Int {
    try execute(AttributionSQL.removeAll, [id, session.rawValue])
    return database.changesCount
  }

  private static func decodeAttribution(_ row: inout RowReader) throws -> Attribution {
    let id = try row.number()
    let key = try row.key()
    let click = KeptClick(
      id: try row.number(),
      click: Click(
        key: key, sourceID: try row.byte(), clickedAt: try row.instant(), nonce: try row.optionalText(),
        reportEndpoint: try row.optionalText(), token: try row.optionalToken()))
    let attribution = Attribution(
      id: id, click: click, trigger: Trigger(data: try row.byte(), priority: try row.byte()),
      destinationToken: try row.optionalToken(), attributedAt: try row.instant(), source: try row.pendingHalf(),
      destination: try row.pendingHalf())
    // Another time would hide the attributions that are due after it.
    guard try row.instant() == attribution.next?.half.dueAt else { throw row.corrupt() }
    return attribution
  }
}

extension RowReader {
  fileprivate mutating func pendingHalf() throws -> Attribution.PendingHalf? {
    let (report, dueAt) = (try optionalNumber(), try optionalInstant())
    guard let report, let dueAt else { return nil }
    return Attribution.PendingHalf(report: report, dueAt: dueAt)
  }
}
