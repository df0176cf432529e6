import PCMCore

/// The keys of many clicks, ordered by source, destination, and app: the nearest click is found without a search through all of them.
struct OrderedKeys {
  private var keys: [ClickKey]

  init(_ keys: [ClickKey]) { self.keys = keys.sorted(by: Self.isBefore) }

  mutating func insert(_ key: ClickKey) { keys.insert(key, at: count { Self.isBefore($0, key) }) }

  mutating func remove(_ key: ClickKey) {
    let place = count { Self.isBefore($0, key) }
    if place < keys.count, keys[place] == key { keys.remove(at: place) }
  }

  /// Returns the first key from a source, which leads to a destination if one of them does.
  func nearest(source: Site, destination: Site) -> ClickKey? {
    let exact = count { ($0.source, $0.destination) < (source, destination) }
    if exact < keys.count, keys[exact].source == source, keys[exact].destination == destination { return keys[exact] }
    let first = count { $0.source < source }
    return first < keys.count && keys[first].source == source ? keys[first] : nil
  }

  /// Returns the number of keys that meet a condition. They come before all others.
  private func count(_ isBefore: (ClickKey) -> Bool) -> Int {
    var (low, high) = (0, keys.count)
    while low < high {
      let middle = (low + high) / 2
      if isBefore(keys[middle]) { low = middle + 1 } else { high = middle }
    }
    return low
  }

  private static func isBefore(_ left: ClickKey, _ right: ClickKey) -> Bool {
    (left.source, left.destination, left.bundleIdentifier) < (right.source, right.destination, right.bundleIdentifier)
  }
}
