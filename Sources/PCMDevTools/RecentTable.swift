/// A table of bounded size: the oldest entry leaves when there is no room for a new one.
struct RecentTable<Key: Hashable & Sendable, Value: Sendable>: Sendable {
  private let limit: Int
  private var entries: [Key: (value: Value, number: Int)] = [:]
  /// The keys in the order of their insertion, some of which have left since.
  private var order: [(key: Key, number: Int)] = []
  private var first = 0
  private var last = 0

  init(limit: Int) {
    self.limit = limit
  }

  subscript(key: Key) -> Value? { entries[key]?.value }

  var count: Int { entries.count }
  var values: some Sequence<Value> { entries.values.lazy.map(\.value) }

  /// Inserts an entry. Returns the value that left for it, or nil.
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

  /// Changes an entry, if it is there.
  mutating func update(_ key: Key, _ change: (inout Value) -> Void) {
    guard var entry = entries[key] else { return }
    change(&entry.value)
    entries[key] = entry
  }

  @discardableResult mutating func remove(_ key: Key) -> Value? { entries.removeValue(forKey: key)?.value }

  /// Removes the keys that have left when they are more than the others.
  private mutating func compact() {
    guard order.count > 2 * limit + 16 else { return }
    order = order[first...].filter { entries[$0.key]?.number == $0.number }
    first = 0
  }
}
