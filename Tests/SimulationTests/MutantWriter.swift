import PCMCore
import PCMStore

/// Passes everything on, except what its mutation breaks.
final class MutantWriter {
  let base: any BrowserWriter
  let mutation: Mutation
  /// An attribution was made within this transaction, and the timer that follows is its own.
  private var hasAttributed = false

  init(base: any BrowserWriter, mutation: Mutation) {
    self.base = base
    self.mutation = mutation
  }
}

extension MutantWriter: BrowserReader {
  func state() throws -> BrowserState { try base.state() }
  func app(_ bundleIdentifier: String) throws -> AppRecord? { try base.app(bundleIdentifier) }
  func apps() throws -> [AppRecord] { try base.apps() }

  func click(_ key: ClickKey, in place: ClickPlace) throws -> KeptClick? {
    let exact = try base.click(key, in: place)
    guard mutation == .appsAreMixed, exact == nil else { return exact }
    return try base.clicks(in: place, after: 0, limit: .max).first {
      $0.click.key.source == key.source && $0.click.key.destination == key.destination
    }
  }

  func clicks(in place: ClickPlace, after id: Int64, limit: Int) throws -> [KeptClick] {
    let clicks = try base.clicks(in: place, after: id, limit: limit)
    guard mutation == .slotsAreShared, place == .privateEphemeral, clicks.isEmpty else { return clicks }
    return try base.clicks(in: .ephemeral, after: id, limit: limit)
  }

  func clicks(in place: ClickPlace, madeBefore instant: Instant) throws -> [KeptClick] {
    switch mutation {
    case .expiryForgotten: []
    case .expiryADayEarly: try base.clicks(in: place, madeBefore: instant + .days(1))
    default: try base.clicks(in: place, madeBefore: instant)
    }
  }

  func clicks(in place: ClickPlace, naming site: Site) throws -> [KeptClick] {
    mutation == .clearingForgetsClicks ? [] : try base.clicks(in: place, naming: site)
  }

  func nearestClick(source: Site, destination: Site) throws -> KeptClick? {
    try base.nearestClick(source: source, destination: destination)
  }

  func attribution(_ key: ClickKey, in session: SessionKind) throws -> Attribution? {
    guard let kept = try base.attribution(key, in: session) else { return nil }
    let priority = kept.trigger.priority
    switch mutation {
    case .priorityReversed: return kept.with(priority: 63 - priority)
    case .tieGoesToTheLater where priority > 0: return kept.with(priority: priority - 1)
    case .halfSentIsChanged:
      var whole = kept
      whole.source = kept.source ?? kept.destination
      whole.destination = kept.destination ?? kept.source
      return whole
    default: return kept
    }
  }

  func attributions(in session: SessionKind, after id: Int64, limit: Int) throws -> [Attribution] {
    try base.attributions(in: session, after: id, limit: limit)
  }

  func attributions(in session: SessionKind, naming site: Site) throws -> [Attribution] {
    mutation == .clearingForgetsAttributions ? [] : try base.attributions(in: session, naming: site)
  }

  func earliestAttributions(limit: Int) throws -> [Attribution] { try base.earliestAttributions(limit: limit) }
  func report(_ id: Int64) throws -> Report? {
    var report = try base.report(id)
    if mutation == .sentMarkLost, let message = report?.message, message.state == .delivered || message.state == .failed {
      report?.message = message.with(state: .scheduled, retryAt: message.retryAt)
    }
    return report
  }

  func reports(in state: Report.State?, after id: Int64, limit: Int) throws -> [Report] {
    if mutation == .clearingForgetsWhatIsUnderWay, state == .sending { return [] }
    return try base.reports(in: state, after: id, limit: limit)
  }

  func reportHeadings(in state: Report.State?, after id: Int64, limit: Int) throws -> [ReportHeading] {
    try base.reportHeadings(in: state, after: id, limit: limit)
  }

