import PCMCore

/// The clicks of one place: rows, and an ordered index of keys, in which the clicks of a source are adjacent.
struct ClickRows {
  private var keyed = KeyedRows<KeptClick>()
  private var keys = OrderedIndex<OrderedKey>()

  struct OrderedKey: Comparable {
    let key: ClickKey

    static func < (left: OrderedKey, right: OrderedKey) -> Bool {
      if left.key.source != right.key.source { return left.key.source < right.key.source }
      if left.key.destination != right.key.destination { return left.key.destination < right.key.destination }
      return left.key.bundleIdentifier < right.key.bundleIdentifier
    }

    func isBefore(_ source: Site, _ destination: Site?) -> Bool {
      guard key.source == source, let destination else { return key.source < source }
      return key.destination < destination
    }
  }

  var count: Int { keyed.count }
  var rows: OrderedRows<Int64, KeptClick> { keyed.rows }

  subscript(key: ClickKey) -> KeptClick? { keyed[key] }

  /// Sets or removes the click with a key, and returns the previous one.
  @discardableResult
  mutating func set(_ click: KeptClick?, for key: ClickKey) throws(StoreError) -> KeptClick? {
    let old = try keyed.set(click, for: key)
    if old == nil, click != nil { keys.insert(OrderedKey(key: key)) }
    if old != nil, click == nil { keys.remove(OrderedKey(key: key)) }
    return old
  }

  func nearest(source: Site, destination: Site) -> KeptClick? {
    let exact = first(source, destination)
    return exact?.click.key.destination == destination ? exact : first(source, nil)
  }

  /// Returns the source's first click whose destination is not before the given one.
  private func first(_ source: Site, _ destination: Site?) -> KeptClick? {
    var elements = keys.elements { $0.isBefore(source, destination) }
    guard let found = elements.next(), found.key.source == source else { return nil }
    return keyed[found.key]
  }
}
