import PCMStore

/// A page of a list of records.
package struct RecordPage<Record: Sendable>: Sendable {
  package let items: [Record]
  /// The position of each record.
  package let positions: [Int64]
  /// The position of the next page; nil on the last page. A page may have fewer records than the limit, even none, and a next
  /// page, because the work for one page is bounded.
  package let next: Int64?
}

/// Collects the records of a page from candidates in their order.
struct RecordCollector<Record: Sendable> {
  private var found: [(position: Int64, record: Record)] = []
  private var examined: Int64?
  private let limit: Int

  init(limit: Int) { self.limit = limit }

  /// Whether the page is full, and known not to be the last.
  var isFull: Bool { found.count > limit }

  /// - Parameters:
  ///   - position: The position of a candidate.
  ///   - record: The record of the candidate; nil when the caller did not select it.
  mutating func add(_ record: Record?, at position: Int64) {
    examined = position
    if let record { found.append((position, record)) }
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
