/// The values of the newest keys. A new key beyond the capacity removes the oldest tenth.
struct NewestValues<Key: Hashable & Sendable, Value: Sendable>: Sendable {
  private let capacity: Int
  private var values: [Key: Value] = [:]
  private var order: [Key] = []
  /// The number of removed keys.
  private(set) var removedCount = 0

  /// - Parameter capacity: The maximum number of keys, at least 1.
  init(capacity: Int) { self.capacity = capacity }

  subscript(key: Key) -> Value? { values[key] }

  /// Adds a key with its value, or changes the value of a known key, which keeps its age.
  ///
  /// - Returns: Whether the key is new.
  @discardableResult
  mutating func set(_ value: Value, for key: Key) -> Bool {
    guard values.updateValue(value, forKey: key) == nil else { return false }
    order.append(key)
    if order.count > capacity {
      // Removes several keys at once, because each removal moves the remaining keys.
      let old = order.prefix(max(1, capacity / 10))
      for key in old { values[key] = nil }
      removedCount += old.count
      order.removeFirst(old.count)
    }
    return true
  }
}
