import PCMCore

/// A row that may be in a queue ordered by time.
protocol QueuedRow {
  /// The position in the queue; nil when the row is not in it.
  var time: Instant? { get }
}

/// Rows by key, ordered by key and by time.
struct OrderedRows<Key: Hashable & Comparable, Row: QueuedRow> {
  private var rows: [Key: Row] = [:]
  private var keys = OrderedIndex<Key>()
  private var queue = OrderedIndex<Waiting>()

  struct Waiting: Comparable {
    let time: Instant
    let key: Key

    static func < (left: Waiting, right: Waiting) -> Bool {
      left.time == right.time ? left.key < right.key : left.time < right.time
    }
  }

  var count: Int { rows.count }

  subscript(key: Key) -> Row? { rows[key] }

  /// Sets or removes the row with a key, and returns the previous one.
  @discardableResult
  mutating func set(_ row: Row?, at key: Key) -> Row? {
    let old = rows[key]
    rows[key] = row
    if old == nil, row != nil { keys.insert(key) }
    if old != nil, row == nil { keys.remove(key) }
    if old?.time != row?.time {
      if let time = old?.time { queue.remove(Waiting(time: time, key: key)) }
      if let time = row?.time { queue.insert(Waiting(time: time, key: key)) }
    }
    return old
  }

  /// Returns the rows after a key in order.
  ///
  /// - Parameter isWanted: Returns whether the rows continue with a key.
  func after(_ key: Key, limit: Int, while isWanted: (Key) -> Bool = { _ in true }) -> [Row] {
    keys.elements { $0 <= key }.prefix(max(0, limit)).prefix(while: isWanted).compactMap { rows[$0] }
  }

  /// Returns the rows ordered by key. It reads all rows.
  func filter(_ isWanted: (Row) -> Bool) -> [Row] {
    keys.elements.compactMap { rows[$0] }.filter(isWanted)
  }

  func earliest(_ limit: Int) -> [Row] {
    queue.elements.prefix(max(0, limit)).compactMap { rows[$0.key] }
  }

  func before(_ instant: Instant) -> [Row] {
    queue.elements.prefix { $0.time < instant }.compactMap { rows[$0.key] }
  }
}