  func scheduledReports(naming site: Site?) throws -> [Report] {
    switch mutation {
    case .clearingForgetsAttributions where site != nil: []
    case .clearingForgetsRetries: try base.scheduledReports(naming: site).filter { $0.retryAt == nil }
    default: try base.scheduledReports(naming: site)
    }
  }

  func earliestRetries(limit: Int) throws -> [Report] { try base.earliestRetries(limit: limit) }
  func deviceRow(_ key: DeviceRow.Key) throws -> DeviceRow? { try base.deviceRow(key) }
  func deviceRows(_ kind: DeviceRow.Kind, after name: String, limit: Int) throws -> [DeviceRow] {
    try base.deviceRows(kind, after: name, limit: limit)
  }
  func earliestDeviceRows(limit: Int) throws -> [DeviceRow] { try base.earliestDeviceRows(limit: limit) }
  func postback(_ id: Int64) throws -> Postback? { try base.postback(id) }
  func postbacks(in state: Postback.State?, after id: Int64, limit: Int) throws -> [Postback] {
    try base.postbacks(in: state, after: id, limit: limit)
  }
  func earliestPostbacks(limit: Int) throws -> [Postback] { try base.earliestPostbacks(limit: limit) }
  func events(after sequence: Int64, limit: Int) throws -> [LogEvent] { try base.events(after: sequence, limit: limit) }
  func indexedEvents(_ filter: EventFilter, in block: Int64, after sequence: Int64, limit: Int) throws -> [LogEvent] {
    try base.indexedEvents(filter, in: block, after: sequence, limit: limit)
  }
  func firstSequence() throws -> Int64 { try base.firstSequence() }
  func nextSequence() throws -> Int64 { try base.nextSequence() }
  func lastEventAt() throws -> Instant? { try base.lastEventAt() }
  func ruleList(_ id: String) throws -> RuleList? { try base.ruleList(id) }
  func keptRequest(_ key: String) throws -> KeptRequest? { try base.keptRequest(key) }
  func journal() throws -> [JournalEntry] { try base.journal() }
  func journalEnding() throws -> JournalEnding? { try base.journalEnding() }
}

extension MutantWriter: BrowserWriter {
  var appended: [BrowserEvent] { base.appended }
  func beginRemoval() throws { try base.beginRemoval() }

  func save(_ state: BrowserState) throws {
    var changed = state
    let before = try base.state()
    switch mutation {
    case .dueADayEarly where hasAttributed && state.timer != before.timer:
      changed.timer = state.timer.map { max($0 - .days(1), state.now) }
    case .gapLost:
      if let timer = state.timer, timer - state.now >= .minutes(15), timer - state.now < .minutes(30) {
        changed.timer = state.now + .seconds(1)
      }
    case .debugDelayHalved:
      if state.settings.measurement.debugMode, state.timer == state.now + .seconds(10) {
        changed.timer = state.now + .seconds(5)
      }
    case .clockNotKept: changed.now = before.now
    case .settingsNotKept: changed.settings = before.settings
    default: break
    }
    try base.save(changed)
  }

  func save(_ app: AppRecord) throws { try base.save(app) }
  func removeEvents(before sequence: Int64) throws { try base.removeEvents(before: sequence) }
  func removeReport(_ id: Int64) throws { try base.removeReport(id) }
  func removeApp(_ bundleIdentifier: String) throws { try base.removeApp(bundleIdentifier) }
  func keep(_ request: KeptRequest, within limits: KeptRequestLimits) throws { try base.keep(request, within: limits) }
  func addToJournal(_ text: String, within limits: JournalLimits) throws -> Int64? {
    try base.addToJournal(text, within: limits)
  }
  func save(_ entry: JournalEntry, within limits: JournalLimits) throws { try base.save(entry, within: limits) }
  func endJournal(_ ending: JournalEnding) throws { try base.endJournal(ending) }
  func site(_ host: String) throws -> SiteRecord? { try base.site(host) }
  func sites() throws -> [SiteRecord] { try base.sites() }
  func save(_ site: SiteRecord) throws { try base.save(site) }
  func removeSite(_ host: String) throws { try base.removeSite(host) }
  func save(_ row: DeviceRow) throws { try base.save(row) }
  func removeDeviceRow(_ key: DeviceRow.Key) throws { try base.removeDeviceRow(key) }
  func save(_ postback: Postback) throws { try base.save(postback) }
  func removePostback(_ id: Int64) throws { try base.removePostback(id) }

