import PCMCore

/// A row with a number, which may be in a queue ordered by time.
protocol NumberedRow {
  var id: Int64 { get }
  /// The position in the queue; nil when the row is not in it.
  var time: Instant? { get }
}

/// Rows by number, ordered by number and by time.
struct NumberedRows<Row: NumberedRow> {
  private var rows: [Int64: Row] = [:]
  private var numbers = OrderedIndex<Int64>()
  private var queue = OrderedIndex<Waiting>()

  struct Waiting: Comparable {
    let time: Instant
    let number: Int64

    static func < (left: Waiting, right: Waiting) -> Bool {
      left.time == right.time ? left.number < right.number : left.time < right.time
    }
  }

  var count: Int { rows.count }

  subscript(number: Int64) -> Row? { rows[number] }

  /// Sets or removes the row with a number, and returns the previous one.
  @discardableResult
  mutating func set(_ row: Row?, at number: Int64) -> Row? {
    let old = rows[number]
    rows[number] = row
    if old == nil, row != nil { numbers.insert(number) }
    if old != nil, row == nil { numbers.remove(number) }
    if old?.time != row?.time {
      if let time = old?.time { queue.remove(Waiting(time: time, number: number)) }
      if let time = row?.time { queue.insert(Waiting(time: time, number: number)) }
    }
    return old
  }

  func after(_ number: Int64, limit: Int) -> [Row] {
    numbers.elements { $0 <= number }.prefix(max(0, limit)).compactMap { rows[$0] }
  }

  /// Returns the rows ordered by number. It reads all rows.
  func filter(_ isWanted: (Row) -> Bool) -> [Row] {
    numbers.elements.compactMap { rows[$0] }.filter(isWanted)
  }

  func earliest(_ limit: Int) -> [Row] {
    queue.elements.prefix(max(0, limit)).compactMap { rows[$0.number] }
  }

  func before(_ instant: Instant) -> [Row] {
    queue.elements.prefix { $0.time < instant }.compactMap { rows[$0.number] }
  }
}
