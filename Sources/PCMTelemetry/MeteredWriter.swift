import PCMCore
import PCMStore

/// A writer that forwards to a browser's rows and collects the counts of one run of a transaction's body.
final class MeteredWriter: BrowserWriter {
  private let rows: any BrowserWriter
  private var counts = TransactionCounts()
  /// The next attempts of the reports that this transaction read; nil for reports that do not wait.
  private var waits: [Int64: Instant?] = [:]

  init(_ rows: any BrowserWriter) {
    self.rows = rows
  }

  /// Returns the counts of the transaction.
  func transactionCounts() throws -> TransactionCounts {
    if !counts.changes.isEmpty { counts.version = try rows.nextSequence() }
    return counts
  }

  func append(_ event: BrowserEvent, at instant: Instant) throws -> LogEvent {
    let logged = try rows.append(event, at: instant)
    counts.events.append(CountedEvent(event))
    return logged
  }

  func save(_ state: BrowserState) throws {
    try rows.save(state)
    counts.now = state.now
  }

  /// Nearly every changed report was read before. A new report costs one lookup.
  func save(_ report: Report) throws {
    let before = try waits[report.id] ?? rows.report(report.id)?.message.nextAttemptAt
    try rows.save(report)
    track(report)
    guard before != report.message.nextAttemptAt else { return }
    if let before { counts.changes.append(DueChange(due: before, amount: -1)) }
    if let after = report.message.nextAttemptAt { counts.changes.append(DueChange(due: after, amount: 1)) }
  }

  func removeReport(_ id: Int64) throws {
    let before = try waits.removeValue(forKey: id) ?? rows.report(id)?.message.nextAttemptAt
    try rows.removeReport(id)
    if let before { counts.changes.append(DueChange(due: before, amount: -1)) }
  }

  private func track(_ report: Report) {
    waits.updateValue(report.message.nextAttemptAt, forKey: report.id)
  }

  func report(_ id: Int64) throws -> Report? {
    let report = try rows.report(id)
    if let report { track(report) }
    return report
  }

  func reports(in state: Report.State?, after id: Int64, limit: Int) throws -> [Report] {
    tracking(try rows.reports(in: state, after: id, limit: limit))
  }

  /// A report that does not wait need not be read when it is removed.
  func reportHeadings(in state: Report.State?, after id: Int64, limit: Int) throws -> [ReportHeading] {
    let headings = try rows.reportHeadings(in: state, after: id, limit: limit)
    if let state, state != .scheduled {
      for heading in headings { waits.updateValue(nil, forKey: heading.id) }
    }
    return headings
  }

  func scheduledReports(naming site: Site?) throws -> [Report] { tracking(try rows.scheduledReports(naming: site)) }

  func earliestRetries(limit: Int) throws -> [Report] { tracking(try rows.earliestRetries(limit: limit)) }

  private func tracking(_ reports: [Report]) -> [Report] {
    for report in reports { track(report) }
    return reports
  }
}

/// Members that only forward.
extension MeteredWriter {
  func state() throws -> BrowserState { try rows.state() }
  func app(_ bundleIdentifier: String) throws -> AppRecord? { try rows.app(bundleIdentifier) }
  func apps() throws -> [AppRecord] { try rows.apps() }
  func save(_ app: AppRecord) throws { try rows.save(app) }
  func removeApp(_ bundleIdentifier: String) throws { try rows.removeApp(bundleIdentifier) }

  func site(_ host: String) throws -> SiteRecord? { try rows.site(host) }
  func sites() throws -> [SiteRecord] { try rows.sites() }
  func save(_ site: SiteRecord) throws { try rows.save(site) }
  func removeSite(_ host: String) throws { try rows.removeSite(host) }

  func click(_ key: ClickKey, in place: ClickPlace) throws -> KeptClick? { try rows.click(key, in: place) }
  func clicks(in place: ClickPlace, after id: Int64, limit: Int) throws -> [KeptClick] {
    try rows.clicks(in: place, after: id, limit: limit)
  }
  func clicks(in place: ClickPlace, madeBefore instant: Instant) throws -> [KeptClick] {
    try rows.clicks(in: place, madeBefore: instant)
  }
  func clicks(in place: ClickPlace, naming site: Site) throws -> [KeptClick] { try rows.clicks(in: place, naming: site) }
  func nearestClick(source: Site, destination: Site) throws -> KeptClick? {
    try rows.nearestClick(source: source, destination: destination)
  }
  func save(_ click: KeptClick, in place: ClickPlace) throws { try rows.save(click, in: place) }
  func removeClick(_ key: ClickKey, in place: ClickPlace) throws { try rows.removeClick(key, in: place) }
  func removeAllClicks(in place: ClickPlace) throws -> Int { try rows.removeAllClicks(in: place) }