  func save(_ click: KeptClick, in place: ClickPlace) throws {
    switch mutation {
    case .newestClickIgnored where try place == .table && base.click(click.click.key, in: place) != nil: return
    case .privateClickLeaks where place == .privateEphemeral: try base.save(click, in: .table)
    default: try base.save(click, in: place)
    }
  }

  func removeClick(_ key: ClickKey, in place: ClickPlace) throws {
    switch mutation {
    case .matchedClickStays where place == .table: return
    case .heldClickStays where place == .ephemeral || place == .privateEphemeral: return
    default: try base.removeClick(key, in: place)
    }
  }

  func removeAllClicks(in place: ClickPlace) throws -> Int {
    mutation == .privateSessionSurvives && place == .privateEphemeral ? 0 : try base.removeAllClicks(in: place)
  }

  func save(_ attribution: Attribution, in session: SessionKind) throws {
    var changed = attribution
    if !attribution.isHalfSent { hasAttributed = true }
    switch mutation {
    case .sentMarkLost where attribution.isHalfSent: return
    case .destinationForgotten: changed.destination = nil
    case .dueADayEarly where !attribution.isHalfSent:
      changed.source = attribution.source.map { .init(report: $0.report, dueAt: $0.dueAt - .days(1)) }
      changed.destination = attribution.destination.map { .init(report: $0.report, dueAt: $0.dueAt - .days(1)) }
    default: break
    }
    try base.save(changed, in: session)
  }

  func removeAttribution(_ key: ClickKey, in session: SessionKind) throws {
    try base.removeAttribution(key, in: session)
  }

  func removeAllAttributions(in session: SessionKind) throws -> Int {
    mutation == .privateSessionSurvives && session == .privateBrowsing ? 0 : try base.removeAllAttributions(in: session)
  }

  func save(_ report: Report) throws {
    var changed = report
    if mutation == .retryLost { changed.message = report.message.with(state: report.state, retryAt: nil) }
    if mutation == .privateSessionSurvives, report.session == .privateBrowsing, report.state == .cleared { return }
    try base.save(mutation == .bodyNamesAnotherSite ? changed.naming("other.example") : changed)
  }

  @discardableResult
  func append(_ event: BrowserEvent, at instant: Instant) throws -> LogEvent {
    // The time of the last event restores the clock, too.
    if mutation == .clockNotKept, case .clockAdvanced = event { return try base.append(event, at: base.state().now) }
    return try base.append(event, at: instant)
  }
}

extension Attribution {
  fileprivate func with(priority: UInt8) -> Attribution {
    Attribution(
      id: id, click: click, trigger: Trigger(data: trigger.data, priority: priority), attributedAt: attributedAt,
      source: source, destination: destination)
  }
}

extension OutgoingMessage {
  func with(state: State, retryAt: Instant?) -> OutgoingMessage {
    OutgoingMessage(state: state, retryAt: retryAt, attempts: attempts, dueAt: dueAt, needsKeys: needsKeys)
  }
}

extension Report {
  fileprivate func naming(_ site: String) -> Report {
    let parts = body.split(separator: key.destination.domain, omittingEmptySubsequences: false)
    return Report(
      id: id, attribution: attribution, session: session, key: key, recipient: recipient, url: url,
      body: parts.joined(separator: site), dueAt: dueAt, state: state, retryAt: retryAt, attempts: attempts)
  }
}
