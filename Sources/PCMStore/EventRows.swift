import PCMCore

/// A browser's log in memory, in indexed blocks.
struct EventRows {
  /// Consecutive blocks. Only the last may be incomplete.
  private var blocks: [Block] = []
  private(set) var nextSequence: Int64 = 1

  private struct Block {
    /// The number of the first event. The events are consecutive.
    let first: Int64
    var events: [LogEvent] = []
    /// The positions in `events` by subject and by kind, in order.
    var subjects: [String: [UInt16]] = [:]
    var kinds: [EventKind: [UInt16]] = [:]

    var number: Int64 { LogBlock.number(of: first) }
  }

  var firstSequence: Int64 { blocks.first?.first ?? nextSequence }

  var last: LogEvent? { blocks.last?.events.last }

  /// Appends an event with the next number.
  ///
  /// - Parameter subjects: The subjects for the index.
  mutating func append(_ event: LogEvent, subjects: [String]) {
    if blocks.last?.number != LogBlock.number(of: event.sequence) { blocks.append(Block(first: event.sequence)) }
    let last = blocks.count - 1
    let place = UInt16(blocks[last].events.count)
    blocks[last].events.append(event)
    blocks[last].kinds[event.kind, default: []].append(place)
    for subject in subjects { blocks[last].subjects[subject, default: []].append(place) }
    nextSequence += 1
  }

  /// Removes the last event.
  mutating func removeLast(subjects: [String]) {
    let last = blocks.count - 1
    guard last >= 0, let event = blocks[last].events.popLast() else { return }
    blocks[last].kinds[event.kind]?.removeLast()
    for subject in subjects { blocks[last].subjects[subject]?.removeLast() }
    if blocks[last].events.isEmpty { blocks.removeLast() }
    nextSequence -= 1
  }

  /// Removes the blocks before the block of a number, except the last block.
  mutating func remove(before sequence: Int64) {
    let kept = LogBlock.number(of: min(sequence, nextSequence - 1))
    blocks.removeSubrange(..<(blocks.firstIndex { $0.number >= kept } ?? 0))
  }

  func events(after sequence: Int64, limit: Int) -> [LogEvent] {
    let position = max(sequence, firstSequence - 1)
    guard limit > 0, position < nextSequence - 1, let oldest = blocks.first else { return [] }
    var found: [LogEvent] = []
    for block in blocks[Int(LogBlock.number(of: position + 1) - oldest.number)...] where found.count < limit {
      found += block.events.dropFirst(max(0, Int(position + 1 - block.first))).prefix(limit - found.count)
    }
    return found
  }

  func indexedEvents(_ filter: EventFilter, in number: Int64, after sequence: Int64, limit: Int) -> [LogEvent] {
    guard let oldest = blocks.first, number >= oldest.number, number - oldest.number < blocks.count else { return [] }
    let block = blocks[Int(number - oldest.number)]
    let places = filter.subject.map { block.subjects[$0] ?? [] } ?? filter.kind.flatMap { block.kinds[$0] } ?? []
    let events = places.lazy.map { block.events[Int($0)] }
      .filter { $0.sequence > sequence && (filter.kind == nil || $0.kind == filter.kind) }
    return Array(events.prefix(max(0, limit)))
  }
}
