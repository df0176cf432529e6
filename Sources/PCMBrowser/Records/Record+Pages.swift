import PCMCore
import PCMStore

extension ClickReading {
  /// The states of clicks in stored rows. For these, the log need not be searched.
  private static let places: [ClickRecord.State: Set<ClickPlace>] = [
    .stored: [.table, .privateTable], .suspended: [.table, .ephemeral], .ephemeral: [.ephemeral, .privateEphemeral],
  ]

  func page(
    _ filter: ClickFilter, after position: Int64, limit: Int, _ effort: inout ReadingEffort
  ) throws -> RecordPage<ClickRecord> {
    var collector = RecordCollector<ClickRecord>(limit: limit)
    let places = filter.values.map { Self.places[$0] }
    if !places.isEmpty, !places.contains(nil) {
      let current = places.reduce(into: Set()) { $0.formUnion($1 ?? []) }
      let isComplete = try addRows(in: current, after: position, before: .max, filter, to: &collector, &effort)
      return collector.page(isComplete: isComplete)
    }
    let first = try log.reader.firstSequence()
    let isComplete =
      try addRows(in: Set(ClickPlace.allCases), after: position, before: first, filter, to: &collector, &effort)
      && addEvents(after: position, filter, to: &collector, &effort)
    return collector.page(isComplete: isComplete)
  }

  private func addRows(
    in places: Set<ClickPlace>, after position: Int64, before end: Int64, _ filter: ClickFilter,
    to collector: inout RecordCollector<ClickRecord>, _ effort: inout ReadingEffort
  ) throws -> Bool {
    try collector.addRows(after: position, before: end, &effort) { position, count in
      try places.flatMap { place in
        try log.reader.clicks(in: place, after: position, limit: count).map { StoredClick(kept: $0, place: place) }
      }
    } record: { row, _ in
      guard filter.selects(row.kept.click.key) else { return nil }
      let record = try record(row)
      return filter.selects(record.state) ? record : nil
    }
  }

  private func addEvents(
    after position: Int64, _ filter: ClickFilter, to collector: inout RecordCollector<ClickRecord>,
    _ effort: inout ReadingEffort
  ) throws -> Bool {
    let gone: [(ClickRecord.State, EventKind)] = [(.discarded, .clickDiscarded), (.handedOver, .clickHandedOver)]
    let kept: [EventKind] =
      !filter.values.isEmpty && filter.values.isSubset(of: gone.map(\.0)) ? [] : [.clickStored, .ephemeralClickStored]
    let kinds = kept + gone.filter { filter.selects($0.0) }.map(\.1)
    return try collector.addEvents(of: log, filter.events(kinds), after: position, &effort) { event, effort in
      try record(event, &effort).flatMap { filter.selects($0.state) ? $0 : nil }
    }
  }
}

extension AttributionReading {
  func page(
    _ filter: AttributionFilter, after position: Int64, limit: Int, _ effort: inout ReadingEffort
  ) throws -> RecordPage<AttributionRecord> {
    var collector = RecordCollector<AttributionRecord>(limit: limit)
    // An attribution with pending reports has a row.
    let end = filter.values == [.pending] ? .max : try log.reader.firstSequence()
    let isComplete =
      try addRows(after: position, before: end, filter, to: &collector, &effort)
      && (end == .max || addEvents(after: position, filter, to: &collector, &effort))
    return collector.page(isComplete: isComplete)
  }

  private func addRows(
    after position: Int64, before end: Int64, _ filter: AttributionFilter,
    to collector: inout RecordCollector<AttributionRecord>, _ effort: inout ReadingEffort
  ) throws -> Bool {
    try collector.addRows(after: position, before: end, &effort) { position, count in
      try SessionKind.allCases.flatMap { try log.reader.attributions(in: $0, after: position, limit: count) }
    } record: { row, _ in
      guard filter.selects(row.key), let record = try record(row) else { return nil }
      return filter.selects(record.state) ? record : nil
    }
  }

  private func addEvents(
    after position: Int64, _ filter: AttributionFilter, to collector: inout RecordCollector<AttributionRecord>,
    _ effort: inout ReadingEffort
  ) throws -> Bool {
    try collector.addEvents(of: log, filter.events([.attributed]), after: position, &effort) { event, effort in
      try record(event, &effort).flatMap { filter.selects($0.state) ? $0 : nil }
    }
  }
}

extension LogReading {
  /// Returns a page of the triggering events in the log, in the order of their decisions.
  func triggeringEvents(
    _ filter: TriggeringEventFilter, after position: Int64, limit: Int, _ effort: inout ReadingEffort
  ) throws -> RecordPage<TriggeringEventRecord> {
    var collector = RecordCollector<TriggeringEventRecord>(limit: limit)
    let outcomes = TriggerOutcome.Kind.allCases.filter(filter.selects)
    let selection = filter.events(outcomes.map(\.event))
    let isComplete = try collector.addEvents(of: self, selection, after: position, &effort) { event, _ in
      try triggeringEvent(event)
    }
    return collector.page(isComplete: isComplete)
  }

  /// Returns the triggering event with a number, or nil when the log does not contain it.
  func triggeringEvent(_ id: Int64) throws -> TriggeringEventRecord? {
    guard let found = try event(id), let decision = try triggerDecision(found), let record = try triggeringEvent(decision),
      record.id == id
    else { return nil }
    return record
  }
}

extension RecordFilter {
  fileprivate func selects(_ value: Value) -> Bool { values.isEmpty || values.contains(value) }

  fileprivate func selects(_ key: ClickKey) -> Bool { sites.isEmpty || sites.contains(where: key.names) }

  /// Returns the events of some kinds that name a selected site.
  fileprivate func events(_ kinds: [EventKind]) -> EventSelection {
    EventSelection(about: Set(sites.map(\.domain)), kinds: Set(kinds))
  }
}

extension TriggerOutcome.Kind {
  /// The kind of the event that records the outcome.
  fileprivate var event: EventKind {
    switch self {
    case .attributed: .attributed
    case .unmatched: .triggerUnmatched
    case .rejected: .triggerRejected
    case .notTriggering: .triggerIgnored
    }
  }
}
