package import PCMCore

/// A filter for the events of a log.
package struct EventFilter: Hashable, Sendable {
  /// The name of a subject: a click, attribution, report, site, or app; nil for any.
  package let subject: String?
  /// The kind of the events; nil for any.
  package let kind: EventKind?

  package init(about subject: String? = nil, kind: EventKind? = nil) {
    self.subject = subject
    self.kind = kind
  }
}

/// The events that satisfy any of a caller's filters.
package struct EventSelection: Hashable, Sendable {
  /// The names of subjects. An event is about at least one of them; empty for any.
  package let subjects: Set<String>
  /// The kinds of the events; empty for any.
  package let kinds: Set<EventKind>

  package init(about subjects: Set<String> = [], kinds: Set<EventKind> = []) {
    self.subjects = subjects
    self.kinds = kinds
  }

  package static let all = EventSelection()

  /// The filters of a search. With subjects, the search examines the events of all kinds: an index of both would cost each
  /// event more.
  fileprivate var filters: [EventFilter] {
    guard subjects.isEmpty else { return subjects.map { EventFilter(about: $0) } }
    return kinds.isEmpty ? [EventFilter()] : kinds.map { EventFilter(kind: $0) }
  }

  /// Whether a filter finds events that are not selected.
  fileprivate func isFiltered(beyond filter: EventFilter) -> Bool { filter.kind == nil && !kinds.isEmpty }
}

/// The result of a search in a log.
package struct FoundEvents: Hashable, Sendable {
  package let events: [LogEvent]
  /// The number through which the log was examined.
  package let end: Int64
  /// Whether the search reached the end of the log.
  package let isComplete: Bool

  package init(_ events: [LogEvent], end: Int64, isComplete: Bool) {
    self.events = events
    self.end = end
    self.isComplete = isComplete
  }
}

/// The work for a page in index lookups and examined events. The index of events has a part for each block of the log, so the
/// search for an event that does not exist needs a lookup for each block.
package struct ReadingEffort: Sendable {
  private var work = 0

  /// Limits a page to some tens of milliseconds.
  package static let maximum = 20_000

  package init() {}

  package var isExhausted: Bool { work >= Self.maximum }

  package mutating func add(_ count: Int = 1) { work += count }
}

/// The unit in which a log is indexed and trimmed: the events whose numbers have the same quotient by `size`.
///
/// An index of the entire log would have to be searched for each removed event. The index of a block is removed with the
/// block, and writes have locality. In return, a query of the entire log must read each block.
package enum LogBlock {
  package static let size: Int64 = 1_024
  /// The number of events that are read at once when their size is limited.
  fileprivate static let part = 64

  /// Returns the block of an event.
  package static func number(of sequence: Int64) -> Int64 { sequence / size }
}

extension BrowserReader {
  /// Searches the log for the selected events after a sequence number, block by block, until the limit or the effort is
  /// reached. A search examines at least one block.
  ///
  /// - Parameter bytes: The size with which the events end; nil for no limit.
  package func search(
    _ selection: EventSelection, after sequence: Int64, limit: Int, bytes: Int? = nil, _ effort: inout ReadingEffort
  ) throws -> FoundEvents {
    let (position, last) = (max(sequence, try firstSequence() - 1), try nextSequence() - 1)
    guard limit > 0, position < last else {
      return FoundEvents([], end: max(sequence, last), isComplete: position >= last)
    }
    let filters = try selection.filters.map { ($0, introduction: try introduction(for: $0)) }
    var (found, size): ([LogEvent], Int) = ([], 0)
    for block in LogBlock.number(of: position + 1)...LogBlock.number(of: last) {
      let rest = limit - found.count
      // An event may be about several of the subjects.
      var selected: [Int64: LogEvent] = [:]
      for (filter, introduction) in filters {
        let isFiltered = selection.isFiltered(beyond: filter)
        let events = try events(
          filter, introduction, in: block, after: position, limit: isFiltered ? .max : rest,
          bytes: isFiltered ? nil : bytes.map { $0 - size })
        effort.add(1 + events.count)
        for event in events where selection.kinds.isEmpty || selection.kinds.contains(event.kind) {
          selected[event.sequence] = event
        }
      }
      let more = selected.values.sorted { $0.sequence < $1.sequence }.prefix(rest).page(of: bytes.map { $0 - size } ?? .max)
      (found, size) = (found + more, size + more.size)
      if found.count == limit || size >= bytes ?? .max, let end = found.last?.sequence {
        return FoundEvents(found, end: end, isComplete: false)
      }
      let end = (block + 1) * LogBlock.size - 1
      if effort.isExhausted, end < last { return FoundEvents(found, end: end, isComplete: false) }
    }
    return FoundEvents(found, end: last, isComplete: true)
  }

