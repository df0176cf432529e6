import PCMCore

/// A priority queue of unique keys ordered by due instant: a binary heap with an index of positions, so that changing or
/// removing a key needs no search.
struct DueQueue<Key: Hashable & Sendable>: Sendable {
  private var heap: [(due: Instant, key: Key)] = []
  private var places: [Key: Int] = [:]

  var count: Int { heap.count }

  /// The key with the earliest instant.
  var first: (due: Instant, key: Key)? { heap.first }

  /// Inserts a key or changes its instant; nil removes the key.
  mutating func set(_ key: Key, due: Instant?) {
    guard let due else { return remove(key) }
    let place = places[key] ?? heap.endIndex
    if place == heap.endIndex {
      heap.append((due, key))
      places[key] = place
    } else {
      heap[place].due = due
    }
    settle(place)
  }

  mutating func remove(_ key: Key) {
    guard let place = places.removeValue(forKey: key) else { return }
    let last = heap.removeLast()
    guard place < heap.endIndex else { return }
    heap[place] = last
    places[last.key] = place
    settle(place)
  }

  /// Moves the entry at a position up or down to restore the heap order.
  private mutating func settle(_ start: Int) {
    var place = start
    while place > 0, heap[place].due < heap[(place - 1) / 2].due {
      swap(place, (place - 1) / 2)
      place = (place - 1) / 2
    }
    while let child = earlierChild(of: place), heap[child].due < heap[place].due {
      swap(place, child)
      place = child
    }
  }

  private func earlierChild(of place: Int) -> Int? {
    let (left, right) = (2 * place + 1, 2 * place + 2)
    guard right < heap.endIndex else { return left < heap.endIndex ? left : nil }
    return heap[right].due < heap[left].due ? right : left
  }

  private mutating func swap(_ left: Int, _ right: Int) {
    heap.swapAt(left, right)
    places[heap[left].key] = left
    places[heap[right].key] = right
  }
}
