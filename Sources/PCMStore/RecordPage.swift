package import PCMCore

/// A page of a list of records, ordered by position.
package struct RecordPage<Record: Hashable & Sendable>: Hashable, Sendable {
  package let items: [Record]
  /// The position of each record.
  package let positions: [Int64]
  /// The position after which the next page begins; nil on the last page. A page may have fewer records than the limit, even
  /// none, and a next page, because the work for one page is bounded.
  package let next: Int64?

  package init(items: [Record], positions: [Int64], next: Int64?) {
    self.items = items
    self.positions = positions
    self.next = next
  }
}

/// The size of a page in bytes. A page ends with the item that reaches the maximum, and the caller continues after it.
package enum PageSize {
  /// The maximum of a list.
  package static let mostBytes = 1_048_576
  /// The maximum that is read for a page whose items omit parts of their rows.
  package static let mostReadBytes = 4_194_304
}

extension Collection<LogEvent> {
  /// The size of the details in bytes.
  package var size: Int { reduce(0) { $0 + $1.size } }

  /// Returns the first events, as many as a page has.
  ///
  /// - Parameter bytes: The size with which a page ends.
  package func page(of bytes: Int) -> [LogEvent] {
    var (page, size) = ([LogEvent](), 0)
    for event in self {
      page.append(event)
      size += event.size
      if size >= bytes { break }
    }
    return page
  }
}

extension LogEvent {
  /// The size of the detail in bytes.
  package var size: Int {
    if case .verbatim(let text) = detail { text.utf8.count } else { detail.bytes.count }
  }
}

extension BrowserReader {
  /// Returns a page of the postbacks after `id`. The position of a postback is its number.
  ///
  /// - Parameters:
  ///   - states: The states of the postbacks; empty for all.
  ///   - bytes: The size of bodies and attempts with which the page ends.
  package func postbackPage(
    in states: Set<Postback.State>, after id: Int64, limit: Int, bytes: Int = .max
  ) throws -> RecordPage<Postback> {
    var (items, size, position): ([Postback], Int, Int64?) = ([], 0, id)
    while let after = position {
      // More than one postback shows whether the page is the last one. Small groups, because their texts may be long.
      let count = min(limit - items.count + 1, 50)
      let found = try (states.isEmpty ? [nil] : states.map(Optional.some)).flatMap {
        try postbacks(in: $0, after: after, limit: count)
      }
      let group = found.sorted { $0.id < $1.id }.prefix(count)
      for postback in group {
        guard items.count < limit, size < bytes else {
          return RecordPage(items: items, positions: items.map(\.id), next: items.last?.id)
        }
        items.append(postback)
        size += postback.size
      }
      position = group.count < count ? nil : group.last?.id
    }
    return RecordPage(items: items, positions: items.map(\.id), next: nil)
  }
}