  /// Returns the events before a sequence number that satisfy a filter, newest first.
  ///
  /// The cost depends on the result and on the number of blocks before the sequence number, with one index lookup for
  /// each, but not on other events. With a subject and a kind, events of other kinds about the subject also count.
  package func lastEvents(_ filter: EventFilter, before sequence: Int64 = .max, limit: Int) throws -> [LogEvent] {
    var found: [LogEvent] = []
    guard limit > 0 else { return [] }
    _ = try visitLastEvents(filter, before: sequence, blocks: .max) { event in
      found.append(event)
      return found.count < limit
    }
    return found
  }

  /// Visits the events between two sequence numbers that satisfy a filter, newest first, until `visit` returns false. Each block of
  /// the log is read once.
  ///
  /// - Parameter blocks: The maximum number of blocks to read.
  /// - Returns: The number before which no event was visited, or nil when all were.
  package func visitLastEvents(
    _ filter: EventFilter, after sequence: Int64 = 0, before limit: Int64 = .max, blocks: Int64,
    visit: (LogEvent) throws -> Bool
  ) throws -> Int64? {
    let (first, end) = (max(try firstSequence(), sequence + 1), min(limit, try nextSequence()) - 1)
    guard first <= end else { return nil }
    let introduction = try introduction(for: filter)
    let (oldest, newest) = (LogBlock.number(of: first), LogBlock.number(of: end))
    var visited = end + 1
    for block in (oldest...newest).reversed() {
      guard newest - block < blocks else { return visited }
      let events = try events(filter, introduction, in: block, after: first - 1, limit: .max)
      for event in events.reversed().drop(while: { $0.sequence > end }) {
        guard try visit(event) else { return visited }
        visited = event.sequence
      }
      visited = min(visited, max(first, block * LogBlock.size))
    }
    return nil
  }

  private func events(
    _ filter: EventFilter, _ introduction: LogEvent?, in block: Int64, after sequence: Int64, limit: Int, bytes: Int? = nil
  ) throws -> [LogEvent] {
    guard filter.subject != nil || filter.kind != nil else {
      let (start, end) = (max(sequence, block * LogBlock.size - 1), (block + 1) * LogBlock.size - 1)
      return try inParts(after: start, limit: min(limit, Int(end - start)), bytes: bytes) { try events(after: $0, limit: $1) }
    }
    let indexed = try inParts(after: sequence, limit: limit, bytes: bytes) {
      try indexedEvents(filter, in: block, after: $0, limit: $1)
    }
    guard let introduction, LogBlock.number(of: introduction.sequence) == block, introduction.sequence > sequence
    else { return indexed }
    return Array((indexed + [introduction]).sorted { $0.sequence < $1.sequence }.prefix(limit))
  }

  /// Reads events until their size reaches a maximum; without one, at once.
  ///
  /// - Parameter read: Returns a number of events after a position.
  private func inParts(
    after sequence: Int64, limit: Int, bytes: Int?, read: (_ position: Int64, _ count: Int) throws -> [LogEvent]
  ) throws -> [LogEvent] {
    guard let bytes else { return try read(sequence, limit) }
    var (found, size, position): ([LogEvent], Int, Int64) = ([], 0, sequence)
    while found.count < limit, size < bytes {
      let count = min(limit - found.count, LogBlock.part)
      let part = try read(position, count)
      let page = part.page(of: bytes - size)
      (found, size) = (found + page, size + page.size)
      guard part.count == count, let last = page.last else { break }
      position = last.sequence
    }
    return found
  }

  /// Returns the event with the number of the filter's record, which the index omits.
  private func introduction(for filter: EventFilter) throws -> LogEvent? {
    guard let name = filter.subject, let number = RecordName.number(in: name), number > 0,
      let event = try events(after: number - 1, limit: 1).first, event.sequence == number, event.introduces(name),
      filter.kind == nil || filter.kind == event.kind
    else { return nil }
    return event
  }
}
