import PCMCore
import PCMStore

/// Passes everything on, except the broken rule of its mutation.
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

  func row<Row: StoredRow>(_ type: Row.Type, _ key: Row.RowKey) throws -> Row? {
    let found = try base.row(type, key)
    switch (found, key) {
    case (nil, let key as PlacedKey): return try click(likeThatOf: key) as? Row
    case (let row as AttributionRow, _): return mutated(row) as? Row
    case (let report as Report, _): return mutated(report) as? Row
    default: return found
    }
  }

  /// A click of another app.
  private func click(likeThatOf key: PlacedKey) throws -> ClickRow? {
    guard mutation == .appsAreMixed, let place = ClickPlace(rawValue: key.place) else { return nil }
    return try base.rows(ClickRow.Query.after(0, in: place.rawValue.stored, limit: .max)).first {
      $0.click.click.key.source == key.key.source && $0.click.click.key.destination == key.key.destination
    }
  }

  private func mutated(_ row: AttributionRow) -> AttributionRow {
    let (kept, priority) = (row.attribution, row.attribution.trigger.priority)
    var changed = row
    switch mutation {
    case .priorityReversed: changed.attribution = kept.with(priority: 63 - priority)
    case .tieGoesToTheLater where priority > 0: changed.attribution = kept.with(priority: priority - 1)
    case .halfSentIsChanged:
      changed.attribution.source = kept.source ?? kept.destination
      changed.attribution.destination = kept.destination ?? kept.source
    default: break
    }
    return changed
  }

  private func mutated(_ report: Report) -> Report {
    var changed = report
    if mutation == .sentMarkLost, report.state == .delivered || report.state == .failed {
      changed.message = report.message.with(state: .scheduled, retryAt: report.retryAt)
    }
    return changed
  }

  func rows<Row: StoredRow>(_ query: RowQuery<Row>) throws -> [Row] {
    if mutation == .clearingForgetsAttributions, !(Row.self is ClickRow.Type), case .naming = query { return [] }
    switch query as Any {
    case let query as ClickRow.Query: return try clicks(query) as? [Row] ?? []
    case let query as Report.Query: return try reports(query) as? [Row] ?? []
    default: return try base.rows(query)
    }
  }

  private func clicks(_ query: ClickRow.Query) throws -> [ClickRow] {
    switch (mutation, query) {
    case (.expiryForgotten, .before), (.clearingForgetsClicks, .naming): return []
    case (.expiryADayEarly, .before(let instant, let place)): return try base.rows(.before(instant + .days(1), in: place))
    case (.slotsAreShared, .after(let id, ClickPlace.privateEphemeral.rawValue.stored, let limit)):
      let clicks = try base.rows(query)
      return try clicks.isEmpty ? base.rows(.after(id, in: ClickPlace.ephemeral.rawValue.stored, limit: limit)) : clicks
    default: return try base.rows(query)
    }
  }

  private func reports(_ query: Report.Query) throws -> [Report] {
    let (scheduled, sending) = (Report.State.scheduled.rawValue.stored, Report.State.sending.rawValue.stored)
    switch (mutation, query) {
    case (.clearingForgetsWhatIsUnderWay, .after(_, sending, _)): return []
    case (.clearingForgetsRetries, .naming), (.clearingForgetsRetries, .after(_, scheduled, _)):
      return try base.rows(query).filter { $0.retryAt == nil }
    default: return try base.rows(query)
    }
  }

  func reportHeadings(in state: Report.State?, after id: Int64, limit: Int) throws -> [ReportHeading] {
    try base.reportHeadings(in: state, after: id, limit: limit)
  }

  func keysOfKeptRequests(until: Instant?, limit: Int) throws -> [String] {
    try base.keysOfKeptRequests(until: until, limit: limit)
  }

  func events(after sequence: Int64, limit: Int) throws -> [LogEvent] { try base.events(after: sequence, limit: limit) }
  func indexedEvents(_ filter: EventFilter, in block: Int64, after sequence: Int64, limit: Int) throws -> [LogEvent] {
    try base.indexedEvents(filter, in: block, after: sequence, limit: limit)
  }
  func firstSequence() throws -> Int64 { try base.firstSequence() }
  func nextSequence() throws -> Int64 { try base.nextSequence() }
  func lastEventAt() throws -> Instant? { try base.lastEventAt() }
  func ruleList(_ id: String) throws -> RuleList? { try base.ruleList(id) }
  func total<Row: StoredRow>(of type: Row.Type) throws -> RowTotal { try base.total(of: type) }
}

extension MutantWriter: BrowserWriter {
  var appended: [any BrowserEvent] { base.appended }
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

  func removeEvents(before sequence: Int64) throws { try base.removeEvents(before: sequence) }

  func save<Row: StoredRow>(_ row: Row) throws {
    switch row {
    case let click as ClickRow: try saveMutated(click)
    case let attribution as AttributionRow: try saveMutated(attribution)
    case let report as Report: try saveMutated(report)
    default: try base.save(row)
    }
  }

  private func saveMutated(_ click: ClickRow) throws {
    switch mutation {
    case .newestClickIgnored where try click.place == .table && base.row(ClickRow.self, click.rowKey) != nil: return
    case .privateClickLeaks where click.place == .privateEphemeral: try base.save(ClickRow(click.click, in: .table))
    default: try base.save(click)
    }
  }

  private func saveMutated(_ row: AttributionRow) throws {
    var (changed, attribution) = (row, row.attribution)
    if !attribution.isHalfSent { hasAttributed = true }
    switch mutation {
    case .sentMarkLost where attribution.isHalfSent: return
    case .destinationForgotten: attribution.destination = nil
    case .dueADayEarly where !attribution.isHalfSent:
      attribution.source = attribution.source.map { .init(report: $0.report, dueAt: $0.dueAt - .days(1)) }
      attribution.destination = attribution.destination.map { .init(report: $0.report, dueAt: $0.dueAt - .days(1)) }
    default: break
    }
    changed.attribution = attribution
    if attribution.next == nil { try base.remove(AttributionRow.self, row.rowKey) } else { try base.save(changed) }
  }

  private func saveMutated(_ report: Report) throws {
    var changed = report
    if mutation == .retryLost { changed.message = report.message.with(state: report.state, retryAt: nil) }
    if mutation == .privateSessionSurvives, report.session == .privateBrowsing, report.state == .cleared { return }
    try base.save(mutation == .bodyNamesAnotherSite ? changed.naming("other.example") : changed)
  }

  func remove<Row: StoredRow>(_ type: Row.Type, _ key: Row.RowKey) throws {
    let place = type is ClickRow.Type ? (key as? PlacedKey).flatMap { ClickPlace(rawValue: $0.place) } : nil
    switch (mutation, place) {
    case (.matchedClickStays, .table), (.heldClickStays, .ephemeral), (.heldClickStays, .privateEphemeral): return
    default: try base.remove(type, key)
    }
  }

  func removeAll<Row: StoredRow>(_ type: Row.Type, in group: StoredValue?) throws -> Int {
    let isPrivate =
      type is ClickRow.Type
      ? group == ClickPlace.privateEphemeral.rawValue.stored : group == SessionKind.privateBrowsing.rawValue.stored
    return mutation == .privateSessionSurvives && isPrivate ? 0 : try base.removeAll(type, in: group)
  }

  @discardableResult
  func append(_ event: any BrowserEvent, at instant: Instant) throws -> LogEvent {
    // The time of the last event also restores the clock.
    if mutation == .clockNotKept, event is ClockAdvanced { return try base.append(event, at: base.state().now) }
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
