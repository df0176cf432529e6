import PCMCore
import PCMStore

/// Collects the records of a page from candidates in their order.
struct RecordCollector<Record: Hashable & Sendable> {
  private var found: [(position: Int64, record: Record)] = []
  private var examined: Int64?
  /// The size of the events whose records were found.
  private var size = 0
  private let limit: Int

  /// The number of rows or events that are read at once.
  private static var chunk: Int { 200 }

  init(limit: Int) { self.limit = limit }

  /// Whether the page is full, and known not to be the last.
  private var isFull: Bool { found.count > limit }

  /// Whether the page ends, because it is full, or because its records may take much memory.
  private var isAtEnd: Bool { isFull || size >= PageSize.mostReadBytes }

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
      let batch = try rows(position, Self.chunk).sorted { $0.id < $1.id }.prefix(Self.chunk)
      for row in batch where row.id < end {
        effort.add()
        add(try record(row, &effort), at: row.id)
        if isFull || effort.isExhausted { return false }
      }
      guard batch.count == Self.chunk, let last = batch.last else { return true }
      position = last.id
    }
    return true
  }

  /// Adds the records of the selected events after a number, until the size of the events reaches ``PageSize/mostReadBytes``.
  ///
  /// - Parameter record: Returns the record of an event; nil when the caller did not select it.
  /// - Returns: Whether all were added.
  mutating func addEvents(
    of log: LogReading, _ selection: EventSelection, after position: Int64, _ effort: inout ReadingEffort,
    record: (LoggedEvent, inout ReadingEffort) throws -> Record?
  ) throws -> Bool {
    // Records have their own effort, so that the search for an event is not repeated for the next page.
    var (position, search) = (position, ReadingEffort())
    while true {
      let found = try log.reader.search(selection, after: position, limit: Self.chunk, bytes: PageSize.mostBytes, &search)
      for event in found.events {
        effort.add()
        let selected = try record(LoggedEvent(event), &effort)
        add(selected, at: event.sequence)
        if selected != nil { size += event.size }
        if isAtEnd || effort.isExhausted { return false }
      }
      (examined, position) = (found.end, found.end)
      if found.isComplete || search.isExhausted { return found.isComplete }
    }
  }

  /// - Parameter isComplete: Whether all candidates were examined.
  func page(isComplete: Bool) -> RecordPage<Record> {
    let next = isFull ? found[limit - 1].position : isComplete ? nil : examined
    let page = found.prefix(limit)
    return RecordPage(items: page.map(\.record), positions: page.map(\.position), next: next)
  }
}
