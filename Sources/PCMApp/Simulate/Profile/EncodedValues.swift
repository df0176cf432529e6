import PCMBrowser
import PCMCore

/// The values of which an encoding makes numbers, with the number of their events.
struct EncodedValues: Hashable, Sendable {
  private struct Value: Hashable, Sendable {
    let bytes: [UInt8]
    var events = 0
  }

  /// By hash.
  private var values: [UInt64: Value] = [:]
  /// Whether there are more values than the limit. Then none is kept, whatever the order of the events.
  private(set) var isBeyondLimit = false

  static let limit = 10_000

  /// The values with the numbers of their events.
  var counts: [(value: [UInt8], events: Int)] { values.values.map { ($0.bytes, $0.events) } }

  /// Counts an event with a value. An empty cell has none.
  mutating func count(_ cell: ArraySlice<UInt8>) {
    guard !cell.isEmpty, !isBeyondLimit else { return }
    values[FNV1a.mixedHash(cell), default: Value(bytes: Array(cell))].events += 1
    checkLimit()
  }

  mutating func add(_ other: EncodedValues) {
    isBeyondLimit = isBeyondLimit || other.isBeyondLimit
    for (hash, value) in other.values { values[hash, default: Value(bytes: value.bytes)].events += value.events }
    checkLimit()
  }

  private mutating func checkLimit() {
    isBeyondLimit = isBeyondLimit || values.count > Self.limit
    if isBeyondLimit { values.removeAll() }
  }
}