  func attribution(_ key: ClickKey, in session: SessionKind) throws -> Attribution? {
    try rows.attribution(key, in: session)
  }
  func attributions(in session: SessionKind, after id: Int64, limit: Int) throws -> [Attribution] {
    try rows.attributions(in: session, after: id, limit: limit)
  }
  func attributions(in session: SessionKind, naming site: Site) throws -> [Attribution] {
    try rows.attributions(in: session, naming: site)
  }
  func earliestAttributions(limit: Int) throws -> [Attribution] { try rows.earliestAttributions(limit: limit) }
  func save(_ attribution: Attribution, in session: SessionKind) throws { try rows.save(attribution, in: session) }
  func removeAttribution(_ key: ClickKey, in session: SessionKind) throws {
    try rows.removeAttribution(key, in: session)
  }
  func removeAllAttributions(in session: SessionKind) throws -> Int { try rows.removeAllAttributions(in: session) }

  func deviceRow(_ key: DeviceRow.Key) throws -> DeviceRow? { try rows.deviceRow(key) }
  func deviceRows(_ kind: DeviceRow.Kind, after name: String, limit: Int) throws -> [DeviceRow] {
    try rows.deviceRows(kind, after: name, limit: limit)
  }
  func earliestDeviceRows(limit: Int) throws -> [DeviceRow] { try rows.earliestDeviceRows(limit: limit) }
  func save(_ row: DeviceRow) throws { try rows.save(row) }
  func removeDeviceRow(_ key: DeviceRow.Key) throws { try rows.removeDeviceRow(key) }

  func postback(_ id: Int64) throws -> Postback? { try rows.postback(id) }
  func postbacks(in state: Postback.State?, after id: Int64, limit: Int) throws -> [Postback] {
    try rows.postbacks(in: state, after: id, limit: limit)
  }
  func earliestPostbacks(limit: Int) throws -> [Postback] { try rows.earliestPostbacks(limit: limit) }
  func save(_ postback: Postback) throws { try rows.save(postback) }
  func removePostback(_ id: Int64) throws { try rows.removePostback(id) }

  func events(after sequence: Int64, limit: Int) throws -> [LogEvent] { try rows.events(after: sequence, limit: limit) }
  func indexedEvents(_ filter: EventFilter, in block: Int64, after sequence: Int64, limit: Int) throws -> [LogEvent] {
    try rows.indexedEvents(filter, in: block, after: sequence, limit: limit)
  }
  func removeEvents(before sequence: Int64) throws { try rows.removeEvents(before: sequence) }
  func firstSequence() throws -> Int64 { try rows.firstSequence() }
  func nextSequence() throws -> Int64 { try rows.nextSequence() }
  func lastEventAt() throws -> Instant? { try rows.lastEventAt() }
  func ruleList(_ id: String) throws -> RuleList? { try rows.ruleList(id) }

  func keptRequest(_ key: String) throws -> KeptRequest? { try rows.keptRequest(key) }
  func keep(_ request: KeptRequest, within limits: KeptRequestLimits) throws { try rows.keep(request, within: limits) }

  func journal() throws -> [JournalEntry] { try rows.journal() }
  func journalEnding() throws -> JournalEnding? { try rows.journalEnding() }
  func addToJournal(_ text: String, within limits: JournalLimits) throws -> Int64? {
    try rows.addToJournal(text, within: limits)
  }
  func save(_ entry: JournalEntry, within limits: JournalLimits) throws { try rows.save(entry, within: limits) }
  func endJournal(_ ending: JournalEnding) throws { try rows.endJournal(ending) }
}

/// The counts of one transaction, which apply when it commits.
struct TransactionCounts: Sendable {
  var events: [CountedEvent] = []
  var changes: [DueChange] = []
  /// The new time of the browser's clock; nil when it did not change.
  var now: Instant?
  /// The next sequence number of the log after the transaction; set when there are changes.
  var version: Int64 = 0
}

/// The part of an event that metrics count.
struct CountedEvent: Hashable, Sendable {
  let kind: EventKind
  let codes: [String]

  init(_ event: BrowserEvent) {
    kind = event.kind
    codes = event.reasons.map(\.code)
  }
}
