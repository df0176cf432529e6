import PCMCore

/// A click, or an attribution of a click.
protocol KeyedByClick: Identifiable, Sendable where ID == Int64 {
  var key: ClickKey { get }
}

extension KeptClick: KeyedByClick {
  var key: ClickKey { click.key }
}

extension Attribution: KeyedByClick {}

/// Clicks or attributions with different keys, in order.
///
/// A short list is searched from its end: most users have few clicks and attributions at a time. A long list has an index, and a value
/// that is removed leaves a gap, until half of the list is gaps.
struct KeyedList<Value: KeyedByClick> {
  /// The values, and gaps.
  private(set) var slots: [Value?] = []
  /// The slots of the values by their keys; empty for a short list.
  private var places: [ClickKey: Int] = [:]
  /// The number of gaps at the beginning.
  private var leadingGaps = 0
  private(set) var count = 0

  /// The maximum number of slots of a short list, which has no gaps.
  static var shortLength: Int { 32 }

  var isEmpty: Bool { count == 0 }
  /// Whether a search through all values would take long.
  var isLong: Bool { slots.count > Self.shortLength }
  var first: Value? { count == 0 ? nil : slots[leadingGaps] }
  var values: [Value] { slots.compactMap { $0 } }

  subscript(key: ClickKey) -> Value? { place(of: key).flatMap { slots[$0] } }

  private func place(of key: ClickKey) -> Int? {
    guard !isLong else { return places[key] }
    for place in slots.indices.reversed() where slots[place]?.key == key { return place }
    return nil
  }

  /// Returns the first values that meet a condition.
  func prefix(while condition: (Value) -> Bool) -> [Value] {
    guard let first, condition(first) else { return [] }
    return Array(slots[leadingGaps...].lazy.compactMap { $0 }.prefix(while: condition))
  }

  /// Replaces the value with the same key. Returns false if there is none.
  mutating func replace(_ value: Value) -> Bool {
    guard let place = place(of: value.key) else { return false }
    slots[place] = value
    return true
  }

  /// Adds a value whose key is not in the list, after all values.
  mutating func append(_ value: Value) { insert(value, at: slots.count) }

  /// Adds a value whose key is not in the list, after the values with lower numbers. Nearly always, these are all values.
  mutating func insert(_ value: Value) {
    var place = slots.count
    while place > 0, slots[place - 1].map({ $0.id > value.id }) ?? true { place -= 1 }
    insert(value, at: place)
  }

  private mutating func insert(_ value: Value, at place: Int) {
    count += 1
    slots.insert(value, at: place)
    leadingGaps = min(leadingGaps, place)
    if isLong { index(from: places.isEmpty ? 0 : place) }
  }

  @discardableResult
  mutating func remove(_ key: ClickKey) -> Value? {
    guard let place = place(of: key), let removed = slots[place] else { return nil }
    count -= 1
    guard isLong else {
      slots.remove(at: place)
      return removed
    }
    slots[place] = nil
    places[key] = nil
    while leadingGaps < slots.count, slots[leadingGaps] == nil { leadingGaps += 1 }
    while let last = slots.last, last == nil { slots.removeLast() }
    if count <= slots.count / 2 || !isLong { close() }
    return removed
  }

  mutating func removeAll(where isRemoved: (Value) -> Bool) {
    slots.removeAll { $0.map(isRemoved) ?? true }
    count = slots.count
    close()
  }

  /// Closes the gaps.
  private mutating func close() {
    slots.removeAll { $0 == nil }
    places.removeAll()
    leadingGaps = 0
    if isLong { index(from: 0) }
  }

  private mutating func index(from start: Int) {
    for place in start..<slots.count {
      if let value = slots[place] { places[value.key] = place }
    }
  }
}
