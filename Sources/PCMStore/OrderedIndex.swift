/// A sorted set in short chunks. Lookup, insertion, and removal cost a binary search and a move within one chunk, in any
/// order of elements. The cost of reading from any position depends only on the elements read.
///
/// A single sorted array would move half of its elements for each attribution, whose due times are random. A heap cannot
/// list its elements in order or start from a cursor, and keeps removed elements until they reach the top.
struct OrderedIndex<Element: Comparable> {
  /// The chunks. None is empty, and each is sorted and precedes the next.
  private var chunks: [[Element]] = []

  private static var chunkLimit: Int { 256 }

  mutating func insert(_ element: Element) {
    var place = firstPlace { $0 < element }
    guard place.chunk < chunks.count else { return append(element) }
    if chunks[place.chunk].count == Self.chunkLimit {
      split(place.chunk)
      place = firstPlace { $0 < element }
    }
    chunks[place.chunk].insert(element, at: place.offset)
  }

  mutating func remove(_ element: Element) {
    let place = firstPlace { $0 < element }
    guard place.chunk < chunks.count, chunks[place.chunk][place.offset] == element else { return }
    chunks[place.chunk].remove(at: place.offset)
    if chunks[place.chunk].isEmpty { chunks.remove(at: place.chunk) }
  }

  /// Returns the elements for which `isBefore` returns false, in order. It must return true only for a prefix of the order.
  func elements(behind isBefore: (Element) -> Bool) -> Elements {
    Elements(chunks: chunks, place: firstPlace(behind: isBefore))
  }

  /// All elements, in order.
  var elements: Elements { Elements(chunks: chunks, place: Place(chunk: 0, offset: 0)) }

  /// Most elements are inserted in order, so a full last chunk stays full, and a new chunk is added.
  private mutating func append(_ element: Element) {
    if let last = chunks.indices.last, chunks[last].count < Self.chunkLimit {
      chunks[last].append(element)
    } else {
      chunks.append([element])
    }
  }

  private mutating func split(_ index: Int) {
    let half = Self.chunkLimit / 2
    chunks.insert(Array(chunks[index][half...]), at: index + 1)
    chunks[index].removeSubrange(half...)
  }

  struct Place {
    var chunk: Int
    var offset: Int
  }

  private func firstPlace(behind isBefore: (Element) -> Bool) -> Place {
    let chunk = Self.firstIndex(below: chunks.count) { index in chunks[index].last.map(isBefore) ?? true }
    guard chunk < chunks.count else { return Place(chunk: chunk, offset: 0) }
    return Place(chunk: chunk, offset: Self.firstIndex(below: chunks[chunk].count) { isBefore(chunks[chunk][$0]) })
  }

  private static func firstIndex(below count: Int, behind isBefore: (Int) -> Bool) -> Int {
    var low = 0
    var high = count
    while low < high {
      let middle = (low + high) / 2
      if isBefore(middle) { low = middle + 1 } else { high = middle }
    }
    return low
  }

  struct Elements: Sequence, IteratorProtocol {
    fileprivate let chunks: [[Element]]
    fileprivate var place: Place

    mutating func next() -> Element? {
      guard place.chunk < chunks.count else { return nil }
      let element = chunks[place.chunk][place.offset]
      place.offset += 1
      if place.offset == chunks[place.chunk].count { place = Place(chunk: place.chunk + 1, offset: 0) }
      return element
    }
  }
}

extension OrderedIndex: Sendable where Element: Sendable {}
