import PCMCore

extension Report: QueuedRow {
  var time: Instant? { retryAt }
}

extension Postback: QueuedRow {
  var time: Instant? { message.nextAttemptAt }
}

/// A browser's outgoing messages of one kind by number, with the ordered numbers of each state.
struct OutgoingRows<Record: OutgoingRecord & QueuedRow> {
  private(set) var rows = OrderedRows<Int64, Record>()
  private var states: [OutgoingMessage.State: OrderedIndex<Int64>] = [:]

  /// Sets or removes the record with a number, and returns the previous one.
  @discardableResult
  mutating func set(_ record: Record?, at number: Int64) -> Record? {
    let old = rows.set(record, at: number)
    if old?.state != record?.state {
      if let state = old?.state { states[state]?.remove(number) }
      if let state = record?.state { states[state, default: OrderedIndex()].insert(number) }
    }
    return old
  }

  func after(_ number: Int64, in state: OutgoingMessage.State?, limit: Int) -> [Record] {
    guard let state else { return rows.after(number, limit: limit) }
    guard let numbers = states[state] else { return [] }
    return numbers.elements { $0 <= number }.prefix(max(0, limit)).compactMap { rows[$0] }
  }
}
