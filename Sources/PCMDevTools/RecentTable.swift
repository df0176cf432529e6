/// A table of limited size. A new entry replaces the oldest entry of a full table.
struct RecentTable<Key: Hashable & Sendable, Value: Sendable>: Sendable {
  private let limit: Int
  private var entries: [Key: (value: Value, number: Int)] = [:]
  /// The keys in the order of their insertion, including removed keys.
  private var order: [(key: Key, number: Int)] = []
  private var first = 0
  private var last = 0

  init(limit: Int) {
    self.limit = limit
  }

  subscript(key: Key) -> Value? { entries[key]?.value }

  var count: Int { entries.count }
  var values: some Sequence<Value> { entries.values.lazy.map(\.value) }

  /// Inserts an entry. Returns the value that it replaced in a full table, or nil.
  @discardableResult mutating func insert(_ value: Value, for key: Key) -> Value? {
    last += 1
    entries[key] = (value, last)
    order.append((key, last))
    defer { compact() }
    while entries.count > limit {
      let oldest = order[first]
      first += 1
      if entries[oldest.key]?.number == oldest.number { return entries.removeValue(forKey: oldest.key)?.value }
    }
    return nil
  }

  /// Changes an entry, if it exists.
  mutating func update(_ key: Key, _ change: (inout Value) -> Void) {
    guard var entry = entries[key] else { return }
    change(&entry.value)
    entries[key] = entry
  }

  @discardableResult mutating func remove(_ key: Key) -> Value? { entries.removeValue(forKey: key)?.value }

  /// Deletes the removed keys when they outnumber the entries.
  private mutating func compact() {
    guard order.count > 2 * limit + 16 else { return }
    order = order[first...].filter { entries[$0.key]?.number == $0.number }
    first = 0
  }
}
