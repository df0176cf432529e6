import PCMCore
import PCMStore

extension ClickReading {
  private static let chunk = 200

  /// The states of clicks in stored rows. For these, the log need not be searched.
  private static let places: [ClickRecord.State: Set<ClickPlace>] = [
    .stored: [.table, .privateTable], .suspended: [.table, .ephemeral], .ephemeral: [.ephemeral, .privateEphemeral],
  ]

  func page(
    _ filter: ClickFilter, after position: Int64, limit: Int, _ effort: inout ReadingEffort
  ) throws -> RecordPage<ClickRecord> {
    var collector = RecordCollector<ClickRecord>(limit: limit)
    let places = filter.states.map { Self.places[$0] }
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

  /// Adds the clicks of rows in a range of numbers.
  ///
  /// - Returns: Whether all were added.
  private func addRows(
    in places: Set<ClickPlace>, after position: Int64, before end: Int64, _ filter: ClickFilter,
    to collector: inout RecordCollector<ClickRecord>, _ effort: inout ReadingEffort
  ) throws -> Bool {
    var position = position
    while position < end - 1 {
      let rows = try places.flatMap { try log.reader.clicks(in: $0, after: position, limit: Self.chunk) }
        .sorted { $0.id < $1.id }.prefix(Self.chunk)
      for row in rows where row.id < end {
        effort.add()
        let isSelected = filter.sites.isEmpty || filter.sites.contains { row.click.key.names($0) }
        let record = isSelected ? try record(row.id, &effort).flatMap { filter.selects($0) ? $0 : nil } : nil
        collector.add(record, at: row.id)
        if collector.isFull || effort.isExhausted { return false }
      }
      guard rows.count == Self.chunk, let last = rows.last else { return true }
      position = last.id
    }
    return true
  }

  /// Adds the clicks of the log.
  ///
  /// - Returns: Whether all were added.
  private func addEvents(
    after position: Int64, _ filter: ClickFilter, to collector: inout RecordCollector<ClickRecord>,
    _ effort: inout ReadingEffort
  ) throws -> Bool {
    let kinds = filter.states == [.discarded] ? [] : [EventKind.clickStored, .ephemeralClickStored]
    let discarded: [EventKind] = filter.states.isEmpty || filter.states.contains(.discarded) ? [.clickDiscarded] : []
    let selection = EventSelection(about: Set(filter.sites.map(\.domain)), kinds: Set(kinds + discarded))
    return try log.examine(selection, after: position, chunk: Self.chunk, &effort) { event, effort in
      collector.add(try record(event, &effort).flatMap { filter.selects($0) ? $0 : nil }, at: event.sequence)
      return !collector.isFull && !effort.isExhausted
    }
  }
}

extension ClickFilter {
  fileprivate func selects(_ record: ClickRecord) -> Bool { states.isEmpty || states.contains(record.state) }
}

extension AttributionReading {
  private static let chunk = 200

  func page(
    _ filter: AttributionFilter, after position: Int64, limit: Int, _ effort: inout ReadingEffort
  ) throws -> RecordPage<AttributionRecord> {
    var collector = RecordCollector<AttributionRecord>(limit: limit)
    // An attribution with pending reports has a row.
    let end = filter.states == [.pending] ? .max : try log.reader.firstSequence()
    var isComplete = try addRows(after: position, before: end, filter, to: &collector, &effort)
    if isComplete, end != .max { isComplete = try addEvents(after: position, filter, to: &collector, &effort) }
    return collector.page(isComplete: isComplete)
  }

  private func addRows(
    after position: Int64, before end: Int64, _ filter: AttributionFilter,
    to collector: inout RecordCollector<AttributionRecord>, _ effort: inout ReadingEffort
  ) throws -> Bool {
    var position = position
    while position < end - 1 {
      let rows = try SessionKind.allCases.flatMap { try log.reader.attributions(in: $0, after: position, limit: Self.chunk) }
        .sorted { $0.id < $1.id }.prefix(Self.chunk)
      for row in rows where row.id < end {
        effort.add()
        let isSelected = filter.sites.isEmpty || filter.sites.contains { row.key.names($0) }
        let record = isSelected ? try record(row).flatMap(filter.selected) : nil
        collector.add(record, at: row.id)
        if collector.isFull || effort.isExhausted { return false }
      }
      guard rows.count == Self.chunk, let last = rows.last else { return true }
      position = last.id
    }
    return true
  }

  private func addEvents(
    after position: Int64, _ filter: AttributionFilter, to collector: inout RecordCollector<AttributionRecord>,
    _ effort: inout ReadingEffort
  ) throws -> Bool {
    let selection = EventSelection(about: Set(filter.sites.map(\.domain)), kinds: [.attributed])
    return try log.examine(selection, after: position, chunk: Self.chunk, &effort) { event, effort in
      collector.add(try record(event, &effort).flatMap(filter.selected), at: event.sequence)
      return !collector.isFull && !effort.isExhausted
    }
  }
}

extension AttributionFilter {
  fileprivate func selected(_ record: AttributionRecord) -> AttributionRecord? {
    states.isEmpty || states.contains(record.state) ? record : nil
  }
}

extension LogReading {
  /// Returns a page of the triggering events in the log, in the order of their decisions.
  func triggeringEvents(
    _ filter: TriggeringEventFilter, after position: Int64, limit: Int, _ effort: inout ReadingEffort
  ) throws -> RecordPage<TriggeringEventRecord> {
    var collector = RecordCollector<TriggeringEventRecord>(limit: limit)
    let outcomes = filter.outcomes.isEmpty ? Set(TriggerOutcome.Kind.allCases) : filter.outcomes
    let selection = EventSelection(about: Set(filter.sites.map(\.domain)), kinds: Set(outcomes.map(\.event)))
    let isComplete = try examine(selection, after: position, chunk: limit + 1, &effort) { event, effort in
      collector.add(try triggeringEvent(event), at: event.sequence)
      return !collector.isFull && !effort.isExhausted
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

  /// Examines the selected events after a number in their order.
  ///
  /// - Parameter visit: Returns whether to continue.
  /// - Returns: Whether all were examined.
  fileprivate func examine(
    _ selection: EventSelection, after position: Int64, chunk: Int, _ effort: inout ReadingEffort,
    visit: (LoggedEvent, inout ReadingEffort) throws -> Bool
  ) throws -> Bool {
    var position = position
    while true {
      let events = try reader.events(selection, after: position, limit: chunk)
      let isLast = events.count < chunk
      effort.add(try selection.lookups(from: position, to: isLast ? reader.nextSequence() : events.last?.sequence ?? position))
      for event in events {
        effort.add()
        guard try visit(LoggedEvent(event), &effort) else { return false }
      }
      guard !isLast, let last = events.last else { return true }
      position = last.sequence
    }
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
