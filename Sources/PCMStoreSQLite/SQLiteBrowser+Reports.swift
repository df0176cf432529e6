import PCMCore
import PCMStore

extension SQLiteBrowser {
  enum ReportSQL {
    private static let columns = """
      id, attribution, session, source, destination, bundle, recipient, url, body, source_key, destination_key, due_at,
      state, retry_at, attempts, attempt_count
      """
    private static let select = "SELECT \(columns) FROM reports WHERE browser = ?"
    static let find = "\(select) AND id = ?"
    static let after = "\(select) AND id > ? ORDER BY id LIMIT ?"
    static let inState = "\(select) AND state = ? AND id > ? ORDER BY id LIMIT ?"
    private static let heading = "SELECT id, source, destination, recipient FROM reports WHERE browser = ?"
    static let headings = "\(heading) AND id > ? ORDER BY id LIMIT ?"
    static let headingsInState = "\(heading) AND state = ? AND id > ? ORDER BY id LIMIT ?"
    static let scheduledNaming = """
      SELECT \(columns) FROM reports
      WHERE browser = ?1 AND state = ?2 AND (source = ?3 OR destination = ?3) ORDER BY id
      """
    static let earliestRetries = "\(select) AND retry_at IS NOT NULL ORDER BY retry_at, id LIMIT ?"
    static let save = """
      INSERT INTO reports (browser, \(columns)) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
      ON CONFLICT (browser, id) DO UPDATE SET attribution = excluded.attribution, session = excluded.session,
        source = excluded.source, destination = excluded.destination, bundle = excluded.bundle,
        recipient = excluded.recipient, url = excluded.url, body = excluded.body,
        source_key = excluded.source_key, destination_key = excluded.destination_key, due_at = excluded.due_at,
        state = excluded.state, retry_at = excluded.retry_at, attempts = excluded.attempts,
        attempt_count = excluded.attempt_count
      """
    static let remove = "DELETE FROM reports WHERE browser = ? AND id = ?"
    static let plain = [
      find, after, inState, headings, headingsInState, scheduledNaming, earliestRetries, save, remove,
    ]
  }

  func report(_ number: Int64) throws -> Report? {
    try row(ReportSQL.find, [id, number], of: "reports", Self.decodeReport)
  }

  func reports(in state: Report.State?, after number: Int64, limit: Int) throws -> [Report] {
    guard let state else {
      return try rows(ReportSQL.after, [id, number, bounded(limit)], of: "reports", Self.decodeReport)
    }
    return try rows(ReportSQL.inState, [id, state.rawValue, number, bounded(limit)], of: "reports", Self.decodeReport)
  }

  func reportHeadings(in state: Report.State?, after number: Int64, limit: Int) throws -> [ReportHeading] {
    guard let state else {
      return try rows(ReportSQL.headings, [id, number, bounded(limit)], of: "reports", Self.decodeHeading)
    }
    return try rows(
      ReportSQL.headingsInState, [id, state.rawValue, number, bounded(limit)], of: "reports", Self.decodeHeading)
  }

  func scheduledReports(naming site: Site?) throws -> [Report] {
    guard let site else { return try reports(in: .scheduled, after: .min, limit: .max) }
    return try rows(
      ReportSQL.scheduledNaming, [id, Report.State.scheduled.rawValue, site.domain], of: "reports", Self.decodeReport)
  }

  func earliestRetries(limit: Int) throws -> [Report] {
    try rows(ReportSQL.earliestRetries, [id, bounded(limit)], of: "reports", Self.decodeReport)
  }

  func save(_ report: Report) throws {
    try report.requireStorableTimes()
    try execute(
      ReportSQL.save,
      [
        id, report.id, report.attribution, report.session.rawValue, report.key.source.domain,
        report.key.destination.domain, report.key.bundleIdentifier, report.recipient.rawValue, report.url, report.body,
        report.sourceKeyID, report.destinationKeyID, report.dueAt.milliseconds, report.state.rawValue,
        report.retryAt?.milliseconds,
        AttemptText.joined(report.attempts), Int64(report.attemptCount),
      ])
  }

  func removeReport(_ number: Int64) throws {
    try execute(ReportSQL.remove, [id, number])
  }

  private static func decodeHeading(_ row: inout RowReader) throws -> ReportHeading {
    ReportHeading(
      id: try row.number(), source: try row.site(), destination: try row.site(), recipient: try row.named())
  }

  private static func decodeReport(_ row: inout RowReader) throws -> Report {
    let (id, attribution) = (try row.number(), try row.number())
    let (session, key): (SessionKind, ClickKey) = (try row.numbered(), try row.key())
    let (recipient, url, body): (Recipient, String, String) = (try row.named(), try row.text(), try row.jsonText())
    let (sourceKeyID, destinationKeyID) = (try row.optionalText(), try row.optionalText())
    let (dueAt, progress) = (try row.instant(), try row.progress())
    return Report(
      id: id, attribution: attribution, session: session, key: key, recipient: recipient, url: url, body: body,
      sourceKeyID: sourceKeyID, destinationKeyID: destinationKeyID, dueAt: dueAt, state: progress.state,
      retryAt: progress.retryAt, attempts: try row.attempts(), attemptCount: try row.count())
  }
}

/// The attempts of a message in one column: JSON texts separated by the record separator, as in RFC 7464. It does not occur
/// in JSON, so the texts are preserved byte for byte without parsing.
enum AttemptText {
  private static let separator = "\u{1E}"

  static func joined(_ attempts: [String]) -> String { attempts.joined(separator: separator) }

  static func split(_ text: String) -> [String] {
    text.isEmpty ? [] : text.split(separator: separator, omittingEmptySubsequences: false).map(String.init)
  }
}
