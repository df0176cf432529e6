import PCMCore

/// A row with a number and a click's key.
protocol KeyedRow: QueuedRow {
  var id: Int64 { get }
  var key: ClickKey { get }
}

extension KeptClick: KeyedRow {
  var key: ClickKey { click.key }
  var time: Instant? { click.clickedAt }
}

extension Attribution: KeyedRow {
  var time: Instant? { next?.half.dueAt }
}

/// Rows with unique numbers and unique keys.
struct KeyedRows<Row: KeyedRow> {
  private(set) var rows = OrderedRows<Int64, Row>()
  private var numbers: [ClickKey: Int64] = [:]

  var count: Int { rows.count }

  subscript(key: ClickKey) -> Row? { numbers[key].flatMap { rows[$0] } }

  /// Sets or removes the row with a key, and returns the previous one.
  ///
  /// Throws when a row with a different key has the number, like a unique index.
  @discardableResult
  mutating func set(_ row: Row?, for key: ClickKey) throws(StoreError) -> Row? {
    let old = self[key]
    if let row {
      if let other = rows[row.id], other.key != key { throw .unavailable("the number \(row.id) is taken") }
      if let old, old.id != row.id { rows.set(nil, at: old.id) }
      rows.set(row, at: row.id)
    } else if let old {
      rows.set(nil, at: old.id)
    }
    numbers[key] = row?.id
    return old
  }
}
