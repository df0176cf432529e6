import PCMCore

/// One browser's rows in memory, protected by its lock in the store.
///
/// Each change adds its inverse to a list. When a body throws, the inverses run backward, which costs as much as the body and
/// does not depend on the size of the browser.
final class MemoryBrowser {
  private var current: BrowserState
  private var appRecords: [String: AppRecord] = [:]
  private var siteRecords: [String: SiteRecord] = [:]
  private var log = EventRows()
  private var ruleLists: [String: RuleList] = [:]
  private var inverses: [() -> Void] = []
  private(set) var appended: [BrowserEvent] = []
  /// The clicks by the raw value of the place.
  var clicks = ClickPlace.allCases.map { _ in ClickRows() }
  /// The attributions by the raw value of the session.
  var attributions = SessionKind.allCases.map { _ in KeyedRows<Attribution>() }
  var reportRows = OutgoingRows<Report>()
  var postbackRows = OutgoingRows<Postback>()
  var deviceRows = OrderedRows<DeviceRow.Key, DeviceRow>()
  private var requestRows = KeptRequestRows()
  private var journalRows = JournalRows()

  init(state: BrowserState) {
    current = state
  }

  /// Creates a copy that shares nothing with the original.
  init(copying other: MemoryBrowser) {
    (current, appRecords, siteRecords) = (other.current, other.appRecords, other.siteRecords)
    current.upkeep = BrowserUpkeep()
    (log, ruleLists) = (other.log, other.ruleLists)
    (clicks, attributions, reportRows) = (other.clicks, other.attributions, other.reportRows)
    (deviceRows, postbackRows) = (other.deviceRows, other.postbackRows)
    journalRows = other.journalRows
  }

  /// Runs `body`, and reverts its changes if it throws.
  func transaction<Answer>(_ body: (any BrowserWriter) throws -> Answer) throws -> Answer {
    defer {
      inverses.removeAll(keepingCapacity: true)
      appended.removeAll(keepingCapacity: true)
    }
    do {
      return try body(self)
    } catch {
      while let undo = inverses.popLast() { undo() }
      throw error
    }
  }

  func undo(_ inverse: @escaping () -> Void) {
    inverses.append(inverse)
  }
}

extension MemoryBrowser: BrowserWriter {
  /// Memory has no maximum size.
  func beginRemoval() {}

  func state() -> BrowserState { current }

  func save(_ state: BrowserState) throws {
    try state.requireStorableTimes()
    let old = current
    undo { self.current = old }
    current = state
  }

  func app(_ bundleIdentifier: String) -> AppRecord? { appRecords[bundleIdentifier] }

  func apps() -> [AppRecord] { appRecords.values.sorted { $0.bundleIdentifier < $1.bundleIdentifier } }

  func save(_ app: AppRecord) { setApp(app, for: app.bundleIdentifier) }

  func removeApp(_ bundleIdentifier: String) { setApp(nil, for: bundleIdentifier) }

  private func setApp(_ app: AppRecord?, for bundleIdentifier: String) {
    let old = appRecords[bundleIdentifier]
    appRecords[bundleIdentifier] = app
    undo { self.appRecords[bundleIdentifier] = old }
  }

  func site(_ host: String) -> SiteRecord? { siteRecords[host] }

  func sites() -> [SiteRecord] { siteRecords.values.sorted { $0.host < $1.host } }

  func save(_ site: SiteRecord) { setSite(site, for: site.host) }

  func removeSite(_ host: String) { setSite(nil, for: host) }

  private func setSite(_ site: SiteRecord?, for host: String) {
    let old = siteRecords[host]
    siteRecords[host] = site
    undo { self.siteRecords[host] = old }
  }

  func events(after sequence: Int64, limit: Int) -> [LogEvent] {
    log.events(after: sequence, limit: limit)
  }

  func indexedEvents(_ filter: EventFilter, in block: Int64, after sequence: Int64, limit: Int) -> [LogEvent] {
    log.indexedEvents(filter, in: block, after: sequence, limit: limit)
  }

  func firstSequence() -> Int64 { log.firstSequence }

  func nextSequence() -> Int64 { log.nextSequence }

  func lastEventAt() -> Instant? { log.last?.at }

  @discardableResult
  func append(_ event: BrowserEvent, at instant: Instant) throws -> LogEvent {
    keepRules(of: event)
    let logged = LogEvent(sequence: nextSequence(), at: max(instant, log.last?.at ?? instant), event)
    try logged.requireStorableTimes()
    let subjects = event.indexedSubjects(at: logged.sequence)
    log.append(logged, subjects: subjects)
    undo { self.log.removeLast(subjects: subjects) }
    appended.append(event)
    return logged
  }

  func removeEvents(before sequence: Int64) {
    let old = log
    undo { self.log = old }
    log.remove(before: sequence)
  }

  func ruleList(_ id: String) -> RuleList? { ruleLists[id] }

  func keptRequest(_ key: String) -> KeptRequest? { requestRows[key] }

  func keep(_ request: KeptRequest, within limits: KeptRequestLimits) throws {
    try request.requireStorableTimes()
    let changes = requestRows.keep(request, within: limits)
    undo { self.requestRows.undo(changes) }
  }

  func journal() -> [JournalEntry] { journalRows.entries }

  func journalEnding() -> JournalEnding? { journalRows.ending }

  func addToJournal(_ text: String, within limits: JournalLimits) -> Int64? {
    changeJournal { $0.add(text, within: limits) }
    return journalRows.ending == nil ? journalRows.lastNumber : nil
  }

  func save(_ entry: JournalEntry, within limits: JournalLimits) { changeJournal { $0.save(entry, within: limits) } }

  func endJournal(_ ending: JournalEnding) { changeJournal { $0.end(ending) } }

  private func changeJournal(_ change: (inout JournalRows) -> JournalRows.Change?) {
    guard let change = change(&journalRows) else { return }
    undo { self.journalRows.undo(change) }
  }

  private func keepRules(of event: BrowserEvent) {
    guard let rules = event.decision?.rules, ruleLists[rules.id] == nil, let list = rules.list else { return }
    ruleLists[rules.id] = list
    undo { self.ruleLists[rules.id] = nil }
  }
}
