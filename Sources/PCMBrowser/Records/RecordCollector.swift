import PCMCore
import PCMStore

/// Collects the records of a page from candidates in their order.
struct RecordCollector<Record: Hashable & Sendable> {
  private var found: [(position: Int64, record: Record)] = []
  private var examined: Int64?
  private let limit: Int

  /// The number of rows or events that are read at once.
  private static var chunk: Int { 200 }

  init(limit: Int) { self.limit = limit }

  /// Whether the page is full, and known not to be the last.
  private var isFull: Bool { found.count > limit }

  /// - Parameters:
  ///   - position: The position of a candidate.
  ///   - record: The record of the candidate; nil when the caller did not select it.
  private mutating func add(_ record: Record?, at position: Int64) {
    examined = position
    if let record { found.append((position, record)) }
  }

  /// Adds the records of stored rows in a range of numbers, in the order of the numbers.
  ///
  /// - Parameters:
  ///   - rows: Returns the rows after a number, at most the given count of each table.
  ///   - record: Returns the record of a row; nil when the caller did not select it.
  /// - Returns: Whether all were added.
  mutating func addRows<Row: Identifiable<Int64>>(
    after position: Int64, before end: Int64, _ effort: inout ReadingEffort,
    rows: (_ position: Int64, _ count: Int) throws -> [Row], record: (Row, inout ReadingEffort) throws -> Record?
  ) throws -> Bool {
    var position = position
    while position < end - 1 {
      let chunk = try rows(position, Self.chunk).sorted { $0.id < $1.id }.prefix(Self.chunk)
      for row in chunk where row.id < end {
        effort.add()
        add(try record(row, &effort), at: row.id)
        if isFull || effort.isExhausted { return false }
      }
      guard chunk.count == Self.chunk, let last = chunk.last else { return true }
      position = last.id
    }
    return true
  }

  /// Adds the records of the selected events after a number.
  ///
  /// - Parameter record: Returns the record of an event; nil when the caller did not select it.
  /// - Returns: Whether all were added.
  mutating func addEvents(
    of log: LogReading, _ selection: EventSelection, after position: Int64, _ effort: inout ReadingEffort,
    record: (LoggedEvent, inout ReadingEffort) throws -> Record?
  ) throws -> Bool {
    var position = position
    while true {
      let events = try log.reader.events(selection, after: position, limit: Self.chunk)
      let isLast = events.count < Self.chunk
      let end = try isLast ? log.reader.nextSequence() : events.last?.sequence ?? position
      effort.add(selection.lookups(from: position, to: end))
      for event in events {
        effort.add()
        add(try record(LoggedEvent(event), &effort), at: event.sequence)
        if isFull || effort.isExhausted { return false }
      }
      guard !isLast, let last = events.last else { return true }
      position = last.sequence
    }
  }

  /// - Parameter isComplete: Whether all candidates were examined.
  func page(isComplete: Bool) -> RecordPage<Record> {
    let next = isFull ? found[limit - 1].position : isComplete ? nil : examined
    let page = found.prefix(limit)
    return RecordPage(items: page.map(\.record), positions: page.map(\.position), next: next)
  }
}

/// The work for a page in index lookups. An index has a part for each block of the log, so that the search for an event that
/// does not exist needs a lookup for each block.
struct ReadingEffort {
  private var lookups: Int64 = 0

  /// Limits a page to some tens of milliseconds.
  private static let most: Int64 = 20_000

  var isExhausted: Bool { lookups >= Self.most }

  mutating func add(_ count: Int64 = 1) { lookups += count }
}

extension EventSelection {
  /// Returns the number of index lookups of a search in a part of the log.
  func lookups(from start: Int64, to end: Int64) -> Int64 {
    let blocks = 1 + max(0, LogBlock.number(of: end) - LogBlock.number(of: start))
    return blocks * Int64(max(1, subjects.count) * max(1, kinds.count))
  }
}
